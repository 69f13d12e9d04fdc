// SPDX-License-Identifier: Apache-2.0
// What is answered where a limit leaves time for nothing else.
#include "partita/portfolio/first_answer.h"

#include <gtest/gtest.h>

#include "partita/check/check.h"
#include "partita/partita.h"
#include "tests/support/brute_force.h"
#include "tests/support/cases.h"
#include "tests/support/free_questions.h"
#include "tests/support/random_workload.h"

namespace partita::detail::test {
namespace {

TEST(FirstAnswer, BracketsTheOptimum) {
  std::size_t found = 0, feasible = 0;
  for (std::uint64_t seed = 1; seed <= cases(200); ++seed) {
    Problem problem = seed % 2 == 0 ? random_free_question(seed, Shape::Free) : Problem{random_workload(seed)};
    if (seed % 2 == 1) problem.shape = seed % 4 == 1 ? Shape::Staged : Shape::Contiguous;
    const auto best = brute_force(problem);
    const auto split = first_split(problem);
    if (split) {
      ASSERT_TRUE(best) << "seed " << seed;
      const CheckReport report = check(problem, *split);
      EXPECT_TRUE(report.legal());
      EXPECT_GE(report.value, *best * (1 - 1e-9)) << "seed " << seed;
      ++found;
    }
    if (!best) continue;
    ++feasible;
    EXPECT_LE(first_bound(problem), *best * (1 + 1e-12)) << "seed " << seed;
  }
  EXPECT_GT(3 * found, feasible);
}

TEST(FirstAnswer, NoTimeAtAllIsEnoughForASplitAndABound) {
  for (const Shape shape : {Shape::Staged, Shape::Contiguous, Shape::Free}) {
    Problem problem{random_workload(7)};
    problem.shape = shape;
    if (!first_split(problem)) continue;
    Budget budget(Budget::Limits{.seconds = 0});
    const Plan plan = partita::plan(problem, {}, budget);
    EXPECT_TRUE(plan.result.split);
    EXPECT_GT(plan.result.bound, 0);
    EXPECT_FALSE(plan.result.proof.empty());
  }
}

TEST(FirstAnswer, AMillionDevicesAreAsGoodAsOneForEachNode) {
  for (std::uint64_t seed = 1; seed <= cases(20); ++seed) {
    Problem few{random_workload(seed)}, many = few;
    few.shape = many.shape = seed % 2 == 0 ? Shape::Staged : Shape::Free;
    few.workload.change().platform.classes[ClassId(0)].count =
        static_cast<int>(few.workload.change().graph.nodes.size());
    many.workload.change().platform.classes[ClassId(0)].count = 1'000'000;
    Budget budget(Budget::Limits{.ticks = 400'000}), same(Budget::Limits{.ticks = 400'000});
    const Plan small = partita::plan(few, {}, budget), large = partita::plan(many, {}, same);
    EXPECT_EQ(small.result.status, large.result.status) << "seed " << seed;
    EXPECT_EQ(small.result.value, large.result.value) << "seed " << seed;
    EXPECT_EQ(small.result.bound, large.result.bound) << "seed " << seed;
  }
}

}  // namespace
}  // namespace partita::detail::test
