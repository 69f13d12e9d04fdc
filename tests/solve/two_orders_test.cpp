// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/two_orders.h"

#include <gtest/gtest.h>

#include "partita/solve/staged/linear.h"
#include "partita/solve/staged/orders.h"
#include "tests/solve/legal_split.h"
#include "tests/support/stage_cases.h"

namespace partita::detail::test {
namespace {

Sides random_sides(const StageGraph& graph, Rng& rng) {
  Sides sides(graph.size(), 0);
  for (GroupId v : graph.all()) sides[v] = static_cast<char>(rng() % 2);
  return sides;
}

// Intervals of one order are differences of pairs of prefixes too, so two orders are never worse than one.
TEST(TwoOrders, GivesLegalSplitsNoWorseThanOneOrderAndNoBetterThanTheOptimum) {
  std::size_t found = 0, better = 0;
  for_each_stage_case(1000, 9, [&](std::uint64_t seed, const StageCase& one) {
    Rng rng(seed);
    Budget budget;
    const std::vector<GroupId> order = order_to_try(one.graph, static_cast<int>(seed % 7), rng);
    const Sides sides = random_sides(one.graph, rng);
    const auto line = linear_split(one.graph, one.platform, order, {}, budget);
    const auto split = split_two_orders(one.graph, one.platform, order, sides, {}, budget);
    if (line) {
      ASSERT_TRUE(split);
      EXPECT_LE(split->value, line->value * (1 + 1e-12));
    }
    if (!split) return;
    ++found;
    better += line && split->value < line->value * (1 - 1e-9);
    expect_legal(one.graph, one.platform, *split);
    EXPECT_GE(split->value, least_value(one.graph, one.platform) * (1 - 1e-12));
  });
  EXPECT_GT(found, 0u);
  EXPECT_GT(better, 0u);
}

TEST(TwoOrders, WithEverythingOnOneSideItIsOneOrder) {
  for_each_stage_case(500, 12, [&](std::uint64_t, const StageCase& one) {
    Budget budget;
    const std::vector<GroupId> order = file_order(one.graph);
    const auto line = linear_split(one.graph, one.platform, order, {}, budget);
    for (const char side : {'\0', '\1'}) {
      const auto split = split_two_orders(one.graph, one.platform, order, Sides(one.graph.size(), side), {}, budget);
      ASSERT_EQ(split.has_value(), line.has_value());
      if (split) {
        EXPECT_NEAR(split->value, line->value, 1e-9 * (1 + line->value));
      }
    }
  });
}

TEST(TwoOrders, FewCutsGiveLegalSplitsToo) {
  std::size_t found = 0;
  for_each_stage_case(1000, 20, [&](std::uint64_t seed, const StageCase& one) {
    Rng rng(seed);
    Budget budget;
    const auto split = split_two_orders(one.graph, one.platform, file_order(one.graph), random_sides(one.graph, rng),
                                        {.cuts = 2 + seed % 6}, budget);
    if (!split) return;
    ++found;
    expect_legal(one.graph, one.platform, *split);
    EXPECT_FALSE(split_two_orders(one.graph, one.platform, file_order(one.graph), random_sides(one.graph, rng),
                                  {.below = 0, .cuts = 2 + seed % 6}, budget));
  });
  EXPECT_GT(found, 0u);
}

// Two chains of equal work, four groups each, on two devices: three quarters of the one and a quarter of the other is
// what an order of the file cannot cut.
TEST(TwoOrders, TakesSomeOfEitherTower) {
  IdVector<GroupId, Group> groups;
  for (const double time : {6, 1, 1, 1, 3, 3, 3, 2}) groups.push_back({time, 1e6, 0, true, false});
  std::vector<std::pair<GroupId, GroupId>> precedence;
  for (std::size_t v : {0, 1, 2, 4, 5, 6}) precedence.emplace_back(GroupId(v), GroupId(v + 1));
  const StageGraph graph(groups, precedence, {});
  const StagePlatform platform{2, 0, 1e9, 0};
  const Sides sides = spine_and_floaters(graph, 0.3, 2);
  for (std::size_t v = 0; v < 8; ++v) EXPECT_EQ(sides[GroupId(v)], v < 4 ? 1 : 0) << v;
  Budget budget;
  const auto line = linear_split(graph, platform, file_order(graph), {}, budget);
  const auto split = split_two_orders(graph, platform, file_order(graph), sides, {}, budget);
  ASSERT_TRUE(line && split);
  EXPECT_EQ(line->value, 11);
  EXPECT_EQ(split->value, 10);
}

TEST(TwoOrders, GivesNothingWhenTheBudgetIsSpent) {
  const StageCase one = random_stage_case(1);
  Budget budget(Budget::Limits{.ticks = 0});
  EXPECT_FALSE(
      split_two_orders(one.graph, one.platform, file_order(one.graph), Sides(one.graph.size(), 0), {}, budget));
}

TEST(TwoOrders, AGraphWithoutGroupsHasASplitWithoutStages) {
  Budget budget;
  const StageGraph graph;
  EXPECT_EQ(spine_and_floaters(graph, 0.3, 2).size(), 0u);
  const auto split = split_two_orders(graph, {1, 0, 1, 0}, {}, {}, {}, budget);
  ASSERT_TRUE(split);
  EXPECT_TRUE(split->stages.empty());
}

}  // namespace
}  // namespace partita::detail::test
