// SPDX-License-Identifier: Apache-2.0
// The search for splits of least latency against brute force.
#include "partita/solve/latency/latency_search.h"

#include <gtest/gtest.h>

#include <limits>

#include "partita/check/check.h"
#include "partita/reduce/never.h"
#include "tests/support/brute_force.h"
#include "tests/support/cases.h"
#include "tests/support/random_workload.h"
#include "tests/support/transformer.h"

namespace partita::detail::test {
namespace {

struct Question {
  std::size_t count;
  int subgraphs;
  bool strict_host_cores;
};

void expect_optima(const Question& question) {
  std::size_t found = 0, missed = 0;
  for (std::uint64_t seed = 1; seed <= cases(question.count); ++seed) {
    Problem problem{random_workload(seed), {.objective = Objective::Latency}};
    problem.subgraphs = question.subgraphs;
    problem.strict_host_cores = question.strict_host_cores;
    const auto optimum = brute_force(problem);
    const LatencyInstance instance = make_latency_instance(problem);
    LatencySearch search(instance, seed);
    Budget budget(Budget::Limits{.ticks = 30'000});
    search.improve(budget);
    const LatencySplit& best = search.best();
    if (!optimum) {
      EXPECT_EQ(best.value, kNever) << "seed " << seed;
      continue;
    }
    EXPECT_GE(best.value, *optimum * (1 - 1e-9)) << "seed " << seed;
    (best.value <= *optimum * (1 + 1e-9) ? found : missed) += 1;
    if (best.value == kNever) continue;
    const CheckReport report = check(problem, lift_latency(instance, best));
    EXPECT_TRUE(report.legal()) << "seed " << seed;
    EXPECT_NEAR(report.value, best.value, 1e-9 * best.value) << "seed " << seed;
  }
  EXPECT_LE(missed * (question.subgraphs == 1 ? 200 : 60), found);
}

TEST(LatencySearch, FindsTheOptimumOfSmallGraphs) { expect_optima({250, 1, false}); }
TEST(LatencySearch, FindsTheOptimumWithTwoSubgraphs) { expect_optima({120, 2, false}); }
TEST(LatencySearch, FindsTheOptimumWithThreeSubgraphs) { expect_optima({60, 3, false}); }
TEST(LatencySearch, FindsTheOptimumWithFewCores) { expect_optima({250, 1, true}); }
TEST(LatencySearch, FindsTheOptimumWithFewCoresAndTwoSubgraphs) { expect_optima({100, 2, true}); }

TEST(LatencySearch, IsDeterministicAndPassesCheckOnLargerGraphs) {
  for (const bool training : {false, true}) {
    const Problem problem{transformer({.layers = 3, .training = training, .accelerators = 4}),
                          {.objective = Objective::Latency}};
    const LatencyInstance instance = make_latency_instance(problem);
    LatencySearch whole(instance, 7), parts(instance, 7);
    Budget one(Budget::Limits{.ticks = 600'000});
    whole.improve(one);
    Budget other(Budget::Limits{.ticks = 600'000});
    while (!other.exhausted()) {
      Budget slice(other, 10'000);
      parts.improve(slice);
    }
    EXPECT_EQ(whole.best().value, parts.best().value);
    const CheckReport report = check(problem, lift_latency(instance, whole.best()));
    EXPECT_TRUE(report.legal());
    EXPECT_NEAR(report.value, whole.best().value, 1e-9 * report.value);
  }
}

}  // namespace
}  // namespace partita::detail::test
