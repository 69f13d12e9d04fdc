// SPDX-License-Identifier: Apache-2.0
// Operators that take axes together: reductions, the largest elements, normalizations with their statistics.
#include <algorithm>

#include "partita/read/onnx/inference.h"

namespace partita::detail::onnx {

namespace {

// Without the axes, or with 1 in their place. None where an axis is not there.
Shape without(const Shape& shape, const Numbers& axes, bool keep) {
  if (!shape) return std::nullopt;
  std::vector<bool> reduced(shape->size(), false);
  for (std::int64_t axis : axes) {
    const std::optional<std::size_t> at = axis_of(axis, shape->size());
    if (!at) return std::nullopt;
    reduced[*at] = true;
  }
  Numbers result;
  for (std::size_t i = 0; i < shape->size(); ++i) {
    if (!reduced[i]) result.push_back((*shape)[i]);
    if (reduced[i] && keep) result.push_back(1);
  }
  return result;
}

// Axes are an attribute in old opsets and an input in new ones. Without axes all are meant, unless the node says that
// none are then.
void reduction(Inference& node) {
  const Shape& shape = node.shape(0);
  const bool keep = node.integer("keepdims", 1) != 0;
  const std::optional<Numbers> axes = node.integers("axes", 1);
  if (axes && !axes->empty()) return node.set(0, node.type(0), without(shape, *axes, keep));
  const bool axes_are_computed = node.has(1) && !axes;
  if (axes_are_computed) {
    // How many axes stay is known where all of them do.
    Shape unknown = keep && shape ? Shape(Numbers(shape->size(), kUnknownExtent)) : std::nullopt;
    return node.set(0, node.type(0), std::move(unknown));
  }
  if (node.integer("noop_with_empty_axes", 0) != 0) return node.set(0, node.type(0), shape);
  Numbers all(shape ? shape->size() : 0);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
  node.set(0, node.type(0), without(shape, all, keep));
}

void position_of_best(Inference& node) {
  node.set(0, DataType::Int64, without(node.shape(0), {node.integer("axis", 0)}, node.integer("keepdims", 1) != 0));
}

void best(Inference& node) {
  Shape shape = node.shape(0);
  std::int64_t count = node.has(1) ? kUnknownExtent : std::max(node.integer("k", kUnknownExtent), kUnknownExtent);
  if (const std::optional<Numbers> k = node.integers(std::size_t{1}); k && k->size() == 1)
    count = std::max(k->front(), kUnknownExtent);
  if (shape) {
    const std::optional<std::size_t> axis = axis_of(node.integer("axis", -1), shape->size());
    if (axis) {
      (*shape)[*axis] = count;
    } else {
      shape.reset();
    }
  }
  node.set(0, node.type(0), shape);
  node.set(1, DataType::Int64, shape);
}

// Mean and variance beside the output, until opset 14 also while training.
void batch_normalization(Inference& node) {
  node.set(0, node.type(0), node.shape(0));
  for (std::size_t i = 1; i < node.outputs(); ++i) node.set(i, node.type(i < 3 ? 3 : 0), node.shape(3));
}

void layer_normalization(Inference& node) {
  node.set(0, node.type(0), node.shape(0));
  Shape statistics = node.shape(0);
  if (statistics) {
    const std::optional<std::size_t> axis = axis_of(node.integer("axis", -1), statistics->size());
    if (!axis) {
      statistics.reset();
    } else {
      std::fill(statistics->begin() + static_cast<std::ptrdiff_t>(*axis), statistics->end(), 1);
    }
  }
  for (std::size_t i = 1; i < node.outputs(); ++i) node.set(i, DataType::Float32, statistics);
}

// The last output is the sum that was normalized, for the residual connection.
void skip_normalization(Inference& node) {
  node.set(0, node.type(0), node.shape(0));
  Shape statistics = node.shape(0);
  if (statistics && !statistics->empty()) statistics->back() = 1;
  node.set(1, DataType::Float32, statistics);
  node.set(2, DataType::Float32, statistics);
  node.set(3, node.type(0), node.shape(0));
}

void embedding_normalization(Inference& node) {
  const Numbers shape{node.extent(0, 0), node.extent(0, 1), node.extent(2, 1)};
  node.set(0, node.type(2), shape);
  node.set(1, DataType::Int32, Numbers{node.extent(0, 0)});
  node.set(2, node.type(2), shape);
}

void loss(Inference& node) {
  const bool summed = node.text("reduction", "mean") != "none";
  Shape shape = node.shape(0);
  if (shape && shape->size() > 1) shape->erase(shape->begin() + 1);
  node.set(0, node.type(0), summed ? Shape(Numbers()) : shape);
  node.set(1, node.type(0), node.shape(0));
}

constexpr ShapeRow kReductionRows[] = {
    {"ReduceL1", reduction},
    {"ReduceL2", reduction},
    {"ReduceLogSum", reduction},
    {"ReduceLogSumExp", reduction},
    {"ReduceMax", reduction},
    {"ReduceMean", reduction},
    {"ReduceMin", reduction},
    {"ReduceProd", reduction},
    {"ReduceSum", reduction},
    {"ReduceSumSquare", reduction},
    {"ArgMax", position_of_best},
    {"ArgMin", position_of_best},
    {"TopK", best},
    {"BatchNormalization", batch_normalization},
    {"InstanceNormalization", same_shape},
    {"GroupNormalization", same_shape},
    {"MeanVarianceNormalization", same_shape},
    {"LayerNormalization", layer_normalization},
    {"SimplifiedLayerNormalization", layer_normalization},
    {"RMSNormalization", same_shape},
    {"com.microsoft:LayerNormalization", layer_normalization},
    {"com.microsoft:SimplifiedLayerNormalization", layer_normalization},
    {"com.microsoft:SkipLayerNormalization", skip_normalization},
    {"com.microsoft:SkipSimplifiedLayerNormalization", skip_normalization},
    {"com.microsoft:EmbedLayerNormalization", embedding_normalization},
    {"com.microsoft:GroupNorm", same_shape},
    {"NegativeLogLikelihoodLoss", loss},
    {"SoftmaxCrossEntropyLoss", loss},
};

}  // namespace

std::span<const ShapeRow> reduction_shapes() { return kReductionRows; }

}  // namespace partita::detail::onnx
