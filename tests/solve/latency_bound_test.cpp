// SPDX-License-Identifier: Apache-2.0
// Bounds on the latency are never above the optimum, and often meet it.
#include "partita/solve/latency/latency_bound.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>

#include "partita/reduce/never.h"
#include "partita/solve/latency/latency_branching.h"
#include "partita/solve/latency/path_bound.h"
#include "tests/support/cases.h"
#include "tests/support/latency_bounds.h"
#include "tests/support/latency_brute_force.h"
#include "tests/support/latency_questions.h"
#include "tests/support/random_workload.h"

namespace partita::detail::test {
namespace {

TEST(PathBound, IsNeverAboveTheOptimum) {
  for_each_latency_question(cases(1000), latency_question,
                            [](std::uint64_t seed, const LatencyInstance& instance, double optimum) {
                              EXPECT_LE(path_bound(instance), below(optimum)) << "seed " << seed;
                            });
}

// Labels from either end, without a limit.
TEST(LatencyLabels, AreNeverAboveTheOptimum) {
  JudgedBounds bounds;
  std::size_t better_by_pairs = 0;
  for_each_latency_question(
      cases(1500), latency_question, [&](std::uint64_t seed, const LatencyInstance& instance, double optimum) {
        const NodeReach reach(instance);
        const BlockModel model(instance, LatencyFacts(instance));
        const EdgeLabels none(model.edge_count(), 0);
        for (const bool reversed : {false, true}) {
          double found[2] = {0, kNever};
          for (const bool pairs : {false, true}) {
            LatencyLabels labels(model, reach, reversed, none, none, {kNever, 0, pairs});
            Budget budget;
            EXPECT_TRUE(labels.advance(budget));
            bounds.judge(labels.bound(), optimum, fmt::format("seed {}{}", seed, reversed ? " reversed" : ""));
            found[pairs] = labels.bound();
          }
          EXPECT_GE(found[1], found[0] * (1 - 1e-9)) << "seed " << seed;
          better_by_pairs += found[1] < kNever && found[1] > found[0] * (1 + 1e-6);
        }
      });
  EXPECT_GT(bounds.met * 2, bounds.all);
  if (all_usual_cases()) {
    EXPECT_GT(better_by_pairs, 0u);
  }
}

TEST(LatencyBound, IsNeverAboveTheOptimum) {
  BoundsBelowLimits bounds;
  for_each_latency_question(cases(1500), latency_question,
                            [&](std::uint64_t seed, const LatencyInstance& instance, double optimum) {
                              for (const double factor : {1.0, 1.001, 1.2, 2.0}) {
                                Budget budget;
                                bounds.judge(seed, instance, optimum, factor, seed % 4 == 0, budget);
                              }
                            });
  EXPECT_GT(bounds.proved * 3, bounds.all * 2);
  RecordProperty("proved", static_cast<int>(bounds.proved));
}

// Cases find the optimum by themselves, from nothing, and their bound is valid on the way; also several at once.
TEST(LatencyBranching, FindsTheOptimum) {
  for (std::uint64_t seed = 1; seed <= cases(1000); ++seed) {
    const Problem problem{random_workload(seed), {.objective = Objective::Latency}};
    const double optimum = best_latency_by_brute_force(problem);
    const LatencyInstance instance = make_latency_instance(problem);
    LatencyValue measure(instance);
    double best = seed % 2 == 0 ? kNever : optimum * 1.1;
    const auto offer = [&](const std::vector<LatencyValue::Place>& place) {
      IdVector<NodeId, LatencyValue::Place> by_node;
      for (const LatencyNode& node : instance.nodes) by_node.push_back(place[node.group.index()]);
      measure.place_all(by_node);
      const LatencyValue::Measure& m = measure.measure();
      if (m.waiting == 0 && m.excess == 0) best = std::min(best, m.latency);
    };
    LatencyBranching branching(instance, LatencyFacts(instance));
    Budget whole;
    while (!branching.finished()) {
      Budget slice(whole, 20);
      branching.improve({[&] { return best; }, offer}, slice, 1 + seed / 2 % 3);
      EXPECT_LE(std::min(branching.bound(), best * (1 - 1e-9)), below(optimum)) << "seed " << seed;
    }
    if (optimum < kNever) {
      EXPECT_NEAR(best, optimum, 1e-9 * optimum) << "seed " << seed;
    } else {
      EXPECT_EQ(best, kNever) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace partita::detail::test
