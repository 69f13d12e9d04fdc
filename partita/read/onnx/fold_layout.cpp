// SPDX-License-Identifier: Apache-2.0
// Folding of what takes elements and puts them elsewhere. Shapes are those that were inferred.
#include "partita/read/onnx/fold_support.h"
#include "partita/read/onnx/slice.h"

namespace partita::detail::onnx {

namespace {

// The same elements in the shape that was inferred.
void reshaped(Inference& node) {
  const Constant* from = node.constant(0);
  const Shape& shape = output_shape(node);
  if (from == nullptr || !is_small(shape) || static_cast<std::size_t>(elements(shape)) != from->size()) return;
  Constant result = *from;
  result.shape = *shape;
  node.set_constant(0, std::move(result));
}

void expanded(Inference& node) {
  const Constant* from = node.constant(0);
  const Shape& shape = output_shape(node);
  if (from == nullptr || !is_small(shape) || broadcast(from->shape, shape) != shape) return;
  std::vector<std::size_t> places;
  for_each_index(*shape, [&](const Numbers& index) { places.push_back(stretched_position(from->shape, index)); });
  node.set_constant(0, taken(*from, places, *shape));
}

void concatenated(Inference& node) {
  const Shape& shape = output_shape(node);
  if (!is_small(shape) || shape->size() != 1) return;  // shapes are rows
  Constant result;
  result.type = node.type(0);
  result.shape = *shape;
  for (std::size_t i = 0; i < node.inputs(); ++i) {
    const std::int64_t count = elements(node.shape(i));
    const Constant* part = node.constant(i);
    if (part != nullptr && part->type != result.type) return;
    for (std::int64_t k = 0; k < count; ++k) {
      const auto place = static_cast<std::size_t>(k);
      if (is_real(result.type)) result.reals.push_back(part != nullptr ? part->reals[place] : Real());
      if (!is_real(result.type)) result.integers.push_back(part != nullptr ? part->integers[place] : Integer());
    }
  }
  if (!is_real(result.type) && !is_integer(result.type)) return;
  if (result.size() == static_cast<std::size_t>(elements(shape))) node.set_constant(0, std::move(result));
}

void gathered(Inference& node) {
  const Constant* from = node.constant(0);
  const std::optional<Numbers> indices = node.integers(std::size_t{1});
  const Shape& shape = output_shape(node);
  if (from == nullptr || from->shape.size() != 1 || !indices || !is_small(shape) || node.integer("axis", 0) > 0) return;
  std::vector<std::size_t> places;
  for (std::int64_t index : *indices) {
    const std::optional<std::size_t> place = axis_of(index, from->size());
    if (!place) return;
    places.push_back(*place);
  }
  node.set_constant(0, taken(*from, places, *shape));
}

void sliced(Inference& node) {
  const Constant* from = node.constant(0);
  const std::optional<std::vector<AxisSlice>> slices = slices_of(node);
  if (from == nullptr || from->shape.size() != 1 || !slices || slices->size() != 1) return;
  const AxisSlice& cut = slices->front();
  std::vector<std::size_t> places;
  for (std::int64_t i = 0; i < cut.count; ++i) places.push_back(static_cast<std::size_t>(cut.start + i * cut.step));
  node.set_constant(0, taken(*from, places, {cut.count}));
}

void transposed(Inference& node) {
  const Constant* from = node.constant(0);
  const Shape& shape = output_shape(node);
  if (from == nullptr || !is_small(shape) || shape->size() != from->shape.size()) return;
  std::optional<Numbers> order = node.integers("perm");
  if (!order || order->empty()) {
    order.emplace();
    for (std::size_t i = shape->size(); i > 0; --i) order->push_back(static_cast<std::int64_t>(i - 1));
  }
  Numbers strides(shape->size(), 1);
  for (std::size_t i = shape->size(); i-- > 1;) strides[i - 1] = strides[i] * from->shape[i];
  std::vector<bool> used(shape->size(), false);
  for (std::int64_t axis : *order) {
    const std::optional<std::size_t> at = axis_of(axis, shape->size());
    if (!at || used[*at]) return;
    used[*at] = true;
  }
  if (order->size() != shape->size()) return;
  std::vector<std::size_t> places;
  for_each_index(*shape, [&](const Numbers& index) {
    std::int64_t place = 0;
    for (std::size_t i = 0; i < index.size(); ++i) place += index[i] * strides[*axis_of((*order)[i], shape->size())];
    places.push_back(static_cast<std::size_t>(place));
  });
  node.set_constant(0, taken(*from, places, *shape));
}

void fold_split(Inference& node) {
  if (node.constant(0) == nullptr || node.constant(0)->shape.size() != 1) return;
  const Constant from = *node.constant(0);
  std::size_t first = 0;
  for (std::size_t i = 0; i < node.outputs(); ++i) {
    if (!node.wants(i)) return;  // where it ends is not known
    const Shape& shape = node.model().values[node.node().outputs[i]].shape;
    if (!is_small(shape) || shape->size() != 1) return;
    const auto count = static_cast<std::size_t>(shape->front());
    if (first + count > from.size()) return;
    std::vector<std::size_t> places(count);
    for (std::size_t k = 0; k < count; ++k) places[k] = first + k;
    node.set_constant(i, taken(from, places, *shape));
    first += count;
  }
}

void fold_filled(Inference& node) {
  const Shape& shape = output_shape(node);
  if (!is_small(shape)) return;
  const AttributeView* value = node.attribute("value");
  Constant one;
  if (value == nullptr || value->tensors.empty()) {
    one.type = DataType::Float32;
    one.reals = {0.0};
  } else {
    const ConstantPointer given = elements_of(*node.model().file, value->tensors.front());
    if (!given || given->size() != 1) return;
    one = *given;
  }
  node.set_constant(0, taken(one, std::vector<std::size_t>(static_cast<std::size_t>(elements(shape)), 0), *shape));
}

constexpr ShapeRow kFoldedLayoutRows[] = {
    {"Reshape", reshaped},
    {"Squeeze", reshaped},
    {"Unsqueeze", reshaped},
    {"Flatten", reshaped},
    {"Expand", expanded},
    {"Concat", concatenated},
    {"Gather", gathered},
    {"Slice", sliced},
    {"Transpose", transposed},
    {"Split", fold_split},
    {"ConstantOfShape", fold_filled},
};

}  // namespace

std::span<const ShapeRow> layout_folds() { return kFoldedLayoutRows; }

}  // namespace partita::detail::onnx
