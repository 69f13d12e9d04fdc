// SPDX-License-Identifier: Apache-2.0
#include "partita/read/onnx/constant.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "partita/read/onnx/extent.h"

namespace partita::detail::onnx {

namespace {

double half(std::uint64_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 0x1f);
  const double fraction = static_cast<double>(bits & 0x3ff);
  const double size = exponent == 0    ? std::ldexp(fraction, -24)
                      : exponent == 31 ? (fraction == 0 ? HUGE_VAL : std::nan(""))
                                       : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

double real_from(std::uint64_t bits, DataType type) {
  switch (type) {
    case DataType::Float64: return std::bit_cast<double>(bits);
    case DataType::Float16: return half(bits);
    case DataType::BFloat16: return std::bit_cast<float>(static_cast<std::uint32_t>(bits << 16));
    default: return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  }
}

std::int64_t integer_from(std::uint64_t bits, DataType type) {
  switch (type) {
    case DataType::Int8: return static_cast<std::int8_t>(bits);
    case DataType::Int16: return static_cast<std::int16_t>(bits);
    case DataType::Int32: return static_cast<std::int32_t>(bits);
    case DataType::UInt8: return static_cast<std::uint8_t>(bits);
    case DataType::UInt16: return static_cast<std::uint16_t>(bits);
    case DataType::UInt32: return static_cast<std::uint32_t>(bits);
    case DataType::Bool: return bits != 0;
    default: return static_cast<std::int64_t>(bits);
  }
}

bool has_whole_bytes(DataType type) {
  const std::optional<int> bits = bits_of(type);
  return bits && *bits >= 8 && *bits <= 64 && type != DataType::Float8 && type != DataType::Complex64;
}

void add(Constant& constant, std::uint64_t bits) {
  if (is_real(constant.type)) {
    constant.reals.push_back(real_from(bits, constant.type));
  } else {
    constant.integers.push_back(integer_from(bits, constant.type));
  }
}

void add_raw(Constant& constant, Bytes bytes) {
  const std::size_t width = static_cast<std::size_t>(*bits_of(constant.type)) / 8;
  for (std::size_t at = 0; at + width <= bytes.size(); at += width) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < width; ++i) bits |= static_cast<std::uint64_t>(bytes[at + i]) << (8 * i);
    add(constant, bits);
  }
}

// Of one field of numbers: float_data and double_data have the element's bits, all others varints.
void add_field(Constant& constant, const WireFile& file, ByteRange range) {
  WireReader reader(file, range, "a tensor");
  reader.next();
  const WireField& field = reader.field();
  if (field.type != WireType::Length) {
    add(constant, field.value);
  } else if (field.number == 4 || field.number == 10) {
    add_raw(constant, file.bytes.subspan(field.payload.begin, field.payload.size()));
  } else {
    for (std::size_t at = field.payload.begin; at != field.payload.end;) {
      add(constant, read_varint(file, at, field.payload.end));
    }
  }
}

}  // namespace

bool is_real(DataType type) {
  using enum DataType;
  return type == Float64 || type == Float32 || type == TFloat32 || type == Float16 || type == BFloat16 ||
         type == Float8 || type == Float4;
}

bool is_integer(DataType type) {
  using enum DataType;
  return !is_real(type) && type != Unknown && type != String && type != Complex64 && type != Complex128;
}

bool Constant::all_known() const {
  const auto known = [](const auto& element) { return element.has_value(); };
  return std::ranges::all_of(integers, known) && std::ranges::all_of(reals, known);
}

ConstantPointer elements_of(const WireFile& file, const TensorView& tensor) {
  const std::int64_t count = elements(tensor.dims);
  if (tensor.external || !is_known(count) || count > kMostFolded || !has_whole_bytes(tensor.type)) return nullptr;
  auto constant = std::make_shared<Constant>();
  constant->type = tensor.type;
  constant->shape = tensor.dims;
  if (tensor.raw) {
    if (tensor.raw->size() > static_cast<std::size_t>(8 * kMostFolded)) return nullptr;
    add_raw(*constant, file.bytes.subspan(tensor.raw->begin, tensor.raw->size()));
  } else {
    for (const ByteRange& field : tensor.numbers) {
      if (constant->size() > static_cast<std::size_t>(count)) return nullptr;
      add_field(*constant, file, field);
    }
  }
  return constant->size() == static_cast<std::size_t>(count) ? constant : nullptr;
}

ConstantPointer integer_constant(std::vector<std::int64_t> numbers, bool scalar) {
  auto constant = std::make_shared<Constant>();
  constant->type = DataType::Int64;
  if (!scalar) constant->shape.push_back(static_cast<std::int64_t>(numbers.size()));
  constant->integers.assign(numbers.begin(), numbers.end());
  return constant;
}

ConstantPointer real_constant(const std::vector<float>& numbers, bool scalar) {
  auto constant = std::make_shared<Constant>();
  constant->type = DataType::Float32;
  if (!scalar) constant->shape.push_back(static_cast<std::int64_t>(numbers.size()));
  constant->reals.assign(numbers.begin(), numbers.end());
  return constant;
}

}  // namespace partita::detail::onnx
