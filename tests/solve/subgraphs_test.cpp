// SPDX-License-Identifier: Apache-2.0
// Subgraphs never wait for each other, whatever the assignment.
#include "partita/solve/baseline/subgraphs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "partita/check/check.h"
#include "partita/util/dice.h"
#include "tests/support/cases.h"
#include "tests/support/random_workload.h"

namespace partita::detail::test {
namespace {

TEST(SubgraphCut, OfAnyAssignmentCanRun) {
  for (std::uint64_t seed = 1; seed <= cases(3000); ++seed) {
    Problem problem{random_workload(seed), {.objective = Objective::Latency}};
    Dice dice(seed);
    Split split;
    const std::size_t devices = problem.workload->platform.device_count();
    for (std::size_t i = 0; i < problem.workload->graph.nodes.size(); ++i)
      split.device_of.push_back(DeviceId(dice.below(devices)));
    const SubgraphCut cut = cut_into_subgraphs(problem, split);
    EXPECT_EQ(cut.split.device_of, split.device_of);
    problem.subgraphs = cut.most;
    const CheckReport report = check(problem, cut.split);
    EXPECT_TRUE(std::isfinite(report.value)) << "seed " << seed;
    EXPECT_TRUE(std::none_of(report.violations.begin(), report.violations.end(),
                             [](const Violation& violation) {
                               return violation.kind == Violation::Kind::Shape ||
                                      violation.kind == Violation::Kind::Subgraph;
                             }))
        << "seed " << seed;
    // One fewer is one too few.
    problem.subgraphs = cut.most - 1;
    if (cut.most > 1) {
      EXPECT_FALSE(check(problem, cut.split).legal()) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace partita::detail::test
