// SPDX-License-Identifier: Apache-2.0
#include "partita/read/onnx/work.h"

#include <algorithm>

#include "partita/read/onnx/attention.h"
#include "partita/read/onnx/einsum.h"
#include "partita/read/onnx/families.h"
#include "partita/read/onnx/trips.h"

namespace partita::detail::onnx {

namespace {

using Flops = std::optional<double>;

// The number of elements of a shape as a real number, which does not overflow.
Flops count(const Shape& shape) {
  if (!is_known(shape)) return std::nullopt;
  double product = 1;
  for (std::int64_t extent : *shape) product *= static_cast<double>(extent);
  return product;
}

Flops number(std::int64_t extent) { return is_known(extent) ? Flops(static_cast<double>(extent)) : std::nullopt; }

Flops operator*(Flops a, Flops b) { return a && b ? Flops(*a * *b) : std::nullopt; }
Flops operator+(Flops a, Flops b) { return a && b ? Flops(*a + *b) : std::nullopt; }

class Counter {
 public:
  Counter(FlatModel& model, FlatNode& node, std::vector<std::string>& open_loops)
      : node_(model, node), model_(model), open_loops_(open_loops) {}

  Flops flops(OperatorFamily family) {
    switch (family) {
      case OperatorFamily::MatrixProduct: return product();
      case OperatorFamily::Convolution:
      case OperatorFamily::PointwiseConvolution:
      case OperatorFamily::OddConvolution:
      case OperatorFamily::GroupedConvolution: return convolution();
      case OperatorFamily::Attention: return attention_sizes(node_) ? attention() : product();
      case OperatorFamily::Recurrent: return recurrent();
      case OperatorFamily::Normalization: return Flops(5) * output();
      case OperatorFamily::BatchNormalization: return Flops(5) * output();
      case OperatorFamily::ChannelScaling: return Flops(2) * output();
      case OperatorFamily::Softmax: return Flops(5) * output();
      case OperatorFamily::Elementwise: return elementwise();
      case OperatorFamily::Reduction: return input(0);
      case OperatorFamily::Pooling: return pooling();
      case OperatorFamily::Lookup:
      case OperatorFamily::Scatter:
      case OperatorFamily::Movement:
      case OperatorFamily::Concatenation:
      case OperatorFamily::View: return 0;
      case OperatorFamily::Control: return control();
      case OperatorFamily::Source: return 0;
      case OperatorFamily::Other: return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  std::string_view kind() const { return node_.node().kind(); }
  Flops input(std::size_t i) const { return count(node_.shape(i)); }
  Flops output() const { return node_.wants(0) ? count(model_.values[node_.node().outputs[0]].shape) : std::nullopt; }

  Flops elementwise() const {
    // Sum, Max and others take any number of operands.
    const std::string_view name = kind();
    const bool any_number = name == "Sum" || name == "Mean" || name == "Max" || name == "Min";
    if (name == "DynamicQuantizeLinear" || node_.node().domain() == "ai.onnx.preview.training") return input(0);
    return output() * Flops(any_number ? std::max<double>(1, static_cast<double>(node_.inputs()) - 1) : 1);
  }

  // How many products are summed for one element of the result.
  Flops depth() const {
    if (kind() == "Gemm" || kind() == "FusedGemm")
      return number(node_.extent(0, node_.integer("transA", 0) != 0 ? 0 : 1));
    if (kind() == "MatMulNBits" || kind() == "MatMulFpQ4" || kind() == "MatMulBnb4") {
      return number(std::max(node_.integer("K", kUnknownExtent), kUnknownExtent));
    }
    const bool turned = node_.integer("transA", 0) != 0, stacked = node_.integer("transBatchA", 0) != 0;
    const Shape& a = node_.shape(0);
    if (!turned || !a || a->size() < 2) return number(node_.extent(0, -1));
    return number(stacked ? node_.extent(0, 0) : node_.extent(0, -2));
  }

  Flops product() const {
    if (kind() == "Einsum") return einsum();
    if (kind() == "MoE" || kind() == "QMoE") return std::nullopt;
    const bool adds = (kind() == "Gemm" || kind() == "FusedGemm") && node_.has(2);
    return output() * (Flops(2) * depth() + Flops(adds ? 1 : 0));
  }

  Flops einsum() const {
    std::vector<Shape> shapes;
    for (std::size_t i = 0; i < node_.inputs(); ++i) shapes.push_back(node_.shape(i));
    const std::optional<EinsteinSum> sum = einstein_sum(node_.text("equation", ""), shapes);
    if (!sum) return std::nullopt;
    const double products = static_cast<double>(sum->operands) - 1;
    return Flops(products + (sum->sums ? 1 : 0)) * number(sum->points);
  }

  Flops convolution() const {
    const bool quantized = kind() == "QLinearConv";
    const std::size_t weights = quantized ? 3 : 1, bias = quantized ? 8 : 2;
    const Shape& kernel = node_.shape(weights);
    if (!kernel || kernel->empty()) return std::nullopt;
    // Weights are [out, in / group, window...]; transposed ones [in, out / group, window...], each input met by them all.
    const Flops per_channel = number(over(elements(kernel), kernel->front()));
    const bool has_bias = node_.has(bias) && kind() != "ConvInteger" && kind() != "DeformConv";
    const Flops met = kind() == "ConvTranspose" ? input(0) : output();
    return Flops(2) * met * per_channel + output() * Flops(has_bias ? 1 : 0);
  }

  Flops attention() const {
    const AttentionSizes sizes = *attention_sizes(node_);
    const Flops pairs = number(sizes.batch) * number(sizes.heads) * number(sizes.queries) * number(sizes.keys);
    if (kind() == "LinearAttention") return linear_attention(sizes);
    const Flops widths = number(sizes.key_width) + number(sizes.value_width);
    if (sizes.projection < 0) return std::nullopt;
    return pairs * (Flops(2) * widths + Flops(5)) + Flops(2 * sizes.projection);
  }

  // Each token adds the product of its key and value to the state, and asks it; the delta rule asks it before, too.
  Flops linear_attention(const AttentionSizes& sizes) const {
    const Flops state = number(sizes.key_width) * number(sizes.value_width);
    const double rounds = node_.text("update_rule", "gated_delta").ends_with("delta") ? 2 : 1;
    const Flops tokens = number(sizes.batch) * number(sizes.queries);
    return Flops(2) * tokens * state * (number(sizes.heads) + Flops(rounds) * number(sizes.kv_heads));
  }

  // Each step multiplies the input by W and the state by R; what is done with the gates is small beside it.
  Flops recurrent() const {
    return Flops(2) * number(node_.extent(0, 0)) * number(node_.extent(0, 1)) * (input(1) + input(2));
  }

  Flops pooling() const {
    if (kind().starts_with("Global") || kind() == "QLinearGlobalAveragePool") return input(0);
    if (const std::optional<std::vector<std::int64_t>> window = node_.integers("kernel_shape")) {
      Flops size = 1;
      for (std::int64_t extent : *window) size = size * number(std::max(extent, kUnknownExtent));
      return output() * size;
    }
    return output();
  }

  // What is known of a body; none where nothing is.
  Flops body(FlatGraph& graph) {
    Flops sum;
    bool all_folded = true;
    for (FlatNode& inner : graph.nodes) {
      if (inner.folded) continue;
      all_folded = false;
      const Flops flops = flops_of(model_, inner, family_of(model_, inner), open_loops_);
      if (flops) sum = sum.value_or(0) + *flops;
    }
    return all_folded ? Flops(0) : sum;
  }

  Flops control() {
    std::vector<Flops> flops;
    for (FlatGraph& graph : node_.node().bodies) flops.push_back(body(graph));
    if (flops.empty()) return std::nullopt;
    if (kind() == "If") {
      if (const std::optional<std::size_t> taken = taken_branch(node_)) return flops[*taken];
      return *std::ranges::max_element(flops);
    }
    if (kind() == "SequenceMap") return flops.front();
    const std::optional<std::int64_t> trips = trip_count(node_);
    if (!trips) open_loops_.push_back(node_text(model_, node_.node()));
    return flops.front() * Flops(static_cast<double>(trips.value_or(1)));
  }

  Inference node_;
  FlatModel& model_;
  std::vector<std::string>& open_loops_;
};

std::optional<double> bytes_of(const FlatModel& model, ValueId id) {
  if (!id.valid()) return 0;
  const Value& value = model.values[id];
  if (!is_known(value.shape)) return std::nullopt;
  return TensorType{value.type, value.shape}.bytes();
}

}  // namespace

std::optional<double> flops_of(FlatModel& model, FlatNode& node, OperatorFamily family,
                               std::vector<std::string>& open_loops) {
  return Counter(model, node, open_loops).flops(family);
}

std::optional<double> moved_bytes_of(FlatModel& model, FlatNode& node, OperatorFamily family) {
  if (family == OperatorFamily::View) return 0;
  const bool takes_a_part = node.domain().empty() && (node.kind() == "Gather" || node.kind() == "GatherElements" ||
                                                      node.kind() == "GatherND" || node.kind() == "Slice");
  if (!takes_a_part || node.outputs.empty() || node.inputs.size() < 2) return std::nullopt;
  const std::optional<double> made = bytes_of(model, node.outputs[0]), chosen = bytes_of(model, node.inputs[1]);
  if (!made || !chosen) return std::nullopt;
  return 2 * *made + *chosen;
}

}  // namespace partita::detail::onnx
