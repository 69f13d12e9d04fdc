// SPDX-License-Identifier: Apache-2.0
// The notation the tests are written in.
#include "tests/support/graph_text.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace partita::detail {
namespace {

TEST(GraphText, ReadsNodesAndEdges) {
  const Workload w = graph_from_text(
      "a 3 30 mem=5; b 2 20 colour=1 id=9  # a comment; with a semicolon\n c 1 - back; a -> b : 0.5; b -> c : 1", 3, 64,
      2);
  ASSERT_EQ(w.graph.nodes.size(), 3u);
  const Node& a = w.graph.nodes[NodeId(0)];
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.original_id, 1);
  EXPECT_EQ(a.time, (std::vector<double>{3, 30}));
  EXPECT_EQ(a.memory, 5);
  EXPECT_FALSE(a.colour);
  const Node& b = w.graph.nodes[NodeId(1)];
  EXPECT_EQ(b.original_id, 9);
  EXPECT_EQ(b.colour, 1);
  const Node& c = w.graph.nodes[NodeId(2)];
  EXPECT_TRUE(c.backward);
  EXPECT_EQ(c.time[1], kCannotRun);
  ASSERT_EQ(w.graph.edges.size(), 2u);
  EXPECT_EQ(w.graph.edges[0].from, NodeId(0));
  EXPECT_EQ(w.graph.edges[0].to, NodeId(1));
  EXPECT_EQ(w.graph.edges[0].cost, 0.5);
  EXPECT_EQ(w.platform.classes[ClassId(0)].count, 3);
  EXPECT_EQ(w.platform.classes[ClassId(0)].memory, 64);
  EXPECT_EQ(w.platform.classes[ClassId(1)].count, 2);
}

TEST(GraphText, ChainsFansAndDefaultCosts) {
  const Workload w = graph_from_text("a 1 1 out=2; b 1 1 out=3; c 1 1; d 1 1; a -> b c; a b -> d; b -> c -> d : 7");
  std::vector<std::vector<double>> edges;
  for (const Edge& e : w.graph.edges) edges.push_back({double(e.from.index()), double(e.to.index()), e.cost});
  EXPECT_EQ(edges,
            (std::vector<std::vector<double>>{{0, 1, 2}, {0, 2, 2}, {0, 3, 2}, {1, 3, 3}, {1, 2, 7}, {2, 3, 7}}));
}

TEST(GraphText, Splits) {
  const Workload w = graph_from_text("a 1 1; b 1 1; c 1 1; d 1 1");
  const Split split = split_from_text(w, "d | | a b");
  EXPECT_EQ(split.device_of[NodeId(0)], DeviceId(2));
  EXPECT_EQ(split.device_of[NodeId(1)], DeviceId(2));
  EXPECT_FALSE(split.device_of[NodeId(2)].valid());
  EXPECT_EQ(split.device_of[NodeId(3)], DeviceId(0));
}

TEST(GraphText, RefusesWhatMakesNoSense) {
  for (const char* bad : {"a", "a 1", "a 1 x", "a 1 1 mem", "a 1 1 size=3", "a 1 1; a 2 2", "a 1 1; a -> b",
                          "a 1 1; a ->", "a 1 1; a -> : 3", "a 1 1; b 1 1; a -> b : x"}) {
    EXPECT_THROW(graph_from_text(bad), std::invalid_argument) << bad;
  }
}

}  // namespace
}  // namespace partita::detail
