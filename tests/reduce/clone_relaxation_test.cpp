// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/clone_relaxation.h"

#include <gtest/gtest.h>

#include "partita/solve/staged/ideal_search.h"
#include "tests/support/cases.h"
#include "tests/support/stage_graphs.h"

namespace partita::detail::test {
namespace {

TEST(CloneRelaxation, NeverRaisesTheOptimum) {
  std::size_t changed = 0;
  for (std::uint64_t seed = 1; seed <= cases(6000); ++seed) {
    const StageCase one = random_stage_case(seed);
    const CloneRelaxation relaxed = relax_clones(one.graph);
    if (!relaxed.changed()) continue;
    ++changed;
    EXPECT_LE(least_value(relaxed.graph, one.platform), least_value(one.graph, one.platform) + 1e-9) << "seed " << seed;
  }
  EXPECT_GT(changed, 0u);
}

TEST(CloneRelaxation, LiftedSplitsKeepTheOrderAndHoldEveryGroupOnce) {
  std::size_t lifted = 0;
  for (std::uint64_t seed = 1; seed <= cases(6000); ++seed) {
    const StageCase one = random_stage_case(seed);
    const CloneRelaxation relaxed = relax_clones(one.graph);
    if (!relaxed.changed()) continue;
    Budget budget;
    const SearchResult found = search_ideals(relaxed.graph, {one.platform, 1000}, 8, budget);
    if (found.answer != Answer::Yes) continue;
    ++lifted;
    const std::vector<Stage> stages = lift_relaxed(one.graph, relaxed, found.split.stages);
    IdVector<GroupId, int> stage_of(one.graph.size(), -1);
    for (std::size_t s = 0; s < stages.size(); ++s) {
      for (GroupId v : stages[s].groups) {
        EXPECT_EQ(stage_of[v], -1);
        stage_of[v] = static_cast<int>(s);
      }
    }
    for (GroupId v : one.graph.all()) {
      ASSERT_GE(stage_of[v], 0) << "seed " << seed;
      for (GroupId w : one.graph.successors(v)) EXPECT_LE(stage_of[v], stage_of[w]) << "seed " << seed;
    }
  }
  EXPECT_GT(lifted, 0u);
}

}  // namespace
}  // namespace partita::detail::test
