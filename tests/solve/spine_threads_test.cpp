// SPDX-License-Identifier: Apache-2.0
// Spines followed by several threads against the same by one: the same times, bounds and blocks.
#include <gtest/gtest.h>

#include "partita/reduce/never.h"
#include "partita/solve/latency/spine_bound.h"
#include "partita/util/parallel.h"
#include "tests/support/cases.h"
#include "tests/support/latency_questions.h"

namespace partita::detail::test {
namespace {

TEST(SpineThreads, BoundLikeOne) {
  Workers workers(4, 0);
  std::size_t blocks = 0;
  for (std::uint64_t seed = 1; seed <= cases(400); ++seed) {
    const Problem problem = latency_question(seed);
    const LatencyInstance instance = make_latency_instance(problem);
    const NodeReach reach(instance);
    const BlockModel model(instance, LatencyFacts(instance));
    Budget budget, shared;
    shared.work_with(workers);
    const SpineBound::Detail detail{0.05 * static_cast<double>(seed % 3), seed % 5 == 0 ? 12u : 400u};
    SpineBound alone(model, reach, detail), together(model, reach, detail);
    EXPECT_TRUE(alone.advance(budget));
    EXPECT_TRUE(together.advance(shared));
    EXPECT_EQ(alone.bound(), together.bound()) << "seed " << seed;
    EXPECT_EQ(alone.to_come().after_enter, together.to_come().after_enter) << "seed " << seed;
    EXPECT_EQ(budget.ticks_used(), shared.ticks_used()) << "seed " << seed;
    if (alone.bound() == kNever) continue;
    EXPECT_EQ(alone.cheapest_blocks(), together.cheapest_blocks()) << "seed " << seed;
    blocks += alone.cheapest_blocks().size();
  }
  EXPECT_GT(blocks, cases(400) / 2);
}

}  // namespace
}  // namespace partita::detail::test
