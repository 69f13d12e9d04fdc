// SPDX-License-Identifier: Apache-2.0
// The greedy baseline: legal for latency on inference graphs, and the paper's own splits on simple ones.
#include "partita/solve/shared/greedy.h"

#include <gtest/gtest.h>

#include "partita/check/check.h"
#include "tests/support/cases.h"
#include "tests/support/random_workload.h"

namespace partita::detail::test {
namespace {

TEST(Greedy, IsLegalForLatencyOnInferenceGraphs) {
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed <= cases(5'000); ++seed) {
    const Problem problem{random_workload(seed), {.objective = Objective::Latency}};
    if (problem.workload->graph.has_backward()) continue;
    const auto split = greedy_split(problem);
    if (!split) continue;
    const CheckReport report = check(problem, *split);
    EXPECT_TRUE(report.legal()) << "seed " << seed << ": " << report.violations[0].message;
    ++found;
  }
  EXPECT_GT(found, cases(5'000) / 5);
}

TEST(Greedy, FitsAndKeepsColoursOnAnyGraph) {
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed <= cases(5'000); ++seed) {
    Problem problem{random_workload(seed)};
    problem.shape = Shape::Free;
    problem.backward_shape = seed % 2 == 0;
    const auto split = greedy_split(problem);
    if (!split) continue;
    const CheckReport report = check(problem, *split);
    EXPECT_TRUE(report.legal()) << "seed " << seed << ": " << report.violations[0].message;
    ++found;
  }
  EXPECT_GT(found, cases(5'000) / 2);
}

Problem chain_of_four(double memory_of_each, int accelerators) {
  Problem problem;
  problem.workload.change().platform = make_platform(accelerators, 10, 1);
  for (std::size_t i = 0; i < 4; ++i) {
    Node node;
    node.original_id = static_cast<std::int64_t>(i);
    node.time = {1, 1};
    node.memory = memory_of_each;
    problem.workload.change().graph.nodes.push_back(node);
    if (i > 0) problem.workload.change().graph.edges.push_back({NodeId(i - 1), NodeId(i), 1});
  }
  return problem;
}

std::vector<std::size_t> devices(const Split& split) {
  std::vector<std::size_t> result;
  for (DeviceId d : split.device_of) result.push_back(d.index());
  return result;
}

TEST(Greedy, FillsEachAcceleratorAndThenTheHost) {
  EXPECT_EQ(devices(*greedy_split(chain_of_four(5, 3))), (std::vector<std::size_t>{0, 0, 1, 1}));
  EXPECT_EQ(devices(*greedy_split(chain_of_four(6, 3))), (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_EQ(devices(*greedy_split(chain_of_four(11, 3))), (std::vector<std::size_t>{3, 3, 3, 3}));
}

TEST(Greedy, ClosesAnAcceleratorThatAHostNodeDividesInTwo) {
  Problem problem = chain_of_four(1, 2);
  problem.workload.change().graph.nodes[NodeId(1)].time[0] = kCannotRun;
  EXPECT_EQ(devices(*greedy_split(problem)), (std::vector<std::size_t>{0, 2, 1, 1}));
}

}  // namespace
}  // namespace partita::detail::test
