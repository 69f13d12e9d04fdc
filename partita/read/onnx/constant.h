// SPDX-License-Identifier: Apache-2.0
// Elements of small tensors that are known when the model is read: what shapes are computed from.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "partita/model/tensor.h"
#include "partita/read/onnx/model.h"

namespace partita::detail::onnx {

// Larger tensors are data, not shapes.
inline constexpr std::int64_t kMostFolded = 1024;

bool is_real(DataType type);     // floating-point, of any width
bool is_integer(DataType type);  // bool too

struct Constant {
  DataType type = DataType::Unknown;
  std::vector<std::int64_t> shape;
  // One of the two, by the type. An element may be unknown where others are known: the batch in a shape.
  std::vector<std::optional<std::int64_t>> integers;
  std::vector<std::optional<double>> reals;

  std::size_t size() const { return is_real(type) ? reals.size() : integers.size(); }
  bool all_known() const;
};

using ConstantPointer = std::shared_ptr<const Constant>;

// None for what is large, has no elements in the file, or is of another type.
ConstantPointer elements_of(const WireFile& file, const TensorView& tensor);

// Numbers of a row, as the attributes of Constant nodes have them. `scalar`: of no axis instead of one.
ConstantPointer integer_constant(std::vector<std::int64_t> numbers, bool scalar);
ConstantPointer real_constant(const std::vector<float>& numbers, bool scalar);

}  // namespace partita::detail::onnx
