// SPDX-License-Identifier: Apache-2.0
// Latency with several threads: rounds of nodes, sweeps with several tolls at once and cases side by side never say
// more than is true.
#include <gtest/gtest.h>

#include "partita/reduce/never.h"
#include "partita/solve/latency/label_rounds.h"
#include "partita/solve/latency/latency.h"
#include "partita/util/parallel.h"
#include "tests/support/cases.h"
#include "tests/support/latency_bounds.h"
#include "tests/support/latency_brute_force.h"
#include "tests/support/latency_questions.h"
#include "tests/support/random_workload.h"

namespace partita::detail::test {
namespace {

TEST(LatencyThreads, TakeEveryNodeOnceAndAfterThoseBeforeIt) {
  for (std::uint64_t seed = 1; seed <= cases(200); ++seed) {
    const Problem problem = latency_question(seed);
    const LatencyInstance instance = make_latency_instance(problem);
    const BlockModel model(instance, LatencyFacts(instance));
    for (const bool reversed : {false, true}) {
      const std::size_t width = 1 + seed % 4;
      IdVector<NodeId, std::size_t> round_of(model.node_count(), 0);
      const std::vector<std::vector<NodeId>> rounds = label_rounds(model, reversed, width);
      for (std::size_t r = 0; r < rounds.size(); ++r) {
        EXPECT_LE(rounds[r].size(), width);
        for (NodeId v : rounds[r]) {
          EXPECT_EQ(round_of[v], 0u) << "seed " << seed;
          round_of[v] = r + 1;
        }
      }
      for (EdgeId e : model.edges()) {
        const std::size_t from = round_of[model.edge(e).from], to = round_of[model.edge(e).to];
        EXPECT_TRUE(reversed ? from > to && to > 0 : to > from && from > 0) << "seed " << seed;
      }
    }
  }
}

TEST(LatencyThreads, BoundsAreNeverAboveTheOptimum) {
  BoundsBelowLimits bounds;
  Workers workers(4, 0);
  for_each_latency_question(cases(400), latency_question,
                            [&](std::uint64_t seed, const LatencyInstance& instance, double optimum) {
                              for (const double factor : {1.0, 1.001, 2.0}) {
                                Budget budget;
                                budget.work_with(workers);
                                bounds.judge(seed, instance, optimum, factor, seed % 2 == 0, budget);
                              }
                            });
  EXPECT_GT(bounds.proved * 3, bounds.all * 2);
}

// The search and the bounds, and cases beside the labels, on threads of their own.
TEST(LatencyThreads, FindTheOptimum) {
  for (std::uint64_t seed = 1; seed <= cases(400); ++seed) {
    const Problem problem{random_workload(seed), {.objective = Objective::Latency}};
    const double optimum = best_latency_by_brute_force(problem);
    const LatencyInstance instance = make_latency_instance(problem);
    Workers workers(3, 0);
    Budget budget({.seconds = 20});
    budget.work_with(workers);
    LatencyOptions options;
    options.threads = 3;
    const LatencyOutcome outcome = solve_latency(instance, {}, options, budget, {});
    if (outcome.infeasible || optimum == kNever) {
      EXPECT_EQ(optimum, kNever) << "seed " << seed;
      EXPECT_FALSE(outcome.split) << "seed " << seed;
      continue;
    }
    ASSERT_TRUE(outcome.split) << "seed " << seed;
    EXPECT_LE(outcome.bound, below(optimum)) << "seed " << seed;
    EXPECT_NEAR(outcome.split->value, optimum, 1e-6 * optimum) << "seed " << seed;
  }
}

}  // namespace
}  // namespace partita::detail::test
