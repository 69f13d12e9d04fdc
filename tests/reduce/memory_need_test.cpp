// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/memory_need.h"

#include <gtest/gtest.h>

#include "tests/support/cases.h"
#include "tests/support/stage_graphs.h"

namespace partita::detail::test {
namespace {

// Within the limit, a split without regard to memory is one with it.
TEST(MemoryNeed, ForgettingItChangesNoAnswerWithinTheLimit) {
  std::size_t forgotten = 0, by_time = 0;
  for (std::uint64_t seed = 1; seed <= cases(4000); ++seed) {
    const StageCase one = random_stage_case(seed, 8);
    if (one.graph.total_memory() <= 0) continue;
    const double best = least_value(one.graph, one.platform);
    StageGraph light = one.graph;
    forget_memory(light);
    const double best_without = least_value(light, one.platform);
    for (const double limit : {best_without, best_without * 1.3, best_without * 0.99}) {
      if (limit == kNoSplit || memory_can_bind(one.graph, Threshold{one.platform, limit})) continue;
      ++forgotten;
      by_time += one.graph.total_memory() > one.platform.accelerator_memory;
      EXPECT_EQ(best <= limit, best_without <= limit) << "seed " << seed << ", limit " << limit;
    }
  }
  EXPECT_GT(forgotten, 0u);
  EXPECT_GT(by_time, 0u);
}

}  // namespace
}  // namespace partita::detail::test
