// SPDX-License-Identifier: Apache-2.0
// The bound by a chain of groups never refutes what exists, and refutes something that windows do not: random small
// questions against brute force.
#include "partita/solve/staged/setups/chain_bound.h"

#include <gtest/gtest.h>

#include "tests/support/cases.h"
#include "tests/support/pipeline_brute_force.h"
#include "tests/support/random_setup.h"

namespace partita::detail::test {
namespace {

TEST(ChainBound, NeverRefutesWhatExists) {
  std::uint64_t asked = 0, tight = 0, by_memory = 0;
  for (std::uint64_t seed = 1; seed <= cases(1500); ++seed) {
    SetupFeatures features;
    features.copies = false;
    features.classes = seed % 2 == 0;
    features.clusters = seed % 5 == 0;
    const Problem problem = random_setup(seed, features);
    if (problem.workload->graph.nodes.size() > 7) continue;
    const SetupInstance instance = make_setup_instance(problem);
    // Without clusters, each stage costs no more: a refutation holds with them, too.
    const SetupRules rules = without_clusters(instance.rules);
    if (!ChainBound::worthwhile(rules)) continue;
    const std::optional<double> optimum = pipeline_brute_force(problem);
    if (!optimum || *optimum <= 0) continue;
    const WorkMeasure measure(instance.graph, rules);
    ChainBound bound(instance.graph, rules, measure, *optimum * 10);
    for (double times : {1 + 1e-9, 1.001, 1.3, 4.0}) EXPECT_FALSE(bound.refutes(*optimum * times)) << describe(problem);
    ++asked;
    const bool refuted = bound.refutes(*optimum * (1 - 1e-6));
    tight += refuted;
    SetupRules roomy = rules;
    for (ClassId c : roomy.classes.all()) roomy.classes[c].memory = kUnlimited;
    ChainBound without_memory(instance.graph, roomy, measure, *optimum);
    by_memory += refuted && !without_memory.refutes(*optimum * (1 - 1e-6));
  }
  EXPECT_GT(asked, cases(1500) / 10);
  EXPECT_GT(tight, asked / 4);
  EXPECT_GT(by_memory, 0u);
}

}  // namespace
}  // namespace partita::detail::test
