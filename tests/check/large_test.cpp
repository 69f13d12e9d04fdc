// SPDX-License-Identifier: Apache-2.0
// A graph of 20,000 nodes: the answers are known, and nothing recurses or takes quadratic time.
#include <gtest/gtest.h>

#include "partita/check/check.h"

namespace partita::detail {
namespace {

constexpr std::size_t kNodes = 20000;
constexpr std::size_t kDevices = 50;

// A chain with a residual edge over every fourth node, cut into kDevices equal stages.
Problem long_chain() {
  Problem problem;
  problem.workload.change().platform = make_platform(kDevices, kUnlimited, 0);
  Graph& graph = problem.workload.change().graph;
  for (std::size_t i = 0; i < kNodes; ++i) {
    Node node;
    node.original_id = static_cast<std::int64_t>(i);
    node.time = {1, 1};
    graph.nodes.push_back(node);
    if (i > 0) graph.edges.push_back({NodeId(i - 1), NodeId(i), 0.5});
    if (i >= 4 && i % 4 == 0) graph.edges.push_back({NodeId(i - 4), NodeId(i), 0.5});
  }
  return problem;
}

Split equal_stages() {
  Split split;
  for (std::size_t i = 0; i < kNodes; ++i) split.device_of.push_back(DeviceId(i / (kNodes / kDevices)));
  return split;
}

TEST(Large, EqualStages) {
  Problem problem = long_chain();
  const Split split = equal_stages();
  // A stage reads the node before it and the residual of its first node, and writes as many.
  for (Shape shape : {Shape::Staged, Shape::Contiguous, Shape::Free}) {
    problem.shape = shape;
    const CheckReport report = check(problem, split);
    EXPECT_TRUE(report.legal());
    EXPECT_DOUBLE_EQ(report.value, 400 + 2 * (0.5 + 0.5));
  }
  problem.objective = Objective::Latency;
  EXPECT_DOUBLE_EQ(check(problem, split).value, 50 * 400 + 2 * 49 * (0.5 + 0.5));
}

TEST(Large, OneNodeOutOfPlace) {
  Problem problem = long_chain();
  Split split = equal_stages();
  split.device_of[NodeId(10001)] = DeviceId(0);
  for (Shape shape : {Shape::Staged, Shape::Contiguous}) {
    problem.shape = shape;
    const CheckReport report = check(problem, split);
    ASSERT_FALSE(report.violations.empty());
    for (const Violation& violation : report.violations) {
      EXPECT_EQ(violation.kind, Violation::Kind::Shape);
      EXPECT_LT(violation.message.size(), 1000u);
    }
  }
}

}  // namespace
}  // namespace partita::detail
