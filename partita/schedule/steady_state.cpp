// SPDX-License-Identifier: Apache-2.0
#include "partita/schedule/steady_state.h"

#include <algorithm>
#include <cmath>

namespace partita::detail {
namespace {

// Relative: the same sums in another order.
constexpr double kRoundingOfPeriods = 1e-9;

}  // namespace

std::optional<double> steady_time(const std::vector<double>& ends, std::size_t burst, std::size_t longest,
                                  double slack) {
  const std::size_t count = ends.size();
  for (std::size_t period = 1; period <= longest; ++period) {
    const std::size_t window = std::max({count / 4, 2 * period + 2, burst + period + 1});
    if (window > count) return std::nullopt;
    const double advance = ends[count - 1] - ends[count - 1 - period];
    const double most =
        slack + kRoundingOfPeriods * std::abs(advance) + 1e-3 * kRoundingOfPeriods * std::abs(ends[count - 1]);
    bool repeats = true;
    for (std::size_t n = count - window; n + period < count && repeats; ++n)
      repeats = std::abs(ends[n + period] - ends[n] - advance) <= most;
    if (!repeats) continue;
    // Over as many periods as the window holds, so that rounding weighs less.
    const std::size_t whole = (window - 1) / period * period;
    return (ends[count - 1] - ends[count - 1 - whole]) / static_cast<double>(whole);
  }
  return std::nullopt;
}

}  // namespace partita::detail
