// SPDX-License-Identifier: Apache-2.0
// Samples in flight and memory over time, by hand.
#include <gtest/gtest.h>

#include "tests/schedule/timeline.h"

namespace partita::detail {
namespace {

// "0: 0 x 10, 2: 1 x 13" for each point: time, samples in flight, bytes.
std::string memory_text(const Simulation& s, std::size_t device) {
  std::string text;
  for (const MemoryPoint& point : s.memory[DeviceId(device)])
    text += fmt::format("{}{:.6g}: {} x {:.6g}", text.empty() ? "" : ", ", point.time, point.in_flight, point.bytes);
  return text;
}

Problem two_stages_in_training() {
  Problem problem =
      problem_of(graph_from_text("a 2 9 colour=1; b 3 9 colour=2; B 3 9 back colour=2; A 2 9 back colour=1;"
                                 "a -> b -> B -> A",
                                 2, kUnlimited, 0));
  problem.memory_model = MemoryModel::OneF1B;
  Node& a = problem.workload.change().graph.nodes[NodeId(0)];
  a.parts = {.weights = 100, .optimizer_state = 50, .activation = 8, .recompute_activation = 1};
  a.memory = 7;
  return problem;
}

TEST(MemoryInFlight, OneForwardOneBackward) {
  Problem problem = two_stages_in_training();
  Split split = split_from_text(problem.workload, "a A | b B");
  split.order = {DeviceId(0), DeviceId(1)};
  const Simulation s = simulate(problem, split, run_as(ScheduleKind::OneF1B, 3));
  // Forward 0-2, 2-4, 10-12, backward 8-10, 14-16, 20-22.
  EXPECT_EQ(memory_text(s, 0), "0: 1 x 158, 2: 2 x 166, 16: 1 x 158, 22: 0 x 150");
  EXPECT_EQ(s.devices[DeviceId(0)].peak_memory, 166);
  EXPECT_EQ(s.devices[DeviceId(0)].peak_memory, check(problem, split).devices[DeviceId(0)].memory);
  EXPECT_EQ(s.devices[DeviceId(0)].most_in_flight, 2u);
  EXPECT_EQ(s.devices[DeviceId(1)].most_in_flight, 1u);

  const Simulation batch = simulate(problem, split, run_as(ScheduleKind::GPipe, 3, 3));
  EXPECT_EQ(batch.devices[DeviceId(0)].peak_memory, 174);
}

TEST(MemoryInFlight, RecomputedActivationsAreThereWhileTheyAreNeeded) {
  Problem problem = two_stages_in_training();
  problem.recompute = true;
  Split split = split_from_text(problem.workload, "a A | b B");
  split.order = {DeviceId(0), DeviceId(1)};
  split.recomputes.assign(2, 0);
  split.recomputes[DeviceId(0)] = 1;
  const Simulation s = simulate(problem, split, run_as(ScheduleKind::OneF1B, 2));
  EXPECT_EQ(memory_text(s, 0), "0: 1 x 151, 2: 2 x 152, 8: 2 x 160, 10: 1 x 151, 14: 1 x 159, 16: 0 x 150");
  EXPECT_EQ(s.devices[DeviceId(0)].peak_memory, 160);
}

// They are computed behind what the backward pass reads: A reads from 9 on and computes from 10 on.
TEST(MemoryInFlight, RecomputedActivationsAreNotThereBeforeTheyAreComputed) {
  Problem problem = two_stages_in_training();
  problem.workload.change().graph.edges[2].cost = 1;
  problem.recompute = true;
  Split split = split_from_text(problem.workload, "a A | b B");
  split.order = {DeviceId(0), DeviceId(1)};
  split.recomputes = {1, 0};
  EXPECT_EQ(memory_text(simulate(problem, split, run_as(ScheduleKind::Sequential, 1)), 0),
            "0: 1 x 151, 10: 1 x 159, 12: 0 x 150");
}

// Stage 1 reads the next sample from 6 to 7, while it computes until 7, and so on: that is no rounding, however late.
TEST(MemoryInFlight, OfSamplesThatOverlapALittle) {
  Problem problem = problem_of(graph_from_text("a 2 9; b 3 9; a -> b : 1", 2));
  problem.transfers = TransferMode::Overlap;
  const Simulation s =
      simulate(problem, split_from_text(problem.workload, "a | b"), run_as(ScheduleKind::Pipeline, 100));
  std::size_t two = 0;
  for (const MemoryPoint& point : s.memory[DeviceId(1)]) two += point.in_flight == 2 ? 1 : 0;
  EXPECT_EQ(two, 99u);
}

TEST(MemoryInFlight, PeaksAreThoseOfAllSamples) {
  const Problem problem = two_stages_in_training();
  Split split = split_from_text(problem.workload, "a A | b B");
  split.order = {DeviceId(0), DeviceId(1)};
  SimulationOptions options = run_as(ScheduleKind::GPipe, 4, 4);
  options.record = 0;
  const Simulation s = simulate(problem, split, options);
  EXPECT_EQ(s.devices[DeviceId(0)].peak_memory, 182);
  EXPECT_EQ(s.devices[DeviceId(0)].most_in_flight, 4u);
}

TEST(MemoryInFlight, FlatMemoryDoesNotChange) {
  Problem problem = two_stages_in_training();
  problem.memory_model = MemoryModel::Flat;
  const Simulation s =
      simulate(problem, split_from_text(problem.workload, "a A | b B"), run_as(ScheduleKind::OneF1B, 2));
  EXPECT_EQ(memory_text(s, 0), "0: 1 x 7, 2: 2 x 7, 10: 1 x 7, 16: 0 x 7");
}

}  // namespace
}  // namespace partita::detail
