// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/free_gpipe.h"

#include <gtest/gtest.h>

#include "partita/check/check.h"
#include "partita/solve/shared/greedy.h"
#include "tests/support/brute_force.h"
#include "tests/support/cases.h"
#include "tests/support/random_setup.h"

namespace partita::detail::test {
namespace {

// From the greedy split, wherever that is legal.
TEST(FreeGpipe, AnnealingKeepsTheShapeAndOftenFindsTheOptimum) {
  std::size_t tried = 0, better = 0, best = 0;
  for (std::uint64_t seed = 1; seed <= cases(400); ++seed) {
    SetupFeatures features = SetupFeatures::none();
    features.classes = features.transfers = true;
    Problem problem = random_setup(seed, features);
    problem.objective = Objective::GPipe;
    problem.shape = seed % 2 == 0 ? Shape::Staged : Shape::Free;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + describe(problem));
    const auto greedy = greedy_split(problem);
    if (!greedy || !problem.workload->graph.has_backward()) continue;
    const CheckReport before = check(problem, *greedy);
    if (!before.legal()) continue;
    ++tried;
    const FreeInstance instance = make_free_instance(problem);
    const FreeSplit start = to_free(problem, instance, *greedy);
    EXPECT_NEAR(gpipe_value(instance, start.device_of), before.value, 1e-9 * (1 + before.value));
    std::vector<DeviceId> order;
    for (DeviceId d : before.order) {
      for (NodeId v : instance.group_of.all()) {
        if (greedy->device_of[v] != d) continue;
        order.push_back(start.device_of[instance.group_of[v]]);
        break;
      }
    }
    const StageOrder stages = find_stage_order(problem);
    Budget budget;
    const FreeSplit found = anneal_gpipe(instance, problem.shape == Shape::Staged ? &stages : nullptr, start, order,
                                         {.moves = 8000, .seed = seed}, budget);
    const CheckReport after = check(problem, lift_free(instance, found));
    ASSERT_TRUE(after.legal()) << after.violations[0].message;
    EXPECT_NEAR(after.value, found.value, 1e-9 * (1 + after.value));
    EXPECT_LE(after.value, before.value * (1 + 1e-9));
    better += after.value < before.value * (1 - 1e-9);
    best += after.value <= *brute_force(problem) * (1 + 1e-9);
  }
  EXPECT_GT(tried, cases(400) / 8);
  EXPECT_GT(better, tried / 4);
  EXPECT_GT(best, tried / 2);
}

}  // namespace
}  // namespace partita::detail::test
