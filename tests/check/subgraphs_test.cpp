// SPDX-License-Identifier: Apache-2.0
// The time of one sample where accelerators run several subgraphs, worked out by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/check/check_fixture.h"

namespace partita::detail {
namespace {

Problem latency_with(std::string_view text, int subgraphs, int accelerators = 2) {
  Problem problem = problem_of(graph_from_text(text, accelerators), Shape::Staged, Objective::Latency);
  problem.subgraphs = subgraphs;
  return problem;
}

TEST(Subgraphs, ContiguousSetsThatNeedEachOtherMayTakeTurns) {
  constexpr const char* kText = "a 1 - out=1; b 2 - out=1; c 3 - out=1; d 4 -; a -> b; b -> c; c -> d";
  EXPECT_EQ(messages(check_text(latency_with(kText, 1), "a c | b d"), Violation::Kind::Shape).size(), 1u);

  const Problem two = latency_with(kText, 2);
  const CheckReport report = check_text(two, "a / c | b / d");
  EXPECT_TRUE(report.legal());
  EXPECT_DOUBLE_EQ(report.value, (1 + 1) + (1 + 2 + 1) + (1 + 3 + 1) + (1 + 4));
  ASSERT_EQ(report.schedule.size(), 4u);
  EXPECT_EQ(report.schedule[2].device, DeviceId(0));
  EXPECT_EQ(report.schedule[2].subgraph, 1u);
  EXPECT_EQ(report.schedule[2].node_count, 1u);
  EXPECT_DOUBLE_EQ(report.schedule[2].start, 6);

  // In the wrong order each waits for the other.
  EXPECT_TRUE(std::isinf(check_text(two, "c / a | b / d").value));
}

TEST(Subgraphs, TheirOrderTakesTime) {
  // Two independent chains over two accelerators. Without the order, a and c would run at once on one accelerator and
  // all would be done at 3 + 4 = 7; but one of them goes second.
  constexpr const char* kText = "a 3 -; b 4 -; c 2 -; d 1 -; a -> b; c -> d";
  const Problem problem = latency_with(kText, 2);
  EXPECT_DOUBLE_EQ(check_text(problem, "c / a | d / b").value, 2 + 3 + 4);
  EXPECT_DOUBLE_EQ(check_text(problem, "a / c | b / d").value, 3 + 4 + 1);
  EXPECT_DOUBLE_EQ(check_text(problem, "a / c | d / b").value, 3 + 2 + 1 + 4);  // b waits for d, which waits for c
}

TEST(Subgraphs, WhatPassesBetweenThemGoesThroughHostMemory) {
  const Problem problem = latency_with("a 1 - out=10; b 2 -; a -> b", 2, 1);
  EXPECT_DOUBLE_EQ(check_text(problem, "a b").value, 3);
  EXPECT_DOUBLE_EQ(check_text(problem, "a / b").value, (1 + 10) + (10 + 2));
}

TEST(Subgraphs, EdgesOfDifferentCostBelongToTheProducersSubgraph) {
  const Problem problem = latency_with("a 1 -; b 1 -; c 1 -; a -> b : 2; a -> c : 3", 2, 1);
  EXPECT_DOUBLE_EQ(check_text(problem, "a b / c").value, (1 + 1 + 3) + (3 + 1));
}

TEST(Subgraphs, OnlyTheirOrderCountsAsLongAsTheNumbersAreBelowTheLimit) {
  const Problem problem = latency_with("a 1 -; b 2 -; a -> b", 4, 1);
  const CheckReport report = check_text(problem, "/ a / / b");
  EXPECT_TRUE(report.legal());
  EXPECT_DOUBLE_EQ(report.value, 3);
  EXPECT_EQ(report.schedule[1].subgraph, 3u);
  // Two subgraphs, but one of them has a number that is too high: holes do not make room.
  Problem two = problem;
  two.subgraphs = 2;
  EXPECT_EQ(messages(check_text(two, "a / / b"), Violation::Kind::Subgraph).size(), 1u);
  EXPECT_TRUE(check_text(two, "/ a b").legal());
}

TEST(Subgraphs, MoreThanAllowedAreNamed) {
  const Problem problem = latency_with("a 1 -; b 2 -; c 3 -; a -> b -> c", 2, 1);
  const CheckReport report = check_text(problem, "a / b / c");
  EXPECT_EQ(messages(report, Violation::Kind::Subgraph),
            Messages{"accelerator 0 may run 2 subgraphs, but the split gives it subgraphs up to number 2, counted from "
                     "0, with 1 node beyond the limit: 3 (c)"});
  EXPECT_DOUBLE_EQ(report.value, 6);  // what it would take, all the same
  Problem one = problem;
  one.subgraphs = 1;
  EXPECT_EQ(messages(check_text(one, "a / b c"), Violation::Kind::Subgraph).size(), 1u);
  EXPECT_TRUE(check_text(one, "a b c").legal());
}

TEST(Subgraphs, EachPassHasItsOwnAndForwardGoesFirst) {
  const Problem problem = latency_with(
      "a 1 - colour=1; b 2 - colour=1; B 4 - colour=1 back; A 8 - colour=1 back; a -> b; b -> B; B -> A", 2, 1);
  const CheckReport report = check_text(problem, "a B / b A");
  EXPECT_TRUE(report.legal());  // the colour class is on one device, in four subgraphs
  EXPECT_DOUBLE_EQ(report.value, 15);
  ASSERT_EQ(report.schedule.size(), 4u);
  EXPECT_FALSE(report.schedule[1].backward);
  EXPECT_EQ(report.schedule[1].subgraph, 1u);
  EXPECT_TRUE(report.schedule[2].backward);
  EXPECT_EQ(report.schedule[2].subgraph, 0u);
}

TEST(Subgraphs, BackwardOnesBeyondTheLimitSaySo) {
  const Problem problem = latency_with("a 1 -; A 1 - back; B 1 - back; a -> A -> B", 1, 1);
  const Messages found = messages(check_text(problem, "a A / B"), Violation::Kind::Subgraph);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].find("may run 1 subgraph in the backward pass"), std::string::npos) << found[0];
}

TEST(Subgraphs, MemoryIsCountedPerDevice) {
  Problem problem =
      problem_of(graph_from_text("a 1 - mem=2; b 1 - mem=2; a -> b", 1, 3), Shape::Staged, Objective::Latency);
  problem.subgraphs = 2;
  EXPECT_EQ(messages(check_text(problem, "a / b"), Violation::Kind::Memory).size(), 1u);
}

TEST(Subgraphs, ACircleIsToldByItsSubgraphs) {
  const Problem problem = latency_with("a 1 1; b 1 1; a -> b", 2, 1);
  const Messages found = messages(check_text(problem, "b / a"), Violation::Kind::Shape);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].find("accelerator 0 subgraph 1 before accelerator 0 subgraph 0 (by edge 1 (a) -> 2 (b))"),
            std::string::npos)
      << found[0];
  EXPECT_NE(found[0].find("accelerator 0 subgraph 0 before accelerator 0 subgraph 1 (subgraphs run in order)"),
            std::string::npos)
      << found[0];
}

TEST(Subgraphs, OfNoMeaningOnAHostAndForThroughput) {
  const Problem problem = latency_with("a 1 1; b 1 1; a -> b", 1, 1);
  EXPECT_TRUE(check_text(problem, "| a / b").legal());
  EXPECT_TRUE(check_text(problem_of(problem.workload), "a / b").legal());
}

class ListedSubgraphs : public testing::Test {
 protected:
  ListedSubgraphs() : problem(latency_with("a 1 - out=1; b 2 - out=1; c 3 -; A 1 1 back; a -> b -> c -> A", 2, 2)) {
    listing.devices = {{DeviceKind::Accelerator, "", {1, 3, 4}}, {DeviceKind::Accelerator, "", {2}}};
    listing.devices[0].subgraphs = {{1}, {3}};
  }

  Messages faults() const { return messages(check(problem, listing), Violation::Kind::Subgraph); }

  Problem problem;
  SplitListing listing;
};

TEST_F(ListedSubgraphs, RunInTheOrderOfTheList) {
  const CheckReport report = check(problem, listing);
  EXPECT_TRUE(report.legal());
  EXPECT_DOUBLE_EQ(report.value, 2 + 4 + 4 + 1);
  listing.devices[0].backward_subgraphs = {{}, {4}};
  EXPECT_TRUE(check(problem, listing).legal());
  listing.devices[0].subgraphs = {{3}, {1}};
  EXPECT_EQ(messages(check(problem, listing), Violation::Kind::Shape).size(), 1u);
}

TEST_F(ListedSubgraphs, WithoutListsThereIsOneInEachPass) {
  listing.devices[0].subgraphs.clear();
  EXPECT_EQ(messages(check(problem, listing), Violation::Kind::Shape).size(), 1u);
  listing.devices = {{DeviceKind::Accelerator, "", {1, 2, 3, 4}}};
  EXPECT_TRUE(check(problem, listing).legal());
}

TEST_F(ListedSubgraphs, AskOfOneSubgraphOnly) {
  problem.subgraphs = 1;
  EXPECT_EQ(faults().size(), 1u);
}

TEST_F(ListedSubgraphs, MustAgreeWithTheNodes) {
  listing.devices[0].subgraphs = {{1}, {3, 2, 77}};
  EXPECT_EQ(faults(),
            Messages{"the subgraphs of accelerator 0 list, though they are not among its nodes, 2 nodes: 2, 77"});
  listing.devices[0].subgraphs = {{1}, {3, 1}};
  EXPECT_EQ(faults(), Messages{"the subgraphs of accelerator 0 list more than once 1 node: 1 (a)"});
  listing.devices[0].subgraphs = {{1}};
  EXPECT_EQ(faults(), Messages{"the subgraphs of accelerator 0 leave out 1 node: 3 (c)"});
  listing.devices[0].subgraphs = {{1}, {3, 4}};
  EXPECT_EQ(faults(), Messages{"the subgraphs of accelerator 0 list under the wrong pass 1 node: 4 (A)"});
}

TEST_F(ListedSubgraphs, AreNotLookedAtForThroughput) {
  problem.objective = Objective::MaxLoad;
  problem.shape = Shape::Free;
  listing.devices[0].subgraphs = {{1}, {77}};
  EXPECT_TRUE(check(problem, listing).legal());
}

}  // namespace
}  // namespace partita::detail
