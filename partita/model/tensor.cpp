// SPDX-License-Identifier: Apache-2.0
#include "partita/model/tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

namespace partita {

namespace {

struct Row {
  DataType type;
  const char* name;
  int bits;                                // 0: no fixed size
  std::array<const char*, 5> other_names;  // in small letters
};

constexpr std::array kTypes{
    Row{DataType::Unknown, "unknown", 0, {}},
    Row{DataType::Float64, "fp64", 64, {"float64", "double", "f64"}},
    Row{DataType::Float32, "fp32", 32, {"float32", "float", "f32"}},
    Row{DataType::TFloat32, "tf32", 32, {"tfloat32"}},
    Row{DataType::Float16, "fp16", 16, {"float16", "half", "f16"}},
    Row{DataType::BFloat16, "bf16", 16, {"bfloat16"}},
    Row{DataType::Float8, "fp8", 8, {"float8", "f8_e4m3", "f8_e5m2", "float8_e4m3fn", "float8_e5m2"}},
    Row{DataType::Float4, "fp4", 4, {"float4", "f4"}},
    Row{DataType::Int64, "int64", 64, {"i64", "long"}},
    Row{DataType::Int32, "int32", 32, {"i32", "int"}},
    Row{DataType::Int16, "int16", 16, {"i16", "short"}},
    Row{DataType::Int8, "int8", 8, {"i8"}},
    Row{DataType::Int4, "int4", 4, {"i4"}},
    Row{DataType::Int2, "int2", 2, {"i2"}},
    Row{DataType::UInt64, "uint64", 64, {"u64"}},
    Row{DataType::UInt32, "uint32", 32, {"u32"}},
    Row{DataType::UInt16, "uint16", 16, {"u16"}},
    Row{DataType::UInt8, "uint8", 8, {"u8"}},
    Row{DataType::UInt4, "uint4", 4, {"u4"}},
    Row{DataType::UInt2, "uint2", 2, {"u2"}},
    Row{DataType::Bool, "bool", 8, {}},
    Row{DataType::Complex64, "complex64", 64, {}},
    Row{DataType::Complex128, "complex128", 128, {}},
    Row{DataType::String, "string", 0, {}},
};

const Row& row_of(DataType type) { return *std::ranges::find(kTypes, type, &Row::type); }

}  // namespace

std::optional<int> bits_of(DataType type) {
  const int bits = row_of(type).bits;
  return bits == 0 ? std::nullopt : std::optional(bits);
}

const char* to_string(DataType type) { return row_of(type).name; }

std::optional<DataType> data_type(std::string_view word) {
  std::string small(word);
  std::ranges::transform(small, small.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const Row& row : kTypes) {
    if (row.type == DataType::Unknown) continue;
    const auto is_word = [&small](const char* name) { return name != nullptr && small == name; };
    if (is_word(row.name) || std::ranges::any_of(row.other_names, is_word)) return row.type;
  }
  return std::nullopt;
}

std::optional<double> TensorType::elements() const {
  if (!shape) return std::nullopt;
  double product = 1;
  for (std::int64_t extent : *shape) product *= static_cast<double>(extent);
  return product;
}

std::optional<double> TensorType::bytes() const {
  const std::optional<int> bits = bits_of(type);
  const std::optional<double> count = elements();
  if (!bits || !count) return std::nullopt;
  return std::ceil(*count * *bits / 8);
}

std::string to_string(const TensorType& tensor) {
  if (!tensor.shape) return fmt::format("{}[?]", to_string(tensor.type));
  return fmt::format("{}[{}]", to_string(tensor.type), fmt::join(*tensor.shape, ","));
}

std::optional<TensorType> tensor_type(std::string_view text) {
  const std::size_t bracket = text.find('[');
  if (bracket == std::string_view::npos || text.back() != ']') return std::nullopt;
  TensorType tensor;
  const std::string_view word = text.substr(0, bracket);
  if (const std::optional<DataType> type = data_type(word)) {
    tensor.type = *type;
  } else if (word != to_string(DataType::Unknown)) {
    return std::nullopt;
  }
  std::string_view extents = text.substr(bracket + 1, text.size() - bracket - 2);
  if (extents == "?") return tensor;
  tensor.shape.emplace();
  while (!extents.empty()) {
    std::int64_t extent = 0;
    const char* end = extents.data() + extents.size();
    const auto [rest, error] = std::from_chars(extents.data(), end, extent);
    if (error != std::errc() || (rest != end && (*rest != ',' || rest + 1 == end))) return std::nullopt;
    tensor.shape->push_back(extent);
    extents.remove_prefix(static_cast<std::size_t>(std::min(rest + 1, end) - extents.data()));
  }
  return tensor;
}

}  // namespace partita
