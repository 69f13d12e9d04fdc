// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/free_anneal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/cases.h"
#include "tests/support/net_graphs.h"

namespace partita::detail::test {
namespace {

TEST(Dendrogram, SubtreesGrowUpToTheWholePiece) {
  for (std::uint64_t seed = 1; seed <= cases(300); ++seed) {
    const NetCase one = random_net_case(seed, 16);
    Dice dice(seed);
    const Dendrogram tree(one.graph, seed % 2 ? 0 : 2, dice);
    for (GroupId v : one.graph.all()) {
      std::vector<GroupId> below;
      for (std::size_t levels = 0; levels < 20; ++levels) {
        const auto chunk = tree.above(v, levels);
        std::vector<GroupId> sorted(chunk.begin(), chunk.end());
        std::sort(sorted.begin(), sorted.end());
        EXPECT_TRUE(std::binary_search(sorted.begin(), sorted.end(), v)) << "seed " << seed;
        EXPECT_TRUE(std::includes(sorted.begin(), sorted.end(), below.begin(), below.end())) << "seed " << seed;
        below = sorted;
      }
      for (NetId e : one.graph.nets_of(v)) {  // the root holds all that nets join to v
        for (GroupId w : one.graph.members(e))
          EXPECT_TRUE(std::binary_search(below.begin(), below.end(), w)) << "seed " << seed;
      }
    }
  }
}

TEST(Dendrogram, JoinsHeavyNetsFirst) {
  const NetGraph graph(IdVector<GroupId, Group>(4),
                       {{1, {GroupId(0), GroupId(1)}}, {9, {GroupId(1), GroupId(2)}}, {5, {GroupId(2), GroupId(3)}}});
  Dice dice(1);
  const Dendrogram tree(graph, 0, dice);
  EXPECT_EQ(tree.above(GroupId(1), 0).size(), 1u);
  EXPECT_EQ(tree.above(GroupId(1), 1).size(), 2u);
  EXPECT_EQ(tree.above(GroupId(1), 2).size(), 3u);
  EXPECT_EQ(tree.above(GroupId(0), 1).size(), 4u);
}

IdVector<GroupId, DeviceId> anywhere(const NetCase& one, Dice& dice) {
  IdVector<GroupId, DeviceId> device_of(one.graph.size());
  const FreeInstance instance = instance_of(one);
  const SumLoads loads(instance);
  for (GroupId v : one.graph.all()) {
    do {
      device_of[v] = DeviceId(dice.below(loads.device_count()));
    } while (!loads.can_run(v, device_of[v]));
  }
  return device_of;
}

bool runs_somewhere(const NetCase& one) {
  for (GroupId v : one.graph.all()) {
    const Group& g = one.graph.group(v);
    if (!(g.on_accelerator && one.platform.accelerators > 0) && !(g.on_host && one.platform.hosts > 0)) return false;
  }
  return true;
}

TEST(FreeAnneal, ReturnsLegalSplitsAndTheirValues) {
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed <= cases(400); ++seed) {
    const NetCase one = random_net_case(seed, 12);
    if (!runs_somewhere(one)) continue;
    Dice dice(seed);
    std::vector<Dendrogram> chunks;
    for (int i = 0; i < 3; ++i) chunks.emplace_back(one.graph, 1, dice);
    const FreeInstance instance = instance_of(one);
    FreeAnneal<SumLoads> annealer(instance);
    FreeAnnealOptions options;
    options.proposals = 5000;
    options.scale = 10;
    annealer.start(anywhere(one, dice), options, chunks, dice);
    Budget budget;
    EXPECT_TRUE(annealer.advance(budget));
    const NetEvaluation state = evaluate(one.graph, one.platform, annealer.state().device_of());
    for (std::size_t d = 0; d < state.load.size(); ++d)
      EXPECT_NEAR(annealer.state().load(DeviceId(d)), state.load[d], 1e-8) << "seed " << seed;
    if (std::isinf(annealer.best().value)) continue;
    ++found;
    const NetEvaluation truth = evaluate(one.graph, one.platform, annealer.best().device_of);
    EXPECT_TRUE(truth.legal) << "seed " << seed;
    EXPECT_NEAR(truth.value, annealer.best().value, 1e-8) << "seed " << seed;
  }
  EXPECT_GT(found, cases(400) / 2);
}

TEST(FreeAnneal, InterruptedRunsEndAsUninterruptedOnes) {
  const NetCase one = random_net_case(8, 14);
  ASSERT_TRUE(runs_somewhere(one));
  const auto run = [&](std::uint64_t slice_ticks) {
    Dice dice(3);
    const std::vector<Dendrogram> chunks(1, Dendrogram(one.graph, 1, dice));
    const FreeInstance instance = instance_of(one);
    FreeAnneal<SumLoads> annealer(instance);
    FreeAnnealOptions options;
    options.proposals = 20000;
    annealer.start(anywhere(one, dice), options, chunks, dice);
    for (bool ended = false; !ended;) {
      Budget slice(Budget::Limits{.ticks = slice_ticks});
      ended = annealer.advance(slice);
    }
    return annealer.best();
  };
  const FreeSplit whole = run(1'000'000), pieces = run(700);
  EXPECT_EQ(whole.value, pieces.value);
  EXPECT_EQ(whole.device_of, pieces.device_of);
}

}  // namespace
}  // namespace partita::detail::test
