// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/gpipe_staged.h"

#include <gtest/gtest.h>

#include "tests/solve/legal_split.h"
#include "tests/support/cases.h"
#include "tests/support/pass_graphs.h"
#include "tests/support/stage_graphs.h"

namespace partita::detail::test {
namespace {

StagedOutcome solve(const PassCase& one, std::uint64_t ticks = Budget::Limits{}.ticks, std::uint64_t seed = 1) {
  Budget budget(Budget::Limits{.ticks = ticks});
  return solve_staged_gpipe(one.graphs, one.platform, {true, 0, seed}, budget, {});
}

void expect_honest(const PassCase& one, const StagedOutcome& outcome, double optimum, const std::string& where) {
  EXPECT_LE(outcome.bound, optimum * (1 + 1e-9) + 1e-12) << where;
  if (!outcome.split) return;
  const std::vector<Stage>& stages = outcome.split->stages;
  expect_legal(one.graphs.both, one.platform, {largest_load(one.graphs.both, stages), stages});
  EXPECT_NEAR(pass_value(one.graphs, stages).sum(), outcome.split->value, 1e-9 * (1 + outcome.split->value)) << where;
  EXPECT_GE(outcome.split->value, optimum * (1 - 1e-9) - 1e-12) << where;
}

TEST(GpipeStaged, IsExact) {
  for (std::uint64_t seed = 1; seed <= cases(1200); ++seed) {
    const PassCase one = random_pass_case(seed);
    const double optimum = least_gpipe_value(best_points(one.graphs, one.platform));
    const StagedOutcome outcome = solve(one);
    const std::string where = "seed " + std::to_string(seed);
    EXPECT_EQ(outcome.infeasible, optimum == kNoSplit) << where;
    EXPECT_EQ(outcome.split.has_value(), optimum < kNoSplit) << where;
    expect_honest(one, outcome, optimum, where);
    if (!outcome.split) continue;
    EXPECT_NEAR(outcome.split->value, optimum, 1e-7 * optimum) << where;
    EXPECT_GE(outcome.bound, optimum * (1 - 1e-7)) << where;
  }
}

TEST(GpipeStaged, IsHonestWhereverItStops) {
  for (std::uint64_t seed = 1; seed <= cases(300); ++seed) {
    const PassCase one = random_pass_case(seed, 8);
    const double optimum = least_gpipe_value(best_points(one.graphs, one.platform));
    for (const std::uint64_t ticks : {0, 1, 100, 1000, 5000, 20000})
      expect_honest(one, solve(one, ticks), optimum, "seed " + std::to_string(seed));
  }
}

TEST(GpipeStaged, TheSameSeedAndTicksGiveTheSameAnswer) {
  for (std::uint64_t seed = 1; seed <= cases(20); ++seed) {
    const PassCase one = random_pass_case(seed, 14);
    const StagedOutcome first = solve(one, 200'000, seed), second = solve(one, 200'000, seed);
    ASSERT_EQ(first.split.has_value(), second.split.has_value());
    EXPECT_EQ(first.bound, second.bound);
    if (first.split) {
      EXPECT_EQ(first.split->value, second.split->value);
    }
  }
}

TEST(GpipeStaged, TradesOnePassForTheOther) {
  // Three groups in a row on two accelerators.
  const auto graph = [](std::vector<double> times) {
    IdVector<GroupId, Group> groups;
    for (const double time : times) groups.push_back({time, 0, 0, true, false});
    return StageGraph(std::move(groups), {{GroupId(0), GroupId(1)}, {GroupId(1), GroupId(2)}}, {});
  };
  const PassCase one{{graph({4, 7, 6}), {graph({0, 5, 1}), graph({4, 2, 5})}}, {2, 0, 0, 0}};
  const StagedOutcome outcome = solve(one);
  ASSERT_TRUE(outcome.split);
  // {0, 1} {2}: forward 5, backward 6 = 11; {0} {1, 2}: forward 6, backward 7 = 13; all on one: 6 + 11.
  EXPECT_DOUBLE_EQ(outcome.split->value, 11);
  EXPECT_NEAR(outcome.bound, 11, 1e-6);
}

}  // namespace
}  // namespace partita::detail::test
