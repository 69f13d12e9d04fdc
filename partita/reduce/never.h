// SPDX-License-Identifier: Apache-2.0
// The time of what cannot be done.
#pragma once

#include <limits>

namespace partita::detail {

// Sums with it stay it, and nothing is larger: what cannot be done is never the least.
inline constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace partita::detail
