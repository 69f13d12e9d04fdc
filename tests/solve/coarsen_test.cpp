// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/coarsen.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "tests/support/stage_cases.h"

namespace partita::detail::test {
namespace {

constexpr double kAnyMemory = std::numeric_limits<double>::infinity();

TEST(Coarsen, SplitsOfTheCoarseGraphAreNoBetterThanTheOptimum) {
  std::size_t smaller = 0;
  for_each_stage_case(1000, 8, [&](std::uint64_t seed, const StageCase& one) {
    Rng rng(seed);
    Budget budget;
    const Contraction coarse = coarsen(one.graph, {.fewest = 3}, rng, budget);
    smaller += coarse.graph.size() < one.graph.size();
    EXPECT_GE(least_value(coarse.graph, one.platform), least_value(one.graph, one.platform) * (1 - 1e-12));
  });
  EXPECT_GT(smaller, 0u);
}

TEST(Coarsen, ClassesThatItMakesAreNoHeavierThanAsked) {
  std::size_t joined = 0;
  for_each_stage_case(2000, 12, [&](std::uint64_t seed, const StageCase& one) {
    Rng rng(seed);
    Budget budget;
    const double most_time = one.graph.total_accelerator_time() / static_cast<double>(1 + seed % 5);
    const double most_memory = seed % 2 == 0 ? one.graph.total_memory() / 2 : kAnyMemory;
    const Contraction coarse = coarsen(one.graph, {most_time, most_memory, 2}, rng, budget);
    IdVector<GroupId, int> members(coarse.graph.size(), 0);
    for (GroupId v : one.graph.all()) ++members[coarse.lift[v]];
    for (GroupId c : coarse.graph.all()) {
      ASSERT_GT(members[c], 0);
      if (members[c] == 1) continue;
      ++joined;
      EXPECT_LE(coarse.graph.accelerator_time(c), most_time * (1 + 1e-12));
      EXPECT_LE(coarse.graph.group(c).memory, most_memory);
      EXPECT_TRUE(coarse.graph.group(c).on_accelerator);
    }
  });
  EXPECT_GT(joined, 0u);
}

TEST(Coarsen, LeavesAboutAsManyGroupsAsAsked) {
  for_each_stage_case(500, 12, [&](std::uint64_t seed, const StageCase& one) {
    Rng rng(seed);
    Budget budget;
    const Contraction all = coarsen(one.graph, {.fewest = one.graph.size()}, rng, budget);
    EXPECT_EQ(all.graph.size(), one.graph.size());
    const Contraction none = coarsen(one.graph, {.most_time = -1}, rng, budget);
    EXPECT_EQ(none.graph.size(), one.graph.size());
  });
}

// A branch that is dear inside is one group at some size, whichever branch it is.
TEST(Coarsen, JoinsWhatIsDearToCut) {
  IdVector<GroupId, Group> groups;
  for (int i = 0; i < 8; ++i) groups.push_back({1, 100, 0, true, true});
  std::vector<std::pair<GroupId, GroupId>> precedence;
  std::vector<Net> nets;
  const auto edge = [&](std::size_t u, std::size_t v, double cost) {
    precedence.emplace_back(GroupId(u), GroupId(v));
    nets.push_back({cost, {GroupId(u), GroupId(v)}});
  };
  for (std::size_t branch = 1; branch <= 5; branch += 2) {
    edge(0, branch, 1);
    edge(branch, branch + 1, 10);
    edge(branch + 1, 7, 1);
  }
  const StageGraph graph(std::move(groups), precedence, std::move(nets));
  Rng rng(1);
  Budget budget;
  const Contraction coarse = coarsen(graph, {.most_time = 2, .fewest = 5}, rng, budget);
  ASSERT_EQ(coarse.graph.size(), 5u);
  for (std::size_t branch = 1; branch <= 5; branch += 2)
    EXPECT_EQ(coarse.lift[GroupId(branch)], coarse.lift[GroupId(branch + 1)]);
}

TEST(Coarsen, OtherChancesMakeOtherGraphs) {
  const StageCase one = random_stage_case(3, 40);
  std::set<std::vector<std::size_t>> lifts;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Rng rng(seed);
    Budget budget;
    const Contraction coarse = coarsen(one.graph, {.fewest = 5}, rng, budget);
    std::vector<std::size_t> lift;
    for (GroupId v : one.graph.all()) lift.push_back(coarse.lift[v].index());
    lifts.insert(lift);
  }
  EXPECT_GT(lifts.size(), 1u);
}

}  // namespace
}  // namespace partita::detail::test
