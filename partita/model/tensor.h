// SPDX-License-Identifier: Apache-2.0
// What a tensor is made of: the type of its elements and how many there are along each axis.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace partita {

enum class DataType {
  Unknown,
  Float64,
  Float32,
  TFloat32,  // float32 in memory, fewer bits in the multipliers
  Float16,
  BFloat16,
  Float8,
  Float4,
  Int64,
  Int32,
  Int16,
  Int8,
  Int4,
  Int2,
  UInt64,
  UInt32,
  UInt16,
  UInt8,
  UInt4,
  UInt2,
  Bool,
  Complex64,
  Complex128,
  String,  // no fixed size
};

// Bits of one element; none for Unknown and String.
std::optional<int> bits_of(DataType type);

// "fp32", "bf16", "int8": as files of ours and options write them. data_type() also takes other usual spellings
// ("float32", "half", "F16"); none for a word that names no type.
const char* to_string(DataType type);
std::optional<DataType> data_type(std::string_view word);

struct TensorType {
  DataType type = DataType::Unknown;
  std::optional<std::vector<std::int64_t>> shape;  // none: not known; empty: a scalar

  // None where the type or the shape is not known. Elements of less than a byte are packed.
  std::optional<double> elements() const;
  std::optional<double> bytes() const;

  friend bool operator==(const TensorType&, const TensorType&) = default;
};

// "fp32[1,64,56,56]", "int64[]", "fp16[?]" where the shape is not known.
std::string to_string(const TensorType& tensor);

// What to_string() wrote; none for a text that is not one type and one shape.
std::optional<TensorType> tensor_type(std::string_view text);

}  // namespace partita
