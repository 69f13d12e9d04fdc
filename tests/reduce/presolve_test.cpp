// SPDX-License-Identifier: Apache-2.0
// Every presolve rule keeps the optimum: on random graphs, brute force before and after.
#include "partita/reduce/presolve.h"

#include <gtest/gtest.h>

#include "tests/support/cases.h"
#include "tests/support/stage_graphs.h"

namespace partita::detail::test {
namespace {

PresolveSettings only(bool PresolveSettings::*rule) {
  PresolveSettings options;
  options.cheap_neighbour = options.unaffordable_pair = options.unaffordable_cut = options.windows = false;
  options.*rule = true;
  return options;
}

// Returns how many groups were removed in all, so that a rule that never fires is noticed.
std::size_t expect_optimum_kept(const PresolveSettings& options) {
  std::size_t removed = 0;
  for (std::uint64_t seed = 1; seed <= cases(2000); ++seed) {
    const StageCase one = random_stage_case(seed);
    const double best = least_value(one.graph, one.platform);
    if (best == kNoSplit) continue;
    const Budget budget;
    const Presolved small = presolve(one.graph, {one.platform, best * (1 + 1e-9) + 1e-9}, options, budget);
    EXPECT_FALSE(small.infeasible) << "seed " << seed;
    EXPECT_NEAR(least_value(small.graph, one.platform), best, 1e-6) << "seed " << seed;
    removed += one.graph.size() - small.graph.size();
  }
  return removed;
}

TEST(Presolve, CheapNeighbourKeepsTheOptimum) {
  EXPECT_GT(expect_optimum_kept(only(&PresolveSettings::cheap_neighbour)), 0u);
}
TEST(Presolve, UnaffordablePairKeepsTheOptimum) {
  EXPECT_GT(expect_optimum_kept(only(&PresolveSettings::unaffordable_pair)), 0u);
}
TEST(Presolve, UnaffordableCutKeepsTheOptimum) {
  EXPECT_GT(expect_optimum_kept(only(&PresolveSettings::unaffordable_cut)), 0u);
}
TEST(Presolve, WindowsKeepTheOptimum) { EXPECT_GT(expect_optimum_kept(only(&PresolveSettings::windows)), 0u); }
TEST(Presolve, AllRulesTogetherKeepTheOptimum) { EXPECT_GT(expect_optimum_kept({}), 0u); }

TEST(Presolve, LiftNamesTheGroupThatEachGroupWentInto) {
  const StageCase one = random_stage_case(7);
  const Budget budget;
  const Presolved small = presolve(one.graph, {one.platform, 5}, {}, budget);
  ASSERT_EQ(small.lift.size(), one.graph.size());
  double time = 0;
  for (GroupId v : one.graph.all()) {
    ASSERT_LT(small.lift[v].index(), small.graph.size());
    time += one.graph.accelerator_time(v);
  }
  EXPECT_DOUBLE_EQ(small.graph.total_accelerator_time(), time);
}

}  // namespace
}  // namespace partita::detail::test
