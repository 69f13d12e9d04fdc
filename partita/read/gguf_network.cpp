// SPDX-License-Identifier: Apache-2.0
// A GGUF header to a network, by the same builder as config.json files. The keys say the sizes; which norms, biases and
// fused products there are shows in the names of the tensors; and the weights are as large as they are stored. Numbers
// that pass between operators, and the KV cache, are fp16, as llama.cpp has them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "partita/read/fields.h"
#include "partita/read/gguf.h"
#include "partita/read/huggingface/module_names.h"
#include "partita/read/huggingface/transformer.h"
#include "partita/read/mapped_file.h"
#include "partita/read/source_label.h"
#include "partita/util/error.h"

namespace partita::detail {
namespace {

// What a window is when the keys give its size: which layers have it.
enum class Windows { EveryLayer, EveryOther, AllButEverySixth };

struct Architecture {
  const char* name;
  Windows windows = Windows::EveryLayer;
  const char* activation = "SiLU";
};

constexpr std::array kArchitectures{
    Architecture{"bert", Windows::EveryLayer, "GELU"},
    Architecture{"gemma", Windows::EveryLayer, "GELU"},
    Architecture{"gemma2", Windows::EveryOther, "GELU"},
    Architecture{"gemma3", Windows::AllButEverySixth, "GELU"},
    Architecture{"gpt2", Windows::EveryLayer, "GELU"},
    Architecture{"gptneox", Windows::EveryLayer, "GELU"},
    Architecture{"llama"},
    Architecture{"phi3"},
    Architecture{"qwen2"},
    Architecture{"qwen2moe"},
    Architecture{"qwen3"},
    Architecture{"qwen3moe"},
};

class ShapeReader {
 public:
  ShapeReader(const GgufHeader& header, const Checkpoint& checkpoint, const std::string& source)
      : header_(header), checkpoint_(checkpoint), source_(source) {}

  TransformerShape read() {
    const Architecture& architecture = find_architecture();
    TransformerShape shape;
    shape.family = architecture.name;
    shape.activation = architecture.activation;
    shape.type = DataType::Float16;
    shape.hidden = size("embedding_length");
    read_layers(architecture, shape);
    read_parts(shape);
    read_experts(shape);
    read_ends(shape);
    return shape;
  }

 private:
  [[noreturn]] void fail(ErrorKind kind, const std::string& where, const std::string& problem) const {
    throw InputError(kind, fmt::format("{}: {}", source_, one_line(where)), problem);
  }

  const Architecture& find_architecture() {
    const std::optional<std::string> name = header_.text("general.architecture", source_);
    if (!name) fail(ErrorKind::BadField, "general.architecture", "is missing; expected the network's architecture");
    const auto entry = std::ranges::find(kArchitectures, *name, &Architecture::name);
    if (entry == kArchitectures.end()) {
      std::string names;
      for (const Architecture& one : kArchitectures) names += (names.empty() ? "" : ", ") + std::string(one.name);
      fail(ErrorKind::Unsupported, "general.architecture",
           fmt::format("\"{}\" is not read; expected one of {}", one_line(*name, 60), names));
    }
    prefix_ = *name + ".";
    return *entry;
  }

  std::int64_t checked(std::int64_t value, const std::string& key, std::int64_t least = 1,
                       std::int64_t most = kLargestExtent) const {
    if (value >= least && value <= most) return value;
    fail(ErrorKind::BadNumber, prefix_ + key,
         fmt::format("found {}; expected an integer from {} to {}", value, least, most));
  }

  std::optional<std::int64_t> optional_size(const std::string& key, std::int64_t least = 1) const {
    const std::optional<std::int64_t> value = header_.integer(prefix_ + key, source_);
    return value ? std::optional(checked(*value, key, least)) : std::nullopt;
  }

  std::int64_t size(const std::string& key) const {
    const std::optional<std::int64_t> value = optional_size(key);
    if (!value) fail(ErrorKind::BadField, prefix_ + key, "is missing; expected an integer");
    return *value;
  }

  // One number for all layers, or a list with one for each.
  std::vector<std::int64_t> by_layer(const std::string& key, std::size_t layers,
                                     std::optional<std::int64_t> fallback = {}) const {
    const auto entry = header_.keys.find(prefix_ + key);
    if (entry == header_.keys.end() && fallback) return std::vector<std::int64_t>(layers, *fallback);
    const GgufList* list = entry == header_.keys.end() ? nullptr : std::get_if<GgufList>(&entry->second);
    if (!list) return std::vector<std::int64_t>(layers, size(key));
    if (list->length != layers || list->integers.size() != layers) {
      fail(ErrorKind::BadField, prefix_ + key,
           fmt::format("is a list of {}; expected {} integers, one for each layer", list->length, layers));
    }
    for (std::int64_t value : list->integers) checked(value, key);
    return list->integers;
  }

  bool has(const std::string& tensor) const { return checkpoint_.find(tensor) != nullptr; }
  bool has_in_layer(const std::string& tensor) const { return has("blk.0." + tensor); }

  void read_layers(const Architecture& architecture, TransformerShape& shape) {
    const std::int64_t count = size("block_count");
    checked(count, "block_count", 1, kMostLayers);
    const auto layers = static_cast<std::size_t>(count);
    shape.layers.resize(layers);
    const std::vector<std::int64_t> heads = by_layer("attention.head_count", layers);
    const std::vector<std::int64_t> key_value_heads = header_.keys.contains(prefix_ + "attention.head_count_kv")
                                                          ? by_layer("attention.head_count_kv", layers)
                                                          : heads;
    const std::vector<std::int64_t> intermediate =
        by_layer("feed_forward_length", layers, optional_size("expert_feed_forward_length"));
    const std::int64_t window = optional_size("attention.sliding_window", 0).value_or(0);
    for (std::size_t i = 0; i < layers; ++i) {
      shape.layers[i] = {heads[i], key_value_heads[i], intermediate[i], 0,
                         has(fmt::format("blk.{}.ffn_gate_inp.weight", i))};
      if (has_window(architecture.windows, i)) shape.layers[i].window = window;
    }
    const std::optional<std::int64_t> head_size = optional_size("attention.key_length");
    if (!head_size && shape.hidden % heads.front() != 0) {
      fail(ErrorKind::BadNumber, prefix_ + "attention.head_count",
           fmt::format("found {}; expected a divisor of embedding_length, which is {}", heads.front(), shape.hidden));
    }
    shape.head_size = head_size.value_or(shape.hidden / heads.front());
    if (optional_size("attention.value_length").value_or(shape.head_size) != shape.head_size) {
      fail(ErrorKind::Unsupported, prefix_ + "attention.value_length", "differs from key_length, which is not read");
    }
  }

  static bool has_window(Windows windows, std::size_t layer) {
    switch (windows) {
      case Windows::EveryLayer: return true;
      case Windows::EveryOther: return layer % 2 == 0;
      case Windows::AllButEverySixth: return layer % 6 != 5;
    }
    return true;
  }

  // What the tensors of the first layer show.
  void read_parts(TransformerShape& shape) {
    shape.norm =
        has_in_layer("attn_norm.bias") || has_in_layer("attn_output_norm.bias") ? NormKind::Layer : NormKind::Rms;
    shape.fused_query_key_value = has_in_layer("attn_qkv.weight");
    shape.query_key_value_bias = has_in_layer(shape.fused_query_key_value ? "attn_qkv.bias" : "attn_q.bias");
    shape.query_key_norm = has_in_layer("attn_q_norm.weight");
    shape.output_bias = has_in_layer("attn_output.bias");
    shape.mlp_bias = has_in_layer("ffn_up.bias");
    shape.fused_gate_up = shape.family == "phi3";
    shape.gated = shape.fused_gate_up || has_in_layer("ffn_gate.weight") || has_in_layer("ffn_gate_exps.weight");
    if (shape.family == "bert") {
      shape.norm_place = NormPlace::After;
      shape.causal = false;
    } else if (has_in_layer("post_attention_norm.weight")) {
      shape.norm_place = NormPlace::Both;
    }
    if (shape.family == "gptneox") {
      const auto entry = header_.keys.find(prefix_ + "use_parallel_residual");
      const bool* flag = entry == header_.keys.end() ? nullptr : std::get_if<bool>(&entry->second);
      shape.parallel_residual = !flag || *flag;
    }
  }

  void read_experts(TransformerShape& shape) {
    if (std::ranges::none_of(shape.layers, &LayerShape::experts)) return;
    ExpertShape& experts = shape.experts;
    experts.count = size("expert_count");
    experts.used = size("expert_used_count");
    if (experts.used > experts.count) {
      fail(ErrorKind::BadNumber, prefix_ + "expert_used_count",
           fmt::format("found {}; expected at most expert_count, which is {}", experts.used, experts.count));
    }
    experts.intermediate = optional_size("expert_feed_forward_length").value_or(shape.layers.front().intermediate);
    for (std::size_t i = 0; i < shape.layers.size(); ++i) {
      if (!shape.layers[i].experts) continue;
      if (has(fmt::format("blk.{}.ffn_up.0.weight", i))) {
        fail(ErrorKind::Unsupported, fmt::format("blk.{}.ffn_up.0.weight", i),
             "is an expert stored on its own, as in old files, which is not read; convert the model anew");
      }
      const StoredTensor* shared = checkpoint_.find(fmt::format("blk.{}.ffn_up_shexp.weight", i));
      if (shared && !shared->extents.empty()) {
        experts.shared_intermediate = checked(shared->extents.front(), "shared experts");
        experts.shared_gate = has(fmt::format("blk.{}.ffn_gate_inp_shexp.weight", i));
      }
      experts.router_bias = experts.router_bias || has(fmt::format("blk.{}.exp_probs_b.bias", i));
    }
  }

  // The rows of a table.
  std::int64_t rows(const std::string& tensor) const {
    const StoredTensor* table = checkpoint_.find(tensor);
    if (!table) fail(ErrorKind::BadField, tensor, "is not among the tensors; expected it");
    if (table->extents.size() != 2)
      fail(ErrorKind::BadField, tensor, fmt::format("has {} axes; expected 2", table->extents.size()));
    return checked(table->extents.front(), tensor);
  }

  void read_ends(TransformerShape& shape) {
    shape.vocabulary = rows("token_embd.weight");
    shape.embedding_norm = has("token_embd_norm.weight");
    if (has("position_embd.weight")) {
      shape.positions = rows("position_embd.weight");
      shape.longest_sequence = shape.positions;
      shape.rotary = false;
    }
    if (has("token_types.weight")) shape.token_types = rows("token_types.weight");
    shape.tied = !has("output.weight");
    shape.head_bias = has("output.bias");
    if (shape.family == "bert") shape.head = Head::None;
  }

  const GgufHeader& header_;
  const Checkpoint& checkpoint_;
  const std::string& source_;
  std::string prefix_;
};

Network build(const GgufHeader& header, Checkpoint& checkpoint, const std::string& source,
              const TransformerOptions& options) {
  TransformerShape shape = ShapeReader(header, checkpoint, source).read();
  if (!header.has_data) {
    shape.notes.push_back(fmt::format("{}: holds the header alone, without weights", source));
  }
  ModuleNames names = gguf_names();
  if (shape.family == "bert") {
    names.attention_after_norm = "attn_output_norm";
    names.mlp_after_norm = "layer_output_norm";
  }
  Network network = build_transformer(shape, names, options, label_of(source), source, &checkpoint);
  if (const std::string missing = checkpoint.first_missing(); !missing.empty()) {
    throw InputError(ErrorKind::BadField, fmt::format("{}: {}", source, missing),
                     "is not among the tensors; expected it, as the keys say");
  }
  return network;
}

void add_tensors(GgufHeader& header, Checkpoint& checkpoint, const std::string& source) {
  for (StoredTensor& tensor : header.tensors) {
    const std::string name = tensor.name;
    if (!checkpoint.add(std::move(tensor))) {
      throw InputError(ErrorKind::BadField, fmt::format("{}: {}", source, one_line(name)), "is there twice; keep one");
    }
  }
  header.tensors.clear();
}

// "model-00001-of-00003.gguf" without the numbers and the ending; empty where it is called otherwise.
std::string stem_of_split(const std::string& path) {
  constexpr std::size_t kTail = std::string_view("-00001-of-00003.gguf").size();
  if (path.size() < kTail) return {};
  const std::string tail = path.substr(path.size() - kTail);
  const auto digits = [&](std::size_t from) {
    return std::ranges::all_of(tail.substr(from, 5), [](unsigned char c) { return std::isdigit(c) != 0; });
  };
  const bool matches =
      tail[0] == '-' && digits(1) && tail.substr(6, 4) == "-of-" && digits(10) && tail.ends_with(".gguf");
  return matches ? path.substr(0, path.size() - kTail) : std::string();
}

constexpr std::int64_t kMostSplits = 10'000;

std::int64_t split_count(const GgufHeader& header, const std::string& source) {
  const std::int64_t count = header.integer("split.count", source).value_or(1);
  if (count >= 0 && count <= kMostSplits) return count;
  throw InputError(ErrorKind::BadNumber, source + ": split.count",
                   fmt::format("found {}; expected at most {} files", count, kMostSplits));
}

}  // namespace

Network parse_gguf(std::string_view bytes, const std::string& source, const TransformerOptions& options) {
  GgufHeader header = parse_gguf_header(bytes, source);
  if (split_count(header, source) > 1) {
    throw InputError(
        ErrorKind::Unsupported, source + ": split.count",
        "says that this is one of several files; expected a file with all tensors, or a path beside the others");
  }
  Checkpoint checkpoint(source);
  add_tensors(header, checkpoint, source);
  return build(header, checkpoint, source, options);
}

Network read_gguf(const std::string& path, const TransformerOptions& options) {
  const MappedFile file(path);
  GgufHeader header = parse_gguf_header(file.bytes(), path);
  const std::int64_t files = split_count(header, path);
  if (files <= 1) return parse_gguf(file.bytes(), path, options);
  const std::string stem = stem_of_split(path);
  if (stem.empty()) {
    throw InputError(ErrorKind::Unsupported, path,
                     fmt::format("is one of {} files, but not called like one; expected a name such as "
                                 "model-00001-of-00003.gguf, to find the others",
                                 files));
  }
  // The first has the keys of the network.
  Checkpoint checkpoint(path);
  GgufHeader first;
  for (std::int64_t i = 1; i <= files; ++i) {
    const std::string name = fmt::format("{}-{:05}-of-{:05}.gguf", stem, i, files);
    const MappedFile part(name);
    GgufHeader one = parse_gguf_header(part.bytes(), name);
    add_tensors(one, checkpoint, name);
    if (i == 1) first = std::move(one);
  }
  Network network = build(first, checkpoint, path, options);
  network.name = label_of(stem);
  return network;
}

}  // namespace partita::detail
