// SPDX-License-Identifier: Apache-2.0
#include "partita/check/memory.h"

#include <gtest/gtest.h>

#include "tests/check/setup_fixture.h"

namespace partita::detail {
namespace {

using Kind = Violation::Kind;

// Three nodes in a row, each with 10 bytes of weights, 20 of optimizer state and 3 for each sample in flight, or 1 and
// half of its time once more.
Problem in_flight(MemoryModel model, int microbatches = 0) {
  Problem problem = problem_of(graph_from_text("a 4 4; b 4 4; c 4 4; a -> b -> c", 4, 39, 0));
  for (Node& node : problem.workload.change().graph.nodes) {
    node.parts = {10, 20, 3, 1};
    node.recompute_share = 0.5;
  }
  problem.memory_model = model;
  problem.microbatches = microbatches;
  return problem;
}

Split in_order(const Problem& problem, const char* text, std::initializer_list<std::size_t> order) {
  Split split = split_from_text(problem.workload, text);
  for (const std::size_t d : order) split.order.push_back(DeviceId(d));
  return split;
}

std::vector<double> memory(const CheckReport& report) {
  std::vector<double> result;
  for (const DeviceReport& device : report.devices) result.push_back(device.memory);
  return result;
}

TEST(MemoryInFlight, CountsTheStagesToTheEnd) {
  const Problem problem = in_flight(MemoryModel::OneF1B);
  const CheckReport report = check(problem, in_order(problem, "a | b | c", {0, 1, 2}));
  EXPECT_TRUE(report.legal());
  EXPECT_EQ(memory(report), (std::vector<double>{39, 36, 33, 0}));
  EXPECT_EQ(report.devices[DeviceId(0)].memory_items.in_flight, 3u);
  EXPECT_EQ(report.devices[DeviceId(0)].memory_items.activation, 3);
  EXPECT_EQ(memory(check(in_flight(MemoryModel::OneF1B, 2), in_order(problem, "a | b | c", {0, 1, 2}))),
            (std::vector<double>{36, 36, 33, 0}));
  EXPECT_EQ(memory(check(in_flight(MemoryModel::GPipe, 5), in_order(problem, "a | b | c", {}))),
            (std::vector<double>{45, 45, 45, 0}));
}

TEST(MemoryInFlight, IsSharedByCopies) {
  Problem problem = in_flight(MemoryModel::OneF1B);
  problem.replicas = 3;
  Split split = in_order(problem, "a | b c", {0, 1});
  split.copy_of = copies({0, 1, 1, 1});
  CheckReport report = check(problem, split);
  EXPECT_EQ(report.devices[DeviceId(0)].memory_items.in_flight, 4u);
  EXPECT_EQ(report.devices[DeviceId(1)].memory_items.in_flight, 1u);
  EXPECT_EQ(memory(report), (std::vector<double>{42, 66, 66, 66}));
  EXPECT_EQ(messages(report, Kind::Memory).size(), 2u);  // a copy is not named again
  split = in_order(problem, "a | | b c", {0, 2});
  split.copy_of = copies({0, 0, 2, 3});
  report = check(problem, split);
  EXPECT_EQ(report.devices[DeviceId(0)].memory_items.in_flight, 2u);  // three devices, two of them here
}

TEST(MemoryInFlight, GoesByTheSplitsOwnOrder) {
  const Problem problem = in_flight(MemoryModel::OneF1B);
  EXPECT_EQ(messages(check(problem, in_order(problem, "a | b | c", {})), Kind::Shape),
            Messages{"the split does not say in which order its stages are, and their memory depends on it"});
  EXPECT_EQ(messages(check(problem, in_order(problem, "a | b | c", {0, 2, 1})), Kind::Shape),
            Messages{"the order that the split gives its stages leaves some out, or does not take every edge forward "
                     "with clusters kept together"});
  EXPECT_TRUE(messages(check(problem, in_order(problem, "a b c", {})), Kind::Shape).empty());
  EXPECT_TRUE(check(in_flight(MemoryModel::OneF1B, 1), in_order(problem, "a | b | c", {})).legal());
}

TEST(MemoryInFlight, NeedsStages) {
  Problem problem = in_flight(MemoryModel::GPipe, 1);
  problem.shape = Shape::Free;
  EXPECT_EQ(messages(check(problem, in_order(problem, "a | b | c", {})), Kind::Memory),
            Messages{"the memory model gpipe needs a staged split for throughput, which has stages"});
}

TEST(Recomputing, TakesTimeAndSavesMemory) {
  Problem problem = in_flight(MemoryModel::OneF1B);
  problem.recompute = true;
  Split split = in_order(problem, "a | b | c", {0, 1, 2});
  split.recomputes = {1, 0, 0, 0};
  const CheckReport report = check(problem, split);
  EXPECT_TRUE(report.legal());
  EXPECT_EQ(memory(report), (std::vector<double>{30 + 3 * 1 + 3, 36, 33, 0}));
  EXPECT_EQ(loads(report), (std::vector<double>{6, 4, 4, 0}));
}

TEST(Recomputing, BelongsToTheBackwardPass) {
  Problem problem = in_flight(MemoryModel::GPipe, 1);
  problem.recompute = true;
  problem.workload.change().graph.nodes[NodeId(2)].backward = true;
  problem.workload.change().graph.nodes[NodeId(2)].recompute_share = 0;
  Split split = in_order(problem, "a b c", {});
  split.recomputes = {1, 0, 0, 0};
  const DeviceReport device = check(problem, split).devices[DeviceId(0)];
  EXPECT_EQ(device.forward.compute, 8);
  EXPECT_EQ(device.backward.compute, 4 + 4);
}

TEST(Recomputing, MustBeAllowedAndTheSameForCopies) {
  Problem problem = in_flight(MemoryModel::OneF1B);
  Split split = in_order(problem, "a b c", {});
  split.recomputes = {1, 0, 0, 1};  // what an empty device does is of no interest
  EXPECT_EQ(messages(check(problem, split), Kind::Recompute),
            Messages{"accelerator 0 recomputes activations, which the question does not allow"});
  problem.recompute = true;
  EXPECT_TRUE(messages(check(problem, split), Kind::Recompute).empty());
  problem.replicas = 2;
  split.copy_of = copies({0, 0, 2, 3});
  EXPECT_EQ(messages(check(problem, split), Kind::Recompute),
            Messages{"of accelerator 0 and its copy accelerator 1, one recomputes activations and the other does not"});
  split.recomputes = {1};
  EXPECT_EQ(messages(check(problem, split), Kind::Recompute),
            Messages{"the list of who recomputes has 1 entry, but the platform has 4 devices"});
}

}  // namespace
}  // namespace partita::detail
