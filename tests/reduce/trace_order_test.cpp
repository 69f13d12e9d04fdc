// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/trace_order.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "partita/reduce/colours.h"
#include "tests/support/cases.h"
#include "tests/support/graph_text.h"
#include "tests/support/random_workload.h"

namespace partita::detail {
namespace {

// The classes as names of their first nodes, in the order found.
std::string order_of(const char* text) {
  const Graph graph = graph_from_text(text).graph;
  std::string names;
  for (const auto& members : find_colour_classes(graph).members) names += graph.nodes[members[0]].name;
  return names;
}

TEST(TraceOrder, KeepsTheFileOrderOfForwardNodes) { EXPECT_EQ(order_of("a 1 1; b 1 1; c 1 1; c -> a : 1"), "abc"); }

TEST(TraceOrder, AClassStandsWhereItsFirstForwardNodeDoes) {
  EXPECT_EQ(order_of("a 1 1; b 1 1 colour=1; c 1 1; d 1 1 colour=1"), "abc");
}

TEST(TraceOrder, OrphansStandBetweenTheTwinsThatTheyRanBetween) {
  // The backward pass runs c', x, b', a': x belongs between b and c.
  EXPECT_EQ(order_of("a 1 1 colour=1; b 1 1 colour=2; c 1 1 colour=3;"
                     "u 1 1 colour=3 back; x 1 1 back; v 1 1 colour=2 back; w 1 1 colour=1 back"),
            "abxc");
}

TEST(TraceOrder, OrphansBeyondTheTwinsStandBeyondThem) {
  // y runs first in the backward pass, so it belongs to the end; z runs last, so it belongs before a.
  EXPECT_EQ(
      order_of("a 1 1 colour=1; b 1 1 colour=2; y 1 1 back; v 1 1 colour=2 back; w 1 1 colour=1 back; z 1 1 back"),
      "zaby");
}

TEST(TraceOrder, WithoutTwinsTheBackwardPassIsTurnedRound) {
  const std::string order = order_of("x 1 1 back; y 1 1 back; z 1 1 back");
  EXPECT_EQ(order, "zyx");
}

TEST(TraceOrder, IsAPermutation) {
  for (std::uint64_t seed = 1; seed <= test::cases(300); ++seed) {
    const Graph graph = random_workload(seed).graph;
    std::vector<std::vector<NodeId>> classes;
    for (NodeId v : graph.nodes.all()) classes.push_back({v});
    std::vector<std::size_t> order = trace_order(graph, classes);
    std::sort(order.begin(), order.end());
    ASSERT_EQ(order.size(), classes.size());
    for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], i) << "seed " << seed;
  }
}

}  // namespace
}  // namespace partita::detail
