// SPDX-License-Identifier: Apache-2.0
// Einstein's sums, "bhqd,bhkd->bhqk": what comes out, and how many products it takes.
#pragma once

#include <string_view>
#include <vector>

#include "partita/read/onnx/extent.h"

namespace partita::detail::onnx {

struct EinsteinSum {
  Shape shape;
  std::int64_t points = kUnknownExtent;  // the product of the extents of all letters: terms that are computed
  std::size_t operands = 0;
  bool sums = false;  // is there a letter that does not come out?
};

// None for an equation that does not fit its operands.
std::optional<EinsteinSum> einstein_sum(std::string_view equation, const std::vector<Shape>& operands);

}  // namespace partita::detail::onnx
