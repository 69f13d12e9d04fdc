// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/anneal.h"

#include <gtest/gtest.h>

#include "partita/solve/staged/linear.h"
#include "tests/solve/legal_split.h"
#include "tests/support/cases.h"
#include "tests/support/stage_graphs.h"

namespace partita::detail::test {
namespace {

TEST(Anneal, GivesOnlyLegalSplitsThatAreBetter) {
  std::size_t better = 0;
  for (std::uint64_t seed = 1; seed <= cases(1000); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    StageCase one = random_stage_case(seed, 9);
    const Budget unlimited;
    const auto start = linear_split(one.graph, one.platform, file_order(one.graph), {}, unlimited);
    if (!start) continue;
    Rng rng(seed);
    Budget budget;
    AnnealOptions options;
    options.moves = 2000;
    options.hot = 0.1;
    const auto found = anneal(one.graph, one.platform, *start, options, rng, budget);
    if (!found) continue;
    ++better;
    EXPECT_LT(found->value, start->value);
    EXPECT_GE(found->value, least_value(one.graph, one.platform) * (1 - 1e-12));
    expect_legal(one.graph, one.platform, *found);
  }
  EXPECT_GT(better, 0u);
}

// Memory in fractions that are not exact in binary, so that sums drift: still no device is overfull.
TEST(Anneal, KeepsToMemoryLimits) {
  std::size_t better = 0;
  for (std::uint64_t seed = 1; seed <= cases(60); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed);
    IdVector<GroupId, Group> groups;
    for (int v = 0; v < 24; ++v)
      groups.push_back({static_cast<double>(rng() % 10), 1e6, 0.1 * static_cast<double>(1 + rng() % 7), true, true});
    const StageGraph graph(groups, {}, {});
    const StagePlatform platform{4, 0, graph.total_memory() / 4 * 1.15, 0};
    Budget budget;
    const auto start = linear_split(graph, platform, file_order(graph), {}, budget);
    if (!start) continue;
    AnnealOptions options;
    options.moves = 20'000;
    const auto found = anneal(graph, platform, *start, options, rng, budget);
    if (!found) continue;
    ++better;
    for (const Stage& stage : found->stages) {
      double memory = 0;
      for (GroupId v : stage.groups) memory += graph.group(v).memory;
      EXPECT_LE(memory, platform.accelerator_memory * (1 + 1e-12));
    }
  }
  EXPECT_GT(better, 0u);
}

TEST(Anneal, GivesNothingWhereNothingCanMoveOrCost) {
  Rng rng(1);
  Budget budget;
  const StageGraph single(IdVector<GroupId, Group>(1, Group{1, 1, 0, true, true}), {}, {});
  EXPECT_FALSE(anneal(single, {1, 0, 1e9, 0}, {1, {{false, {GroupId(0)}}}}, {}, rng, budget));
  const StageGraph free(IdVector<GroupId, Group>(2), {}, {});
  EXPECT_FALSE(anneal(free, {1, 0, 1e9, 0}, {0, {{false, {GroupId(0), GroupId(1)}}}}, {}, rng, budget));
}

TEST(Anneal, StopsWithTheBudget) {
  const StageCase one = random_stage_case(4, 9);
  Budget budget(Budget::Limits{.ticks = 3000});
  const Budget unlimited;
  const auto start = linear_split(one.graph, one.platform, file_order(one.graph), {}, unlimited);
  ASSERT_TRUE(start);
  Rng rng(1);
  AnnealOptions options;
  options.moves = std::uint64_t{1} << 40;
  anneal(one.graph, one.platform, *start, options, rng, budget);
  EXPECT_LE(budget.ticks_used(), 6000u);
}

}  // namespace
}  // namespace partita::detail::test
