// SPDX-License-Identifier: Apache-2.0
// Tensors put together and cut apart along an axis.
#include <algorithm>
#include <limits>

#include "partita/read/onnx/inference.h"
#include "partita/read/onnx/slice.h"

namespace partita::detail::onnx {

namespace {

void concat(Inference& node) {
  Shape shape = node.shape(0);
  if (!shape) return node.set(0, node.type(0), std::nullopt);
  const std::optional<std::size_t> axis = axis_of(node.integer("axis", node.opset() < 4 ? 1 : 0), shape->size());
  if (!axis) return node.set(0, node.type(0), std::nullopt);
  for (std::size_t i = 1; i < node.inputs(); ++i) {
    const Shape& other = node.shape(i);
    if (!other || other->size() != shape->size()) {
      (*shape)[*axis] = kUnknownExtent;
      continue;
    }
    for (std::size_t k = 0; k < shape->size(); ++k) {
      std::int64_t& extent = (*shape)[k];
      if (k == *axis) {
        extent = plus(extent, (*other)[k]);
      } else if (!is_known(extent)) {
        extent = (*other)[k];
      }
    }
  }
  node.set(0, node.type(0), std::move(shape));
}

void split(Inference& node) {
  const Shape& input = node.shape(0);
  const std::optional<std::size_t> axis = input ? axis_of(node.integer("axis", 0), input->size()) : std::nullopt;
  if (!axis) {
    for (std::size_t i = 0; i < node.outputs(); ++i) node.set(i, node.type(0), std::nullopt);
    return;
  }
  const std::optional<Numbers> sizes = node.integers("split", 1);
  const std::int64_t whole = (*input)[*axis];
  const auto count = static_cast<std::int64_t>(node.outputs());
  // All equal but for the last, which may be smaller.
  const std::int64_t part =
      is_known(whole) && count > 0 ? whole / count + (whole % count != 0 ? 1 : 0) : kUnknownExtent;
  std::int64_t left = whole;
  for (std::size_t i = 0; i < node.outputs(); ++i) {
    Numbers shape = *input;
    if (sizes) {
      shape[*axis] = i < sizes->size() ? std::max((*sizes)[i], kUnknownExtent) : kUnknownExtent;
    } else if (node.has(1)) {
      shape[*axis] = kUnknownExtent;
    } else {
      shape[*axis] = is_known(part) ? std::min(part, left) : kUnknownExtent;
      left -= is_known(part) ? shape[*axis] : 0;
    }
    node.set(i, node.type(0), std::move(shape));
  }
}

void slice(Inference& node) {
  const Shape& input = node.shape(0);
  if (!input) return node.set(0, node.type(0), std::nullopt);
  Numbers shape = *input;
  const std::optional<std::vector<AxisSlice>> slices = slices_of(node);
  if (!slices) {
    // Unknown axes are cut; how many are cut may be known.
    const std::optional<Numbers> axes = node.has(3) ? node.integers(std::size_t{3}) : std::nullopt;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const bool stays =
          axes && std::ranges::none_of(*axes, [&](std::int64_t axis) { return axis_of(axis, shape.size()) == i; });
      if (!stays) shape[i] = kUnknownExtent;
    }
    return node.set(0, node.type(0), std::move(shape));
  }
  for (const AxisSlice& cut : *slices) shape[cut.axis] = cut.count;
  node.set(0, node.type(0), std::move(shape));
}

constexpr ShapeRow kCuttingRows[] = {
    {"Concat", concat},
    {"Split", split},
    {"Slice", slice},
};

}  // namespace

// The numbers count from the end where they are negative, and are cut to what is there; what is unknown of them makes
// the extent unknown, and only that.
std::optional<std::vector<AxisSlice>> slices_of(const Inference& node) {
  const Shape& input = node.shape(0);
  if (!input) return std::nullopt;
  std::optional<Numbers> starts = node.integers("starts", 1), ends = node.integers("ends", 2);
  if (!starts || !ends || starts->size() != ends->size()) return std::nullopt;
  std::optional<Numbers> axes = node.integers("axes", 3),
                         steps = node.has(4) ? node.integers(std::size_t{4}) : std::nullopt;
  if ((node.has(3) && !axes) || (node.has(4) && !steps)) return std::nullopt;
  std::vector<AxisSlice> slices;
  for (std::size_t i = 0; i < starts->size(); ++i) {
    if ((axes && i >= axes->size()) || (steps && i >= steps->size())) return std::nullopt;
    const std::optional<std::size_t> axis = axis_of(axes ? (*axes)[i] : static_cast<std::int64_t>(i), input->size());
    const std::int64_t step = steps ? (*steps)[i] : 1;
    if (!axis || step == 0 || step == std::numeric_limits<std::int64_t>::min()) return std::nullopt;
    const std::int64_t extent = (*input)[*axis];
    AxisSlice cut{.axis = *axis, .start = 0, .step = step, .count = kUnknownExtent};
    std::int64_t start = (*starts)[i], end = (*ends)[i];
    const bool to_the_end = end > (std::int64_t{1} << 30);
    if (!is_known(extent)) {
      if (start == 0 && to_the_end && step == 1) cut.count = extent;
      if (start >= 0 && end >= 0 && step == 1 && !to_the_end && end <= start) cut.count = 0;
      slices.push_back(cut);
      continue;
    }
    if (extent == 0) {
      cut.count = 0;
      slices.push_back(cut);
      continue;
    }
    if (start < 0) start += extent;
    if (end < 0) end += extent;
    start = std::clamp<std::int64_t>(start, 0, step > 0 ? extent : extent - 1);
    end = std::clamp<std::int64_t>(end, step > 0 ? 0 : -1, step > 0 ? extent : extent - 1);
    const std::int64_t distance = step > 0 ? end - start : start - end, stride = step > 0 ? step : -step;
    cut.start = start;
    cut.count = distance > 0 ? (distance - 1) / stride + 1 : 0;
    slices.push_back(cut);
  }
  return slices;
}

std::span<const ShapeRow> cutting_shapes() { return kCuttingRows; }

}  // namespace partita::detail::onnx
