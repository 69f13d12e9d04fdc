// SPDX-License-Identifier: Apache-2.0
// The time of one sample where host nodes wait for a free core, worked out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/check/check_fixture.h"

namespace partita::detail {
namespace {

// Two accelerators, so hosts are the devices from 2 on: "| | a b".
Problem strict(std::string_view text, int hosts) {
  Problem problem = problem_of(graph_from_text(text, 2, kUnlimited, hosts), Shape::Staged, Objective::Latency);
  problem.strict_host_cores = true;
  return problem;
}

// Checks the split and when these nodes start; returns the value.
double expect_starts(const Problem& problem, std::string_view split,
                     const std::vector<std::pair<std::string_view, double>>& starts) {
  const CheckReport report = check_text(problem, split);
  for (const auto& [name, start] : starts) {
    const auto of_node = [&, node = node_named(problem.workload, name)](const auto& step) { return step.node == node; };
    const auto step = std::find_if(report.schedule.begin(), report.schedule.end(), of_node);
    EXPECT_TRUE(step != report.schedule.end() && step->start == start) << name;
  }
  return report.value;
}

TEST(HostCores, NodesShareAsManyCoresAsThereAreHosts) {
  constexpr const char* kText = "a - 3; b - 4; c - 5";
  EXPECT_DOUBLE_EQ(check_text(strict(kText, 1), "| | a b c").value, 12);
  EXPECT_DOUBLE_EQ(check_text(strict(kText, 2), "| | a b c").value, 7);  // c beside b and a
  EXPECT_DOUBLE_EQ(check_text(strict(kText, 3), "| | a b c").value, 5);
  EXPECT_EQ(check_text(strict(kText, 2), "| | a b c").host_cores, 2u);
}

TEST(HostCores, WhichHostANodeIsOnDoesNotBindIt) {
  EXPECT_DOUBLE_EQ(check_text(strict("a - 3; b - 4; c - 5", 2), "| | a b c |").value, 7);
}

TEST(HostCores, TheLongestWayToTheEndGoesFirst) {
  // a is shorter than b, but what follows it is long.
  const Problem problem = strict("b - 4; a - 1; x 9 -; a -> x", 1);
  EXPECT_DOUBLE_EQ(expect_starts(problem, "x | | b a", {{"a", 0}, {"b", 1}}), 10);
}

TEST(HostCores, OfEqualWaysTheEarlierNodeGoesFirst) {
  EXPECT_DOUBLE_EQ(expect_starts(strict("a - 2; b - 2", 1), "| | b a", {{"a", 0}, {"b", 2}}), 4);
}

TEST(HostCores, ACoreNeverWaitsForABetterNode) {
  // c, whose way is long, is ready at 1; the core takes b at 0 all the same.
  const Problem problem = strict("x 1 -; b - 5; c - 20; x -> c", 1);
  EXPECT_DOUBLE_EQ(expect_starts(problem, "x | | b c", {{"b", 0}, {"c", 5}}), 25);
}

TEST(HostCores, WhatBecomesReadyAsACoreBecomesFreeCounts) {
  // At 3 the core is free, and b and, through x and the zero node z, c are ready.
  const Problem problem = strict("a - 3; b - 1; x 3 -; z - 0; c - 2; x -> z -> c", 1);
  EXPECT_DOUBLE_EQ(expect_starts(problem, "x | | a b z c", {{"a", 0}, {"c", 3}, {"b", 5}}), 6);
}

TEST(HostCores, NodesThatTakeNoTimeNeedNone) {
  const Problem problem = strict("a - 3; z - 0; x 2 -; z -> x", 1);
  const CheckReport report = check_text(problem, "x | | a z");
  EXPECT_DOUBLE_EQ(report.value, 3);  // x from 0 to 2
  EXPECT_EQ(report.host_cores, 1u);
}

TEST(HostCores, EnoughOfThemChangeNothing) {
  Problem problem = strict("s - 1 out=1; a 5 - out=2; b 7 - out=3; t - 1; s -> a b; a -> t; b -> t", 8);
  const double value = check_text(problem, "a | b | s t").value;
  problem.strict_host_cores = false;
  EXPECT_DOUBLE_EQ(check_text(problem, "a | b | s t").value, value);
}

TEST(HostCores, AcceleratorsRunTheirSubgraphsInOrderMeanwhile) {
  // The second subgraph waits for b, which waits for the one core.
  Problem problem = strict("a - 4; b - 3; x 1 -; y 1 -; b -> y; a -> x", 1);
  problem.subgraphs = 2;
  EXPECT_DOUBLE_EQ(check_text(problem, "x / y | | a b").value, 8);  // a 0-4, b 4-7, x 4-5, y 7-8
  EXPECT_DOUBLE_EQ(check_text(problem, "y / x | | a b").value, 9);  // x waits for y
}

TEST(HostCores, ALongQueue) {
  std::string text;
  std::string nodes;
  for (int i = 0; i < 2000; ++i) {
    const std::string name = std::to_string(i);
    text += name + " - 1;";
    nodes += " " + name;
  }
  EXPECT_DOUBLE_EQ(check_text(strict(text, 3), "| |" + nodes).value, 667);
}

}  // namespace
}  // namespace partita::detail
