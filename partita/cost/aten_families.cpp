// SPDX-License-Identifier: Apache-2.0
#include "partita/cost/aten_families.h"

#include <algorithm>
#include <array>
#include <utility>

namespace partita::detail {

namespace {

using Entry = std::pair<std::string_view, OperatorFamily>;

// Whole names first; words that a name contains come after them, in this order.
constexpr std::array kNames{
    Entry{"view", OperatorFamily::View},
    Entry{"t", OperatorFamily::View},
    Entry{"transpose", OperatorFamily::View},
    Entry{"expand", OperatorFamily::View},
    Entry{"_unsafe_view", OperatorFamily::View},
    Entry{"reshape", OperatorFamily::View},
    Entry{"detach", OperatorFamily::View},
    Entry{"alias", OperatorFamily::View},
    Entry{"unsqueeze", OperatorFamily::View},
    Entry{"squeeze", OperatorFamily::View},
    Entry{"slice", OperatorFamily::View},
    Entry{"select", OperatorFamily::View},
    Entry{"permute", OperatorFamily::View},
    Entry{"split", OperatorFamily::View},
    Entry{"split_with_sizes", OperatorFamily::View},
    Entry{"unbind", OperatorFamily::View},
    Entry{"as_strided", OperatorFamily::View},
    Entry{"mm", OperatorFamily::MatrixProduct},
    Entry{"addmm", OperatorFamily::MatrixProduct},
    Entry{"linear", OperatorFamily::MatrixProduct},
    Entry{"bmm", OperatorFamily::Attention},
    Entry{"baddbmm", OperatorFamily::Attention},
    Entry{"matmul", OperatorFamily::MatrixProduct},
    Entry{"clone", OperatorFamily::Elementwise},
    Entry{"cat", OperatorFamily::Concatenation},
    Entry{"stack", OperatorFamily::Concatenation},
    Entry{"copy", OperatorFamily::Elementwise},
    Entry{"_to_copy", OperatorFamily::Elementwise},
    Entry{"constant_pad_nd", OperatorFamily::Movement},
    Entry{"slice_backward", OperatorFamily::Movement},
    Entry{"select_backward", OperatorFamily::Movement},
    Entry{"repeat", OperatorFamily::Movement},
    Entry{"roll", OperatorFamily::Movement},
    Entry{"sum", OperatorFamily::Reduction},
    Entry{"mean", OperatorFamily::Reduction},
    Entry{"amax", OperatorFamily::Reduction},
    Entry{"max", OperatorFamily::Reduction},
    Entry{"cumsum", OperatorFamily::Reduction},
    Entry{"argmax", OperatorFamily::Reduction},
    Entry{"topk", OperatorFamily::Reduction},
    Entry{"sort", OperatorFamily::Reduction},
    Entry{"var", OperatorFamily::Reduction},
    Entry{"_native_batch_norm_legit_no_training", OperatorFamily::ChannelScaling},
    Entry{"native_layer_norm", OperatorFamily::Normalization},
    Entry{"native_layer_norm_backward", OperatorFamily::Normalization},
    Entry{"embedding_dense_backward", OperatorFamily::Scatter},
    Entry{"_embedding_bag_backward", OperatorFamily::Scatter},
    Entry{"_embedding_bag_dense_backward", OperatorFamily::Scatter},
};

constexpr std::array kWords{
    Entry{"convolution", OperatorFamily::Convolution},
    Entry{"attention", OperatorFamily::Attention},
    Entry{"lstm", OperatorFamily::Recurrent},
    Entry{"gru", OperatorFamily::Recurrent},
    Entry{"batch_norm", OperatorFamily::BatchNormalization},
    Entry{"group_norm", OperatorFamily::BatchNormalization},
    Entry{"instance_norm", OperatorFamily::BatchNormalization},
    Entry{"norm", OperatorFamily::Normalization},
    Entry{"softmax", OperatorFamily::Softmax},
    Entry{"index_put", OperatorFamily::Scatter},
    Entry{"index_add", OperatorFamily::Scatter},
    Entry{"scatter", OperatorFamily::Scatter},
    Entry{"embedding", OperatorFamily::Lookup},
    Entry{"index", OperatorFamily::Lookup},
    Entry{"gather", OperatorFamily::Lookup},
    Entry{"pool", OperatorFamily::Pooling},
    Entry{"upsample", OperatorFamily::Lookup},
};

constexpr std::array<std::string_view, 9> kStridedViews{"t",      "transpose", "permute",          "expand",    "slice",
                                                        "select", "split",     "split_with_sizes", "as_strided"};

// "aten.add.Tensor" is "add"; nothing for other names.
std::string_view name_in_aten(std::string_view op) {
  constexpr std::string_view kPrefix = "aten.";
  if (!op.starts_with(kPrefix)) return {};
  op.remove_prefix(kPrefix.size());
  return op.substr(0, op.find('.'));
}

}  // namespace

bool makes_strided_view(std::string_view op) {
  return std::ranges::find(kStridedViews, name_in_aten(op)) != kStridedViews.end();
}

OperatorFamily family_of_aten(std::string_view op) {
  if (op == "input" || op == "output" || op == "get_attr" || op.find("getitem") != std::string_view::npos)
    return OperatorFamily::View;
  op = name_in_aten(op);
  if (op.empty()) return OperatorFamily::Other;
  if (const auto found = std::ranges::find(kNames, op, &Entry::first); found != kNames.end()) return found->second;
  for (const auto& [word, family] : kWords)
    if (op.find(word) != std::string_view::npos) return family;
  return OperatorFamily::Elementwise;
}

}  // namespace partita::detail
