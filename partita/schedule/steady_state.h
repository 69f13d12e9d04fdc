// SPDX-License-Identifier: Apache-2.0
// Does a stream repeat itself, and in what time?
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace partita {

// The smallest period of at most `longest` ends after which the last of `ends` come again, later by a fixed time, and
// that time divided by the period. At least the last quarter and two periods must agree, up to rounding. Nothing where
// they do not, or where there are too few ends to say so. O(ends * longest).
std::optional<double> steady_time(const std::vector<double>& ends, std::size_t longest = 64);

}  // namespace partita
