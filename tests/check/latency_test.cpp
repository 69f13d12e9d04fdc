// SPDX-License-Identifier: Apache-2.0
// The time of one sample, worked out by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/check/check_fixture.h"

namespace partita::detail {
namespace {

Problem latency_of(std::string_view text, int accelerators = 2) {
  return problem_of(graph_from_text(text, accelerators), Shape::Staged, Objective::Latency);
}

TEST(Latency, AChainThroughOneAccelerator) {
  const Problem problem = latency_of("s - 2 out=1; a 3 - out=4; b 5 - out=6; t - 7; s -> a -> b -> t");
  const CheckReport report = check_text(problem, "a b | | s t");  // the host comes before and after: no matter here
  EXPECT_TRUE(report.legal());
  EXPECT_DOUBLE_EQ(report.value, 2 + (1 + 3 + 5 + 6) + 7);
  ASSERT_EQ(report.schedule.size(), 3u);
  EXPECT_EQ(report.schedule[0].node, node_named(problem.workload, "s"));
  EXPECT_FALSE(report.schedule[1].node.valid());
  EXPECT_DOUBLE_EQ(report.schedule[1].start, 2);
  EXPECT_DOUBLE_EQ(report.schedule[1].finish, 17);
  EXPECT_EQ(report.host_cores, 1u);
  EXPECT_TRUE(report.order.empty());
}

TEST(Latency, AcceleratorsRunSideBySide) {
  const Problem problem = latency_of("s - 1 out=1; a 5 - out=2; b 7 - out=3; t - 1; s -> a b; a -> t; b -> t");
  EXPECT_DOUBLE_EQ(check_text(problem, "a | b | s t").value, 1 + std::max(1 + 5 + 2, 1 + 7 + 3) + 1);
  EXPECT_DOUBLE_EQ(check_text(problem, "a b | | s t").value, 1 + (1 + 12 + 5) + 1);
}

TEST(Latency, ASubgraphWaitsForAllItsInputsAndHandsOutAtItsEnd) {
  // b needs nothing but shares its subgraph with a, which waits for s; u could read b early, but outputs come at the
  // end.
  const Problem problem = latency_of("s - 10; a 1 -; b 2 -; u - 4; s -> a; b -> u");
  EXPECT_DOUBLE_EQ(check_text(problem, "a b | | s u").value, 10 + 3 + 4);
  EXPECT_DOUBLE_EQ(check_text(problem, "a | b | s u").value, 11);
}

TEST(Latency, HostNodesRunOnAsManyCoresAsTheyWant) {
  const Problem problem = latency_of("a - 3; b - 4; c - 5; d - 1; e - 0; a -> d; b -> d; e -> d");
  const CheckReport report = check_text(problem, "| | a b c d e");
  EXPECT_DOUBLE_EQ(report.value, 5);
  EXPECT_EQ(report.host_cores, 3u);  // e takes no time; d starts as b ends
}

TEST(Latency, TheTransferModeAndTheShapePlayNoPart) {
  Problem problem = latency_of("a 3 - out=1; b 5 -; a -> b");
  const double value = check_text(problem, "a | b").value;
  EXPECT_DOUBLE_EQ(value, (3 + 1) + (1 + 5));
  problem.transfers = TransferMode::Duplex;
  problem.shape = Shape::Contiguous;
  EXPECT_DOUBLE_EQ(check_text(problem, "a | b").value, value);
}

TEST(Latency, NamesWhatWaitsForItself) {
  const Problem problem = latency_of("a 1 1; h 1 1; b 1 1; a -> h -> b");
  const CheckReport report = check_text(problem, "a b | | h");
  EXPECT_EQ(messages(report, Violation::Kind::Shape).size(), 1u);
  const std::string message = messages(report, Violation::Kind::Shape)[0];
  EXPECT_NE(message.find("accelerator 0 before 2 (h) on host 0 (by edge 1 (a) -> 2 (h))"), std::string::npos)
      << message;
  EXPECT_NE(message.find("2 (h) on host 0 before accelerator 0 (by edge 2 (h) -> 3 (b))"), std::string::npos)
      << message;
  EXPECT_TRUE(std::isinf(report.value));
  EXPECT_TRUE(report.schedule.empty());
}

TEST(Latency, ContiguousSetsThatNeedEachOtherAreNotEnough) {
  const Problem problem = latency_of("a 1 1; b 1 1; c 1 1; d 1 1; a -> b; c -> d");
  EXPECT_EQ(messages(check_text(problem, "a d | b c"), Violation::Kind::Shape).size(), 1u);
}

TEST(Latency, ATrainingAcceleratorRunsTwoSubgraphs) {
  const Problem problem = latency_of(
      "a 3 - out=1 colour=1; b 5 - out=2 colour=2; B 1 - out=4 colour=2 back; A 6 - colour=1 back;"
      "a -> b A; b -> B; B -> A");
  const CheckReport report = check_text(problem, "a A | b B");
  EXPECT_TRUE(report.legal());
  const double a = 3 + 1;
  const double b = 1 + 5 + 2;  // b's output goes through host memory to the backward subgraph beside it
  const double backward_b = 2 + 1 + 4;
  const double backward_a = 1 + 4 + 6;
  EXPECT_DOUBLE_EQ(report.value, a + b + backward_b + backward_a);
  ASSERT_EQ(report.schedule.size(), 4u);
  EXPECT_TRUE(report.schedule[3].backward);
  EXPECT_EQ(report.schedule[3].device, DeviceId(0));
}

TEST(Latency, AnAcceleratorDoesOneThingAtATime) {
  const Problem problem = latency_of("a 5 -; h - 1; B 1 - back; h -> B");
  EXPECT_DOUBLE_EQ(check_text(problem, "a B | | h").value, 6);
  EXPECT_DOUBLE_EQ(check_text(problem, "a | B | h").value, 5);
}

TEST(Latency, BackwardSubgraphsMustNotWaitForThemselvesEither) {
  const Problem problem = latency_of("X 1 1 back; Y 1 1 back; Z 1 1 back; X -> Y -> Z");
  const Messages found = messages(check_text(problem, "X Z | Y"), Violation::Kind::Shape);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].find("accelerator 0 (backward) before accelerator 1 (backward)"), std::string::npos) << found[0];
}

TEST(Latency, EdgesOfDifferentCostMoveOnTheirOwn) {
  const Problem problem = latency_of("a 1 -; b 1 -; c 1 -; a -> b : 2; a -> c : 3");
  EXPECT_DOUBLE_EQ(check_text(problem, "a | b c").value, (1 + 5) + (5 + 2));
}

TEST(Latency, MemorySupportAndColoursStillCount) {
  const Problem problem =
      problem_of(graph_from_text("a - 1 mem=3 colour=1; b 1 1 colour=1", 2, 2), Shape::Staged, Objective::Latency);
  const CheckReport report = check_text(problem, "a | b");
  EXPECT_EQ(messages(report, Violation::Kind::Memory).size(), 1u);
  EXPECT_EQ(messages(report, Violation::Kind::Support).size(), 1u);
  EXPECT_EQ(messages(report, Violation::Kind::Colour).size(), 1u);
}

TEST(Latency, AClaimAboutASplitWithoutValueIsNotCompared) {
  const Problem problem = latency_of("a 1 1; b 1 1; c 1 1; a -> b -> c");
  SplitListing listing;
  listing.devices = {{DeviceKind::Accelerator, "", {1, 3}}, {DeviceKind::Accelerator, "", {2}}};
  listing.claimed_value = 3;
  const CheckReport report = check(problem, listing);
  EXPECT_TRUE(messages(report, Violation::Kind::Value).empty());
  EXPECT_FALSE(report.legal());
}

}  // namespace
}  // namespace partita::detail
