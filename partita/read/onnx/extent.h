// SPDX-License-Identifier: Apache-2.0
// Arithmetic of extents, the numbers that shapes are made of. An extent may be unknown, and a sum or product with an
// unknown one is unknown, as is one that leaves the range of numbers: files can say anything.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace partita::detail::onnx {

inline constexpr std::int64_t kUnknownExtent = -1;

// None: not even how many axes there are. Entries may be kUnknownExtent.
using Shape = std::optional<std::vector<std::int64_t>>;

// More axes than any operator knows what to do with; shapes with more count as unknown.
inline constexpr std::size_t kMostAxes = 64;

inline bool is_known(std::int64_t extent) { return extent >= 0; }

inline std::int64_t times(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (!is_known(a) || !is_known(b) || __builtin_mul_overflow(a, b, &product)) return kUnknownExtent;
  return product;
}

inline std::int64_t plus(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!is_known(a) || !is_known(b) || __builtin_add_overflow(a, b, &sum)) return kUnknownExtent;
  return sum;
}

inline std::int64_t over(std::int64_t a, std::int64_t b) { return is_known(a) && b > 0 ? a / b : kUnknownExtent; }

inline bool is_known(const Shape& shape) {
  return shape && std::ranges::all_of(*shape, [](std::int64_t extent) { return is_known(extent); });
}

// The product of the extents from `first` up to `last`.
inline std::int64_t product(const std::vector<std::int64_t>& shape, std::size_t first, std::size_t last) {
  std::int64_t result = 1;
  for (std::size_t i = first; i < last; ++i) result = times(result, shape[i]);
  return result;
}

inline std::int64_t elements(const Shape& shape) { return shape ? product(*shape, 0, shape->size()) : kUnknownExtent; }

// Axes count from the end where they are negative. None: there is no such axis.
inline std::optional<std::size_t> axis_of(std::int64_t axis, std::size_t rank) {
  const auto count = static_cast<std::int64_t>(rank);
  if (axis < -count || axis >= count) return std::nullopt;
  return static_cast<std::size_t>(axis < 0 ? axis + count : axis);
}

// What two operands that are stretched along axes of extent 1 make together.
inline Shape broadcast(const Shape& a, const Shape& b) {
  if (!a || !b) return std::nullopt;
  const std::vector<std::int64_t>& longer = a->size() >= b->size() ? *a : *b;
  const std::vector<std::int64_t>& shorter = a->size() >= b->size() ? *b : *a;
  std::vector<std::int64_t> result = longer;
  const std::size_t offset = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    std::int64_t& extent = result[offset + i];
    if (extent == shorter[i] || shorter[i] == 1) continue;
    if (extent == 1) {
      extent = shorter[i];
    } else if (!is_known(extent)) {
      extent = shorter[i];  // known and not 1: the other is 1 or the same
    } else if (is_known(shorter[i])) {
      extent = kUnknownExtent;  // they do not fit
    }
  }
  return result;
}

}  // namespace partita::detail::onnx
