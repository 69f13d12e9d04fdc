// SPDX-License-Identifier: Apache-2.0
// Does a stream repeat itself, and in what time?
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace partita::detail {

inline constexpr std::size_t kLongestPeriod = 64;

// The smallest period of at most `longest` ends after which the last of `ends` come again, later by a fixed time, and
// that time divided by the period. At least the last quarter, two periods, and one period and `burst` more must agree,
// up to rounding and `slack`: where samples are let in by those that leave, they may come in bursts of that many, and a part of a
// burst is no steady state. Nothing where they do not agree, or where there are too few ends to say so. O(ends *
// longest).
std::optional<double> steady_time(const std::vector<double>& ends, std::size_t burst = 0,
                                  std::size_t longest = kLongestPeriod, double slack = 0);

}  // namespace partita::detail
