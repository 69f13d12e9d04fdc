// SPDX-License-Identifier: Apache-2.0
// Every term of a load, in numbers worked out by hand.
#include <gtest/gtest.h>

#include "tests/check/check_fixture.h"

namespace partita::detail {
namespace {

constexpr DeviceId kFirst(0);
constexpr DeviceId kSecond(1);
constexpr DeviceId kHost(2);

constexpr const char* kDiamond =
    "a 3 30 mem=1 out=0.5; b 2 20 mem=2 out=1; c 5 50 mem=4 out=2; d 1 10 mem=8; a -> b c; b c -> d";

TEST(Loads, AddsComputeAndBothDirections) {
  const Problem problem =
      problem_of(graph_from_text("a 3 30 out=0.5; b 2 20 out=1; c 5 50 out=2; d 1 10; a -> b c; b -> d; c -> d"));
  const CheckReport report = check_text(problem, "a b | c | d");
  EXPECT_TRUE(report.legal());
  EXPECT_DOUBLE_EQ(report.devices[kFirst].compute(), 5);
  EXPECT_DOUBLE_EQ(report.devices[kFirst].in(), 0);
  EXPECT_DOUBLE_EQ(report.devices[kFirst].out(), 1.5);  // a to c, b to d
  EXPECT_DOUBLE_EQ(report.load[kFirst], 6.5);
  EXPECT_DOUBLE_EQ(report.devices[kSecond].compute(), 5);
  EXPECT_DOUBLE_EQ(report.devices[kSecond].in(), 0.5);
  EXPECT_DOUBLE_EQ(report.devices[kSecond].out(), 2);
  EXPECT_DOUBLE_EQ(report.load[kSecond], 7.5);
  EXPECT_DOUBLE_EQ(report.load[kHost], 10);
  EXPECT_DOUBLE_EQ(report.value, 10);
  EXPECT_EQ(report.bottleneck, kHost);
}

TEST(Loads, HostsPayForNoTransfer) {
  const Problem problem = problem_of(graph_from_text("a 1 1 out=4; b 1 1 out=4; c 1 1; a -> b -> c"));
  const CheckReport report = check_text(problem, "a | c | b");
  EXPECT_DOUBLE_EQ(report.devices[kHost].in(), 0);
  EXPECT_DOUBLE_EQ(report.devices[kHost].out(), 0);
  EXPECT_DOUBLE_EQ(report.load[kHost], 1);
  EXPECT_DOUBLE_EQ(report.load[kFirst], 5);  // the accelerators pay, though a host is at the other end
  EXPECT_DOUBLE_EQ(report.load[kSecond], 5);
}

TEST(Loads, AnOutputMovesOncePerDeviceAndDirection) {
  const Problem problem = problem_of(graph_from_text("a 0 0 out=1; b 0 0; c 0 0; d 0 0; e 0 0; a -> b c d e", 3));
  const CheckReport report = check_text(problem, "a | b c | d e");
  EXPECT_DOUBLE_EQ(report.load[DeviceId(0)], 1);
  EXPECT_DOUBLE_EQ(report.load[DeviceId(1)], 1);
  EXPECT_DOUBLE_EQ(report.load[DeviceId(2)], 1);
}

TEST(Loads, ParallelEdgesOfOneCostAreOneTransfer) {
  const Problem problem = problem_of(graph_from_text("a 0 0; b 0 0; a -> b : 2; a -> b : 2"));
  EXPECT_DOUBLE_EQ(check_text(problem, "a | b").value, 2);
}

TEST(Loads, NothingMovesInsideADevice) {
  const Problem problem = problem_of(graph_from_text("a 1 1 out=9; b 2 2 out=9; c 4 4; a -> b c; b -> c"));
  EXPECT_DOUBLE_EQ(check_text(problem, "a b c").value, 7);
}

TEST(Loads, EdgesOfDifferentCostAreTransfersOfTheirOwn) {
  const Problem mixed =
      problem_of(graph_from_text("a 1 1; b 1 1; c 1 1; d 1 1; e 1 1; a -> b c : 0.5; a -> d : 2; a -> e : 8"));
  const CheckReport report = check_text(mixed, "a e | b c d");
  EXPECT_DOUBLE_EQ(report.devices[kFirst].out(), 3);  // 0.5 twice and 2; e stays at home
  EXPECT_DOUBLE_EQ(report.devices[kSecond].in(), 3);

  // The paper's subdivision, written out: a zero node on each edge, colocated with a.
  const Problem subdivided = problem_of(graph_from_text(
      "a 1 1 colour=1; b 1 1; c 1 1; d 1 1; e 1 1; ab 0 0 colour=1; ac 0 0 colour=1; ad 0 0 colour=1; ae 0 0 colour=1;"
      "a -> ab ac ad ae; ab -> b : 0.5; ac -> c : 0.5; ad -> d : 2; ae -> e : 8"));
  for (const auto& [plain, expanded] :
       {std::pair{"a e | b c d", "a ab ac ad ae e | b c d"}, std::pair{"a | b c d e", "a ab ac ad ae | b c d e"},
        std::pair{"a b | c | d e", "a ab ac ad ae b | c | d e"}}) {
    const CheckReport one = check_text(mixed, plain);
    const CheckReport other = check_text(subdivided, expanded);
    EXPECT_TRUE(other.legal());
    EXPECT_EQ(one.load, other.load) << plain;
    EXPECT_DOUBLE_EQ(one.value, other.value) << plain;
  }
}

TEST(Loads, TransferModes) {
  const PassLoad pass{5, 3, 4};
  EXPECT_DOUBLE_EQ(pass_load(pass, TransferMode::Sum), 12);
  EXPECT_DOUBLE_EQ(pass_load(pass, TransferMode::Overlap), 7);
  EXPECT_DOUBLE_EQ(pass_load(pass, TransferMode::Duplex), 5);
  EXPECT_DOUBLE_EQ(pass_load({9, 3, 4}, TransferMode::Overlap), 9);
  EXPECT_DOUBLE_EQ(pass_load({1, 3, 4}, TransferMode::Duplex), 4);
  EXPECT_DOUBLE_EQ(pass_load({1, 6, 4}, TransferMode::Duplex), 6);

  Problem problem = problem_of(graph_from_text("a 0 0 out=3; b 5 5 out=4; c 0 0; a -> b -> c", 3));
  EXPECT_DOUBLE_EQ(check_text(problem, "a | b | c").value, 12);
  problem.transfers = TransferMode::Overlap;
  EXPECT_DOUBLE_EQ(check_text(problem, "a | b | c").value, 7);
  problem.transfers = TransferMode::Duplex;
  EXPECT_DOUBLE_EQ(check_text(problem, "a | b | c").value, 5);
}

// Forward a, b; backward B, A. Device 0 holds a and A, device 1 b and B.
Problem training() {
  return problem_of(
      graph_from_text("a 3 0 colour=1 out=1; b 5 0 colour=2 out=2; B 1 0 colour=2 out=4 back; A 6 0 colour=1 back;"
                      "a -> b A; b -> B; B -> A"));
}

void expect_pass(const PassLoad& pass, double compute, double in, double out) {
  EXPECT_DOUBLE_EQ(pass.compute, compute);
  EXPECT_DOUBLE_EQ(pass.in, in);
  EXPECT_DOUBLE_EQ(pass.out, out);
}

TEST(Loads, TrainingAddsTheTwoPasses) {
  const CheckReport report = check_text(training(), "a A | b B");
  EXPECT_TRUE(report.legal());
  expect_pass(report.devices[kFirst].forward, 3, 0, 1);
  expect_pass(report.devices[kFirst].backward, 6, 4, 0);
  EXPECT_DOUBLE_EQ(report.load[kFirst], 14);
  expect_pass(report.devices[kSecond].forward, 5, 1, 0);
  expect_pass(report.devices[kSecond].backward, 1, 0, 4);
  EXPECT_DOUBLE_EQ(report.load[kSecond], 11);
  EXPECT_DOUBLE_EQ(report.value, 14);
}

TEST(Loads, GPipeAddsTheLargestOfEachPass) {
  Problem problem = training();
  problem.objective = Objective::GPipe;
  EXPECT_DOUBLE_EQ(check_text(problem, "a A | b B").value, 6 + 10);
}

TEST(Loads, TransferModesApplyToEachPass) {
  Problem problem = training();
  problem.transfers = TransferMode::Overlap;
  const CheckReport report = check_text(problem, "a A | b B");
  EXPECT_DOUBLE_EQ(report.load[kFirst], 3 + 6);
  EXPECT_DOUBLE_EQ(report.load[kSecond], 5 + 4);
}

TEST(Loads, ATransferBelongsToThePassOfItsProducer) {
  const Problem problem = problem_of(graph_from_text("a 1 0 out=2; B 1 0 back; a -> B"));
  const CheckReport report = check_text(problem, "a | B");
  EXPECT_DOUBLE_EQ(report.devices[kSecond].forward.in, 2);
  EXPECT_DOUBLE_EQ(report.devices[kSecond].backward.in, 0);
}

TEST(Loads, EmptyDevicesHoldNothing) {
  const Problem problem = problem_of(graph_from_text("a 1 1 mem=7", 3, 8));
  const CheckReport report = check_text(problem, "| a");
  EXPECT_TRUE(report.legal());
  EXPECT_EQ(report.devices[kFirst].node_count, 0u);
  EXPECT_DOUBLE_EQ(report.load[kFirst], 0);
  EXPECT_EQ(report.devices[kSecond].node_count, 1u);
  EXPECT_DOUBLE_EQ(report.devices[kSecond].memory, 7);
  EXPECT_EQ(report.order, Devices{kSecond});
}

TEST(Loads, AGraphWithoutNodesCostsNothing) {
  const CheckReport report = check_text(problem_of(graph_from_text("")), "");
  EXPECT_TRUE(report.legal());
  EXPECT_DOUBLE_EQ(report.value, 0);
  EXPECT_TRUE(report.order.empty());
}

TEST(Loads, SeveralClassesHaveTheirOwnTimes) {
  Platform platform;
  platform.classes.push_back({"fast", DeviceKind::Accelerator, 1, kUnlimited});
  platform.classes.push_back({"slow", DeviceKind::Accelerator, 1, kUnlimited});
  Workload workload = graph_from_text("a 1 0 out=0.5; b 1 0; a -> b", platform);
  workload.graph.nodes[node_named(workload, "b")].time = {1, 10};
  const CheckReport report = check_text(problem_of(workload), "a | b");
  EXPECT_DOUBLE_EQ(report.load[kSecond], 10.5);
}

TEST(Loads, MemoryIsAddedUp) {
  const CheckReport report = check_text(problem_of(graph_from_text(kDiamond)), "a c | b d");
  EXPECT_DOUBLE_EQ(report.devices[kFirst].memory, 5);
  EXPECT_DOUBLE_EQ(report.devices[kSecond].memory, 10);
}

}  // namespace
}  // namespace partita::detail
