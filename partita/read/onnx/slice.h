// SPDX-License-Identifier: Apache-2.0
// What a Slice node takes along each axis that it cuts.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "partita/read/onnx/inference.h"

namespace partita::detail::onnx {

struct AxisSlice {
  std::size_t axis = 0;
  std::int64_t start = 0, step = 1;
  std::int64_t count = kUnknownExtent;
};

// None where starts, ends, axes or steps are unknown or do not fit.
std::optional<std::vector<AxisSlice>> slices_of(const Inference& node);

}  // namespace partita::detail::onnx
