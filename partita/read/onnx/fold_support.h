// SPDX-License-Identifier: Apache-2.0
// What folding by arithmetic and folding by layout share: elements by index.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "partita/read/onnx/inference.h"

namespace partita::detail::onnx {

using Numbers = std::vector<std::int64_t>;
using Integer = std::optional<std::int64_t>;
using Real = std::optional<double>;

// Calls `visit` for each index of a shape, the last axis fastest.
template <class Visit>
void for_each_index(const Numbers& shape, Visit visit) {
  if (std::ranges::find(shape, 0) != shape.end()) return;
  Numbers index(shape.size(), 0);
  while (true) {
    visit(index);
    std::size_t axis = shape.size();
    while (axis > 0 && ++index[axis - 1] == shape[axis - 1]) index[--axis] = 0;
    if (axis == 0) return;
  }
}

// Where in a tensor of `shape` the element is that an index of a larger shape means: axes of extent 1 are stretched.
inline std::size_t stretched_position(const Numbers& shape, const Numbers& index) {
  std::int64_t position = 0;
  const std::size_t offset = index.size() - shape.size();
  for (std::size_t i = 0; i < shape.size(); ++i)
    position = position * shape[i] + (shape[i] == 1 ? 0 : index[offset + i]);
  return static_cast<std::size_t>(position);
}

// Elements of another constant, at these places.
inline Constant taken(const Constant& from, const std::vector<std::size_t>& places, Numbers shape) {
  Constant result;
  result.type = from.type;
  result.shape = std::move(shape);
  for (std::size_t place : places) {
    if (is_real(from.type)) {
      result.reals.push_back(from.reals[place]);
    } else {
      result.integers.push_back(from.integers[place]);
    }
  }
  return result;
}

inline const Shape& output_shape(const Inference& node) { return node.model().values[node.node().outputs[0]].shape; }

inline bool is_small(const Shape& shape) {
  return is_known(shape) && is_known(elements(shape)) && elements(shape) <= kMostFolded;
}

// How constants are computed, by kinds of nodes of the standard.
std::span<const ShapeRow> arithmetic_folds();
std::span<const ShapeRow> layout_folds();

}  // namespace partita::detail::onnx
