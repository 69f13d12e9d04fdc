// SPDX-License-Identifier: Apache-2.0
// How often the bodies of If, Loop and Scan run, where that is known.
#pragma once

#include "partita/read/onnx/inference.h"

namespace partita::detail::onnx {

// Which of an If's bodies runs, where its condition is a constant.
std::optional<std::size_t> taken_branch(const Inference& node);

// At most so many turns of a Loop; as many turns of a Scan.
std::optional<std::int64_t> trip_count(const Inference& node);

// Does a Loop's condition never end it?
bool stops_only_by_count(const Inference& node);

}  // namespace partita::detail::onnx
