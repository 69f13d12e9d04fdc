// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/exhaustive/every_split.h"

#include <gtest/gtest.h>

#include "partita/check/check.h"
#include "tests/support/brute_force.h"
#include "tests/support/cases.h"
#include "tests/support/graph_text.h"
#include "tests/support/random_setup.h"
#include "tests/support/random_workload.h"

namespace partita::detail::test {
namespace {

Measure by_check(const Problem& problem) {
  return [&problem](const Split& split) -> std::optional<double> {
    const CheckReport report = check(problem, split);
    if (!report.legal()) return std::nullopt;
    return report.value;
  };
}

TEST(EverySplit, FindsWhatBruteForceFinds) {
  std::size_t none = 0, some = 0;
  for (std::uint64_t seed = 1; seed <= cases(150); ++seed) {
    SetupFeatures features = SetupFeatures::none();
    features.classes = features.transfers = true;
    Problem problem = random_setup(seed, features);
    problem.shape = seed % 3 == 0 ? Shape::Staged : seed % 3 == 1 ? Shape::Contiguous : Shape::Free;
    problem.objective = seed % 2 == 0 ? Objective::GPipe : Objective::MaxLoad;
    problem.backward_shape = seed % 4 == 0;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + describe(*problem.workload));
    const std::optional<double> best = brute_force(problem);
    Budget budget;
    const EverySplit all = look_at_every_split(problem, kUnlimited, by_check(problem), budget);
    EXPECT_TRUE(all.complete);
    ASSERT_EQ(all.split.has_value(), best.has_value());
    ++(best ? some : none);
    if (!best) continue;
    EXPECT_NEAR(all.value, *best, 1e-9 * *best);
    // Nothing is below the best.
    const EverySplit below = look_at_every_split(problem, *best * (1 - 1e-9), by_check(problem), budget);
    EXPECT_TRUE(below.complete);
    EXPECT_TRUE(!below.split || *best == 0);
  }
  EXPECT_GT(none, 0u);
  EXPECT_GT(some, none);
}

TEST(EverySplit, ABudgetEndsIt) {
  Problem problem;
  problem.workload = graph_from_text("a 1 1; b 1 1; c 1 1; d 1 1; e 1 1; f 1 1", 3, kUnlimited, 1);
  problem.shape = Shape::Free;
  Budget budget(Budget::Limits{.ticks = 30});
  EXPECT_FALSE(look_at_every_split(problem, kUnlimited, by_check(problem), budget).complete);
}

TEST(EverySplit, MemoryThatDecidesLeavesLittleToLookAt) {
  Problem problem;
  std::string text;
  for (int i = 0; i < 21; ++i) text += (i ? "; n" : "n") + std::to_string(i) + " 1 - mem=2";
  problem.workload = graph_from_text(text.c_str(), 20, 3, 0);
  problem.shape = Shape::Free;
  Budget budget(Budget::Limits{.ticks = 4'000'000});
  const EverySplit all = look_at_every_split(problem, kUnlimited, by_check(problem), budget);
  EXPECT_TRUE(all.complete);
  EXPECT_FALSE(all.split.has_value());
}

}  // namespace
}  // namespace partita::detail::test
