// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/coarse_splits.h"

#include <gtest/gtest.h>

#include "partita/solve/staged/linear.h"
#include "tests/solve/legal_split.h"
#include "tests/support/stage_cases.h"

namespace partita::detail::test {
namespace {

constexpr std::uint64_t kTicks = 100'000;

// Layers of equal branches between hubs, each branch a chain that is dear to cut.
StageGraph layers_of_branches(int layers, int branches, int length) {
  IdVector<GroupId, Group> groups(1, Group{0.1, 100, 0, true, true});
  std::vector<std::pair<GroupId, GroupId>> precedence;
  std::vector<Net> nets;
  const auto edge = [&](GroupId u, GroupId v, double cost) {
    precedence.emplace_back(u, v);
    nets.push_back({cost, {u, v}});
  };
  const auto add = [&] {
    groups.push_back({0.1, 100, 0, true, true});
    return GroupId(groups.size() - 1);
  };
  for (int layer = 0; layer < layers; ++layer) {
    const GroupId from(groups.size() - 1);
    std::vector<GroupId> ends;
    for (int branch = 0; branch < branches; ++branch) {
      GroupId last = from;
      for (int i = 0; i < length; ++i) {
        const GroupId next = add();
        edge(last, next, i == 0 ? 0.05 : 0.5);
        last = next;
      }
      ends.push_back(last);
    }
    const GroupId to = add();
    for (GroupId end : ends) edge(end, to, 0.05);
  }
  return StageGraph(std::move(groups), precedence, std::move(nets));
}

TEST(CoarseSplits, AreLegalAndBetterThanAsked) {
  std::size_t found = 0;
  for_each_stage_case(200, 60, [&](std::uint64_t seed, const StageCase& one) {
    Rng rng(seed);
    Budget budget;
    const auto first = linear_split(one.graph, one.platform, file_order(one.graph), {}, budget);
    if (!first) return;
    Budget turn(budget, kTicks);
    const auto split = split_coarsely(one.graph, one.platform, first->value, rng, turn);
    if (!split) return;
    ++found;
    EXPECT_LT(split->value, first->value);
    expect_legal(one.graph, one.platform, *split);
  });
  EXPECT_GT(found, 0u);
}

TEST(CoarseSplits, FindNothingBelowTheOptimum) {
  const StageGraph graph = layers_of_branches(3, 4, 5);
  const double least = graph.total_accelerator_time() / 4;
  Rng rng(1);
  Budget turn(Budget::Limits{.ticks = kTicks});
  EXPECT_FALSE(split_coarsely(graph, {4, 0, 1, 0}, least, rng, turn));
}

TEST(CoarseSplits, HoldWholeBranches) {
  const StageGraph graph = layers_of_branches(3, 4, 5);
  const StagePlatform platform{4, 0, 1, 0};
  Rng rng(1);
  Budget budget;
  const auto line = linear_split(graph, platform, depth_first_order(graph), {}, budget);
  ASSERT_TRUE(line);
  Budget turn(budget, 5 * kTicks);
  const auto split = split_coarsely(graph, platform, line->value * 1.0001, rng, turn);
  ASSERT_TRUE(split);
  expect_legal(graph, platform, *split);
}

TEST(CoarseSplits, AreTheSameFromTheSameChances) {
  const StageGraph graph = layers_of_branches(4, 3, 6);
  std::vector<double> values;
  for (int run = 0; run < 2; ++run) {
    Rng rng(7);
    Budget turn(Budget::Limits{.ticks = kTicks});
    const auto split = split_coarsely(graph, {3, 1, 1, 1}, 1e9, rng, turn);
    ASSERT_TRUE(split);
    values.push_back(split->value);
  }
  EXPECT_EQ(values[0], values[1]);
}

TEST(CoarseSplits, LeaveSmallGraphsToOthers) {
  for_each_stage_case(50, 9, [&](std::uint64_t seed, const StageCase& one) {
    Rng rng(seed);
    Budget turn(Budget::Limits{.ticks = kTicks});
    EXPECT_FALSE(split_coarsely(one.graph, one.platform, 1e9, rng, turn));
    EXPECT_EQ(turn.ticks_used(), 0u);
  });
}

}  // namespace
}  // namespace partita::detail::test
