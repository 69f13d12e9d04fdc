// SPDX-License-Identifier: Apache-2.0
// The bound that follows a spine is never above the optimum, whatever spine it follows.
#include "partita/solve/latency/spine_bound.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/cases.h"
#include "tests/support/latency_brute_force.h"
#include "tests/support/random_workload.h"

namespace partita::test {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// Every other with two subgraphs on an accelerator; some with no more cores than hosts.
Problem question(std::uint64_t seed) {
  Problem problem{random_workload(seed), Objective::Latency};
  problem.subgraphs = 1 + static_cast<int>(seed % 2);
  problem.strict_host_cores = seed % 5 == 0;
  return problem;
}

TEST(SpineBound, IsNeverAboveTheOptimum) {
  std::size_t tight = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= cases(4000); ++seed) {
    const Problem problem = question(seed);
    const double optimum = best_latency_by_brute_force(problem);
    const LatencyInstance instance = make_latency_instance(problem);
    const NodeReach reach(instance);
    const LatencyFacts facts(instance);
    const BlockModel model(instance, facts);
    for (const double neglect : {0.0, 0.05, 0.3, 1.0}) {
      const std::size_t states[] = {1, 3, 12, 400};
      SpineBound spine(model, reach, {neglect, states[seed % 4]});
      Budget budget;
      EXPECT_TRUE(spine.advance(budget));
      EXPECT_LE(spine.bound() * (1 - 1e-9), optimum * (1 + 1e-12)) << "seed " << seed << " neglect " << neglect;
      if (optimum == kNever) continue;
      ++all;
      tight += spine.bound() >= optimum * (1 - 1e-9);
    }
  }
  RecordProperty("tight", static_cast<int>(tight));
  EXPECT_GT(tight * 4, all);
}

}  // namespace
}  // namespace partita::test
