// SPDX-License-Identifier: Apache-2.0
// The brute force against answers worked out by hand, before anything else is held against the brute force.
#include "tests/support/brute_force.h"

#include <gtest/gtest.h>

#include "tests/property/property.h"
#include "tests/support/random_workload.h"

namespace partita::detail {
namespace {

Node make_node(double accelerator, double host, double memory = 0) {
  Node node;
  node.time = {accelerator, host};
  node.memory = memory;
  return node;
}

Problem problem_of(std::vector<Node> nodes, std::vector<Edge> edges, Platform platform) {
  Problem problem;
  for (Node& node : nodes) {
    node.original_id = static_cast<std::int64_t>(problem.workload->graph.nodes.size());
    problem.workload.change().graph.nodes.push_back(node);
  }
  problem.workload.change().graph.edges = std::move(edges);
  problem.workload.change().platform = std::move(platform);
  return problem;
}

// 0 -> 1 -> 2 with times 3, 4, 5 and transfer costs 1 and 2.
Problem chain(Platform platform) {
  return problem_of({make_node(3, 30), make_node(4, 40), make_node(5, 50)},
                    {{NodeId(0), NodeId(1), 1}, {NodeId(1), NodeId(2), 2}}, std::move(platform));
}

TEST(BruteForce, ChainOnTwoAccelerators) {
  // {0}, {1, 2}: 3 + 1 and 1 + 9 = 10; {0, 1}, {2}: 7 + 2 = 9 and 2 + 5; all on one: 12.
  EXPECT_EQ(brute_force(chain(make_platform(2, kUnlimited, 0))), 9);
}

TEST(BruteForce, ChainOnOneAccelerator) { EXPECT_EQ(brute_force(chain(make_platform(1, kUnlimited, 0))), 12); }

TEST(BruteForce, HostsPayNoTransfers) {
  Problem problem = chain(make_platform(1, kUnlimited, 1));
  problem.workload.change().graph.nodes[NodeId(2)].time[1] = 6;
  EXPECT_EQ(brute_force(problem), 9);  // {0, 1} on the accelerator: 7 + 2 out; {2} on the host: 6
}

TEST(BruteForce, MemoryAndSupportCanMakeItInfeasible) {
  Problem problem = chain(make_platform(2, 10, 0));
  for (Node& node : problem.workload.change().graph.nodes) node.memory = 6;
  EXPECT_EQ(brute_force(problem), std::nullopt);
  problem.workload.change().platform = make_platform(3, 10, 0);
  EXPECT_EQ(brute_force(problem), 7);  // one node each: 4, 1 + 4 + 2, 2 + 5
  problem.workload.change().graph.nodes[NodeId(1)].time[0] = kCannotRun;
  EXPECT_EQ(brute_force(problem), std::nullopt);
}

TEST(BruteForce, StagedForbidsGoingBack) {
  // 0 -> 1 -> 2 where 0 and 2 are large and 1 is small: free splits may pair any two, staged ones only neighbours.
  Problem problem = problem_of({make_node(2, 0), make_node(10, 0), make_node(3, 0)},
                               {{NodeId(0), NodeId(1), 0}, {NodeId(1), NodeId(2), 0}}, make_platform(2, kUnlimited, 0));
  problem.shape = Shape::Free;
  EXPECT_EQ(brute_force(problem), 10);
  problem.shape = Shape::Staged;
  EXPECT_EQ(brute_force(problem), 12);
  problem.shape = Shape::Contiguous;
  EXPECT_EQ(brute_force(problem), 12);
}

TEST(BruteForce, ContiguousIsWeakerThanStaged) {
  // Two edges that cross between the devices: each set is contiguous, but neither can come first.
  Problem problem = problem_of({make_node(1, 0), make_node(2, 0), make_node(4, 0), make_node(8, 0)},
                               {{NodeId(0), NodeId(1), 0}, {NodeId(2), NodeId(3), 0}}, make_platform(2, kUnlimited, 0));
  const std::vector<std::size_t> crossed = {0, 1, 1, 0};
  problem.shape = Shape::Contiguous;
  EXPECT_TRUE(evaluate_by_definition(problem, crossed).legal());
  problem.shape = Shape::Staged;
  EXPECT_FALSE(evaluate_by_definition(problem, crossed).shape_ok);
}

TEST(BruteForce, OutputMovesOncePerDeviceUnlessItsEdgesDiffer) {
  Problem problem = problem_of({make_node(1, 0), make_node(1, 0), make_node(1, 0)},
                               {{NodeId(0), NodeId(1), 5}, {NodeId(0), NodeId(2), 5}}, make_platform(2, kUnlimited, 0));
  EXPECT_EQ(evaluate_by_definition(problem, {0, 1, 1}).load, (std::vector<double>{6, 7}));
  problem.workload.change().graph.edges[1].cost = 3;
  EXPECT_EQ(evaluate_by_definition(problem, {0, 1, 1}).load, (std::vector<double>{9, 10}));
}

TEST(BruteForce, OrphansAreMirrored) {
  // Forward 0 -> 1; backward twin 2 of 1 and an orphan 3 with 2 -> 3: the orphan may not come after its producer's
  // device.
  Problem problem = problem_of({make_node(1, 0), make_node(1, 0), make_node(1, 0), make_node(1, 0)},
                               {{NodeId(0), NodeId(1), 0}, {NodeId(1), NodeId(2), 0}, {NodeId(2), NodeId(3), 0}},
                               make_platform(3, kUnlimited, 0));
  for (const std::size_t v : {2, 3}) problem.workload.change().graph.nodes[NodeId(v)].backward = true;
  for (const std::size_t v : {1, 2}) problem.workload.change().graph.nodes[NodeId(v)].colour = 7;
  EXPECT_TRUE(evaluate_by_definition(problem, {0, 1, 1, 0}).legal());
  EXPECT_FALSE(evaluate_by_definition(problem, {0, 1, 2, 0}).colours_ok);
  // Device 2 must precede device 1 (the mirrored edge), which is fine as long as nothing else orders them.
  EXPECT_TRUE(evaluate_by_definition(problem, {0, 1, 1, 2}).legal());
  problem.workload.change().graph.edges.push_back({NodeId(0), NodeId(3), 0});
  EXPECT_TRUE(evaluate_by_definition(problem, {0, 1, 1, 2}).legal());  // edges from forward to backward ask nothing
  // With 0 colocated with the orphan's consumer side the order closes a cycle: 0 before 1, and 4 (on 1) before 3 (on
  // 0).
  Node late = make_node(1, 0);
  late.original_id = 4;
  late.backward = true;
  problem.workload.change().graph.nodes.push_back(late);
  problem.workload.change().graph.edges.push_back({NodeId(3), NodeId(4), 0});
  EXPECT_FALSE(evaluate_by_definition(problem, {0, 1, 1, 0, 1}).shape_ok);
}

TEST(BruteForce, BackwardShapeAsksItOfTwinsToo) {
  // Twins 2 of 0 and 3 of 1, with the backward edge running the wrong way: 2 -> 3.
  Problem problem = problem_of({make_node(1, 0), make_node(1, 0), make_node(1, 0), make_node(1, 0)},
                               {{NodeId(0), NodeId(1), 0}, {NodeId(2), NodeId(3), 0}}, make_platform(2, kUnlimited, 0));
  for (const std::size_t v : {0, 1, 2, 3})
    problem.workload.change().graph.nodes[NodeId(v)].colour = static_cast<std::int64_t>(v % 2);
  for (const std::size_t v : {2, 3}) problem.workload.change().graph.nodes[NodeId(v)].backward = true;
  EXPECT_EQ(brute_force(problem), 2);
  problem.backward_shape = true;
  EXPECT_EQ(brute_force(problem), 4);
}

// Free splits include contiguous ones, and contiguous ones include staged ones of graphs without a backward part.
TEST(BruteForce, ShapesAreNested) {
  expect_for_all_workloads(
      [](const Workload& workload, unsigned) -> Complaint {
        Problem problem{workload};
        const auto staged = brute_force(problem);
        problem.shape = Shape::Contiguous;
        const auto contiguous = brute_force(problem);
        problem.shape = Shape::Free;
        const auto free = brute_force(problem);
        if (contiguous && (!free || *free > *contiguous)) return "contiguous beats free";
        if (staged && (!contiguous || *contiguous > *staged)) return "staged beats contiguous";
        return {};
      },
      4);
}

TEST(BruteForce, SubdivisionChangesNothing) {
  expect_for_all_workloads(
      [](const Workload& workload, unsigned) -> Complaint {
        const Workload explicit_nodes = subdivided(workload);
        if (explicit_nodes.graph.nodes.size() > 11) return {};
        const auto implicit = brute_force({workload});
        const auto expected = brute_force({explicit_nodes});
        if (implicit.has_value() != expected.has_value()) return "feasible in one form only";
        if (implicit && !nearly(*implicit, *expected)) return "values differ";
        return {};
      },
      4);
}

}  // namespace
}  // namespace partita::detail
