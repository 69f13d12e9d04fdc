// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/staged.h"

#include <gtest/gtest.h>

#include "tests/support/cases.h"
#include "tests/support/stage_graphs.h"

namespace partita::detail::test {
namespace {

TEST(Staged, FindsAndProvesTheOptimum) {
  for (std::uint64_t seed = 1; seed <= cases(4000); ++seed) {
    const StageCase one = seed % 4 ? random_stage_case(seed) : sums_stage_case(seed);
    const double best = least_value(one.graph, one.platform);
    Budget budget;
    const StagedOutcome outcome = solve_staged(one.graph, one.platform, {}, budget, {});
    EXPECT_EQ(outcome.infeasible, best == kNoSplit) << "seed " << seed;
    ASSERT_EQ(outcome.split.has_value(), best != kNoSplit) << "seed " << seed;
    if (!outcome.split) continue;
    EXPECT_NEAR(outcome.split->value, best, 1e-8 * (1 + best)) << "seed " << seed;
    EXPECT_LE(outcome.bound, best * (1 + 1e-12)) << "seed " << seed;
    EXPECT_GE(outcome.bound, best * (1 - 1e-8)) << "seed " << seed;
  }
}

TEST(Staged, BoundsAndValuesHoldWhereverItStops) {
  for (std::uint64_t seed = 1; seed <= cases(4000); ++seed) {
    const StageCase one = random_stage_case(seed);
    const double best = least_value(one.graph, one.platform);
    if (best == kNoSplit) continue;
    Budget budget(Budget::Limits{.ticks = seed % 300});
    const StagedOutcome outcome = solve_staged(one.graph, one.platform, {.search = seed % 3 != 0}, budget, {});
    EXPECT_FALSE(outcome.infeasible) << "seed " << seed;
    EXPECT_LE(outcome.bound, best * (1 + 1e-12)) << "seed " << seed;
    if (outcome.split) {
      EXPECT_GE(outcome.split->value, best * (1 - 1e-12)) << "seed " << seed;
    }
  }
}

TEST(Staged, TheSameSeedAndTicksGiveTheSameAnswer) {
  const StageCase one = random_stage_case(11, 20);
  const auto run = [&] {
    Budget budget(Budget::Limits{.ticks = 5000});
    return solve_staged(one.graph, one.platform, {}, budget, {});
  };
  const StagedOutcome first = run(), second = run();
  EXPECT_EQ(first.bound, second.bound);
  ASSERT_EQ(first.split.has_value(), second.split.has_value());
  if (first.split) {
    EXPECT_EQ(first.split->value, second.split->value);
  }
}

}  // namespace
}  // namespace partita::detail::test
