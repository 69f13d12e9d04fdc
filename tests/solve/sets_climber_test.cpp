// SPDX-License-Identifier: Apache-2.0
// Bounds by the configuration LP on shrunk and presolved graphs, against all chains of ideals.
#include <gtest/gtest.h>

#include "partita/solve/staged/sets_climber.h"
#include "tests/support/cases.h"
#include "tests/support/stage_graphs.h"

namespace partita::detail::test {
namespace {

// Climbs below `value` for a while; returns the highest limit that was refuted.
double climb_below(const StageCase& one, double value) {
  constexpr std::uint64_t kTicksOfATurn = 200'000;
  constexpr int kTurns = 30;
  SetsClimber climber(one.platform, {}, {});
  Budget budget;
  double bound = 0;
  for (int turn = 0; turn < kTurns && !climber.finished(value, bound) && bound < value * (1 - 1e-6); ++turn)
    bound = std::max(bound, climber.climb(one.graph, value, bound, kTicksOfATurn, budget));
  return bound;
}

TEST(SetsClimber, RefutesNoLimitThatASplitIsWithin) {
  std::size_t tried = 0, proved = 0;
  for (std::uint64_t seed = 1; seed <= cases(200); ++seed) {
    const StageCase one = seed % 2 ? sums_stage_case(seed) : random_stage_case(seed);
    const double best = least_value(one.graph, one.platform);
    if (best == kNoSplit || best <= 0) continue;
    SCOPED_TRACE("seed " + std::to_string(seed));
    // A value above the optimum: then limits that splits are within are asked, too.
    for (const double value : {best, best * 1.01, best * 1.5}) {
      const double bound = climb_below(one, value);
      ASSERT_LT(bound, best);
      if (value == best) proved += bound >= best * (1 - 1e-6);
    }
    ++tried;
  }
  EXPECT_GT(proved * 2, tried);
}

TEST(SetsClimber, IsTheSameForTheSameTicks) {
  const StageCase one = random_stage_case(11);
  const double best = least_value(one.graph, one.platform);
  ASSERT_LT(best, kNoSplit);
  EXPECT_EQ(climb_below(one, best * 1.2), climb_below(one, best * 1.2));
}

}  // namespace
}  // namespace partita::detail::test
