// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/linear.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "partita/solve/staged/orders.h"
#include "tests/solve/legal_split.h"
#include "tests/support/cases.h"
#include "tests/support/stage_graphs.h"

namespace partita::detail::test {
namespace {

bool is_topological(const StageGraph& graph, const std::vector<GroupId>& order) {
  IdVector<GroupId, std::size_t> position(graph.size(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  for (GroupId v : graph.all()) {
    for (GroupId w : graph.successors(v)) {
      if (position[v] > position[w]) return false;
    }
  }
  return true;
}

// Every staged split is made of intervals of some topological order.
TEST(Linear, TheBestOverAllOrdersIsTheOptimum) {
  for (std::uint64_t seed = 1; seed <= cases(400); ++seed) {
    const StageCase one = random_stage_case(seed, 6);
    const double best = least_value(one.graph, one.platform);
    const Budget budget;
    std::vector<GroupId> order = file_order(one.graph);
    double found = kNoSplit;
    do {
      if (!is_topological(one.graph, order)) continue;
      const auto split = linear_split(one.graph, one.platform, order, {}, budget);
      if (split) found = std::min(found, split->value);
    } while (std::next_permutation(order.begin(), order.end()));
    if (best == kNoSplit) {
      EXPECT_EQ(found, kNoSplit) << "seed " << seed;
    } else {
      EXPECT_NEAR(found, best, 1e-9 * (1 + best)) << "seed " << seed;
    }
  }
}

TEST(Linear, GivesLegalSplitsOfTheValueItSays) {
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed <= cases(2000); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const StageCase one = random_stage_case(seed, 20);
    const Budget budget;
    const auto split = linear_split(one.graph, one.platform, file_order(one.graph), {.stride = 1 + seed % 4}, budget);
    if (!split) continue;
    ++found;
    expect_legal(one.graph, one.platform, *split);
  }
  EXPECT_GT(found, 0u);
}

TEST(Linear, StagesOfACoarsePassEndAtMultiplesOfTheStride) {
  const StageGraph graph(IdVector<GroupId, Group>(10, Group{1, 1, 0, true, true}), {}, {});
  const Budget budget;
  const auto split = linear_split(graph, {3, 0, 1e9, 0}, file_order(graph), {.stride = 4}, budget);
  ASSERT_TRUE(split);
  EXPECT_EQ(split->value, 4);
  ASSERT_EQ(split->stages.size(), 3u);
  EXPECT_EQ(split->stages[0].groups.size(), 4u);
  EXPECT_EQ(split->stages[2].groups.size(), 2u);
}

TEST(Linear, LooksOnlyBelowTheValueAskedFor) {
  for (std::uint64_t seed = 1; seed <= cases(500); ++seed) {
    const StageCase one = random_stage_case(seed, 12);
    const Budget budget;
    const auto order = file_order(one.graph);
    const auto best = linear_split(one.graph, one.platform, order, {}, budget);
    if (!best || best->value <= 0) continue;
    EXPECT_FALSE(linear_split(one.graph, one.platform, order, {.below = best->value * (1 - 1e-9)}, budget))
        << "seed " << seed;
    const auto again = linear_split(one.graph, one.platform, order, {.below = best->value * (1 + 1e-9)}, budget);
    ASSERT_TRUE(again) << "seed " << seed;
    EXPECT_NEAR(again->value, best->value, 1e-9 * best->value) << "seed " << seed;
  }
}

TEST(Linear, GivesNothingWhenTheBudgetIsSpent) {
  const StageCase one = random_stage_case(1);
  const Budget budget(Budget::Limits{.ticks = 0});
  EXPECT_FALSE(linear_split(one.graph, one.platform, file_order(one.graph), {}, budget));
}

TEST(Linear, AGraphWithoutGroupsHasASplitWithoutStages) {
  const Budget budget;
  const auto split = linear_split(StageGraph(), {1, 0, 1, 0}, {}, {}, budget);
  ASSERT_TRUE(split);
  EXPECT_TRUE(split->stages.empty());
  EXPECT_EQ(split->value, 0);
}

TEST(Orders, AreTopologicalAndWhole) {
  for (std::uint64_t seed = 1; seed <= cases(1000); ++seed) {
    const StageGraph graph = random_stage_case(seed, 25).graph;
    Rng rng(seed);
    for (std::vector<GroupId> order :
         {file_order(graph), depth_first_order(graph), late_order(graph), depth_first_order(graph, &rng),
          small_cut_order(graph, 0, rng), small_cut_order(graph, 1, rng), jittered_order(graph, 0, rng),
          jittered_order(graph, 8, rng)}) {
      EXPECT_TRUE(is_topological(graph, order)) << "seed " << seed;
      std::sort(order.begin(), order.end());
      EXPECT_EQ(order, file_order(graph)) << "seed " << seed;
    }
  }
}

TEST(Orders, TheSameSeedGivesTheSameOrder) {
  const StageGraph graph = random_stage_case(5, 25).graph;
  Rng one(9), two(9);
  EXPECT_EQ(jittered_order(graph, 10, one), jittered_order(graph, 10, two));
  EXPECT_EQ(small_cut_order(graph, 1, one), small_cut_order(graph, 1, two));
  EXPECT_EQ(depth_first_order(graph, &one), depth_first_order(graph, &two));
}

TEST(Orders, WithoutJitterTheFileOrderIsKept) {
  const StageGraph graph = random_stage_case(6, 25).graph;
  Rng rng(1);
  EXPECT_EQ(jittered_order(graph, 0, rng), file_order(graph));
}

}  // namespace
}  // namespace partita::detail::test
