// SPDX-License-Identifier: Apache-2.0
// plan() for gpipe on unequal devices, with transfers that overlap, and with all that staged splits may have.
#include <gtest/gtest.h>

#include "partita/partita.h"
#include "tests/support/brute_force.h"
#include "tests/support/cases.h"
#include "tests/support/pipeline_brute_force.h"
#include "tests/support/random_setup.h"

namespace partita::detail::test {
namespace {

class GpipeOverClasses : public testing::TestWithParam<Shape> {};

TEST_P(GpipeOverClasses, FindsTheOptimum) {
  std::size_t asked = 0, passes_apart = 0;
  for (std::uint64_t seed = 1; seed <= cases(60); ++seed) {
    SetupFeatures features = SetupFeatures::none();
    features.transfers = true;
    features.classes = seed % 4 != 0;
    Problem problem = random_setup(seed, features);
    if (!problem.workload->graph.has_backward()) continue;
    problem.objective = Objective::GPipe;
    problem.shape = GetParam();
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + describe(problem));
    ++asked;
    const std::optional<double> best = brute_force(problem);
    Budget budget;
    const Plan answer = plan(problem, {}, budget);
    ASSERT_EQ(answer.result.status, best ? Status::Optimal : Status::Infeasible) << answer.result.value;
    if (!best) {
      EXPECT_NE(answer.result.reason, "");
      continue;
    }
    EXPECT_NEAR(answer.result.value, *best, 1e-8 * (1 + *best));
    EXPECT_LE(answer.result.bound, *best * (1 + 1e-9));
    problem.objective = Objective::MaxLoad;
    if (*brute_force(problem) < *best * (1 - 1e-6)) ++passes_apart;
  }
  EXPECT_GT(asked, cases(60) / 3);
  EXPECT_GE(passes_apart, asked / 20) << "gpipe must differ from max-load now and then";
}

INSTANTIATE_TEST_SUITE_P(Shapes, GpipeOverClasses, testing::Values(Shape::Staged, Shape::Contiguous, Shape::Free),
                         [](const auto& one) { return to_string(one.param); });

TEST(GpipeBounds, HoldWithCopiesClustersAndMemoryInFlight) {
  std::size_t asked = 0, optimal = 0;
  for (std::uint64_t seed = 1; seed <= cases(60); ++seed) {
    SetupFeatures features;
    (seed % 2 == 0 ? features.memory : features.clusters) = false;
    Problem problem = random_setup(seed, features);
    if (!problem.workload->graph.has_backward()) continue;
    problem.objective = Objective::GPipe;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + describe(problem));
    const std::optional<double> best = pipeline_brute_force(problem);
    Budget budget(Budget::Limits{.ticks = 20'000'000});
    const Plan answer = plan(problem, {}, budget);
    ++asked;
    if (!best) {
      EXPECT_FALSE(answer.result.split.has_value());
      continue;
    }
    EXPECT_NE(answer.result.status, Status::Infeasible);
    EXPECT_LE(answer.result.bound, *best * (1 + 1e-9));
    if (!answer.result.split) continue;
    EXPECT_TRUE(answer.report.legal());
    EXPECT_GE(answer.result.value, *best * (1 - 1e-9));
    optimal += answer.result.value <= *best * (1 + 1e-9);
  }
  EXPECT_GT(optimal, asked / 3);
}

}  // namespace
}  // namespace partita::detail::test
