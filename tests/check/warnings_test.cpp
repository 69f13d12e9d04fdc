// SPDX-License-Identifier: Apache-2.0
// What is said before the numbers of a split are believed.
#include "partita/check/warnings.h"

#include <gtest/gtest.h>

#include "tests/check/check_fixture.h"

namespace partita::detail {
namespace {

// Forward and backward of two nodes, each of 10 bytes.
Problem training(MemoryModel model) {
  Problem problem = problem_of(graph_from_text("a 1 1 mem=10; b 1 1 mem=10; a -> b", 2, 100));
  Node backward = problem.workload->graph.nodes[NodeId(1)];
  backward.original_id = 99;
  backward.backward = true;
  const NodeId added = problem.workload.change().graph.nodes.push_back(backward);
  problem.workload.change().graph.edges.push_back({NodeId(1), added, 1});
  for (Node& node : problem.workload.change().graph.nodes) node.parts.weights = node.memory;
  problem.memory_model = model;
  problem.microbatches = 4;
  return problem;
}

void take_apart(Problem& problem, NodeId v) { problem.workload.change().graph.nodes[v].parts = {4, 4, 2, 0}; }

std::vector<std::string> said(const Problem& problem) { return warnings(problem, CheckReport{}); }

TEST(Warnings, NotesOfTheReaderComeFirst) {
  Problem problem = training(MemoryModel::GPipe);
  problem.workload.change().notes = {"something odd"};
  ASSERT_EQ(said(problem).size(), 2u);
  EXPECT_EQ(said(problem)[0], "something odd");
}

TEST(Warnings, MemoryInFlightNeedsActivations) {
  for (const MemoryModel model : {MemoryModel::OneF1B, MemoryModel::GPipe}) {
    Problem problem = training(model);
    ASSERT_EQ(said(problem).size(), 1u);
    EXPECT_EQ(said(problem)[0].find("no node has `activation`: the memory model"), 0u) << said(problem)[0];
    take_apart(problem, NodeId(0));
    ASSERT_EQ(said(problem).size(), 1u);
    EXPECT_EQ(said(problem)[0].find("1 forward node with 50 % of the memory has no `activation`"), 0u);
    take_apart(problem, NodeId(1));
    EXPECT_TRUE(said(problem).empty());
  }
  EXPECT_TRUE(said(training(MemoryModel::Flat)).empty());
}

TEST(Warnings, TheFlatModelIsAnUnderestimateWithSamplesInFlight) {
  const Problem flat = training(MemoryModel::Flat);
  EXPECT_TRUE(simulation_warnings(flat, CheckReport{}, 1).empty());
  const std::vector<std::string> lines = simulation_warnings(flat, CheckReport{}, 7);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("up to 7 samples are in flight"), std::string::npos);
  EXPECT_NE(lines[0].find("underestimate"), std::string::npos);
  Problem inference = problem_of(graph_from_text("a 1 1 mem=10", 2, 100));
  EXPECT_TRUE(simulation_warnings(inference, CheckReport{}, 7).empty());
  Problem counted = training(MemoryModel::OneF1B);
  take_apart(counted, NodeId(0));
  take_apart(counted, NodeId(1));
  EXPECT_TRUE(simulation_warnings(counted, CheckReport{}, 7).empty());
}

}  // namespace
}  // namespace partita::detail
