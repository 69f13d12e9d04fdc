// SPDX-License-Identifier: Apache-2.0
#include "partita/model/graph_checks.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <set>
#include <utility>

namespace partita::detail {
namespace {

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

// Node i has original id 10 * i.
Graph graph_of(std::size_t nodes, const Pairs& edges) {
  Graph graph;
  for (std::size_t i = 0; i < nodes; ++i) {
    Node node;
    node.original_id = static_cast<std::int64_t>(10 * i);
    node.time.assign(2, 1);
    graph.nodes.push_back(node);
  }
  for (const auto& [from, to] : edges) graph.edges.push_back({NodeId(from), NodeId(to), 1});
  return graph;
}

std::string cycle_in(const Graph& graph) {
  const std::vector<NodeId> cycle = find_cycle(graph);
  return cycle.empty() ? "none" : cycle_text(graph, cycle);
}

TEST(FindCycle, FindsNoneInADag) {
  EXPECT_EQ(cycle_in(graph_of(0, {})), "none");
  EXPECT_EQ(cycle_in(graph_of(3, {})), "none");
  EXPECT_EQ(cycle_in(graph_of(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {0, 3}, {0, 3}})), "none");
  EXPECT_EQ(cycle_in(graph_of(3, {{2, 1}, {1, 0}, {2, 0}})), "none");
}

TEST(FindCycle, GoesAlongTheEdges) {
  EXPECT_EQ(cycle_in(graph_of(2, {{0, 1}, {1, 0}})), "0 -> 10 -> 0");
  EXPECT_EQ(cycle_in(graph_of(4, {{3, 2}, {2, 1}, {1, 3}})), "10 -> 30 -> 20 -> 10");
}

TEST(FindCycle, LeavesOutWhatOnlyLeadsToOrFromIt) {
  EXPECT_EQ(cycle_in(graph_of(6, {{0, 1}, {1, 2}, {2, 3}, {3, 1}, {3, 4}, {4, 5}})), "10 -> 20 -> 30 -> 10");
}

TEST(FindCycle, LongCyclesAreShortened) {
  Pairs edges;
  for (std::size_t i = 0; i < 100'000; ++i) edges.emplace_back(i, (i + 1) % 100'000);
  const Graph graph = graph_of(100'000, edges);
  EXPECT_EQ(find_cycle(graph).size(), 100'000u);
  EXPECT_EQ(cycle_in(graph), "0 -> 10 -> 20 -> 30 -> 40 -> 50 -> 60 -> 70 -> ... -> 999970 -> 999980 -> 999990 -> 0");
  Pairs twelve;
  for (std::size_t i = 0; i < 12; ++i) twelve.emplace_back(i, (i + 1) % 12);
  EXPECT_EQ(cycle_in(graph_of(12, twelve)),
            "0 -> 10 -> 20 -> 30 -> 40 -> 50 -> 60 -> 70 -> 80 -> 90 -> 100 -> 110 -> 0");
}

// Against a plain reachability matrix: a cycle is reported exactly when there is one, and it is one.
TEST(FindCycle, AgreesWithReachabilityOnRandomGraphs) {
  for (unsigned seed = 0; seed < 2'000; ++seed) {
    std::mt19937 random(seed);
    const std::size_t n = 1 + random() % 8;
    Pairs edges;
    std::vector<std::vector<bool>> reach(n, std::vector<bool>(n, false));
    for (std::size_t i = random() % (2 * n); i > 0; --i) {
      const std::size_t from = random() % n;
      const std::size_t to = random() % n;
      if (from == to) continue;
      edges.emplace_back(from, to);
      reach[from][to] = true;
    }
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) reach[i][j] = reach[i][j] || (reach[i][k] && reach[k][j]);
      }
    }
    bool cyclic = false;
    for (std::size_t i = 0; i < n; ++i) cyclic = cyclic || reach[i][i];
    const std::vector<NodeId> cycle = find_cycle(graph_of(n, edges));
    ASSERT_EQ(!cycle.empty(), cyclic) << "seed " << seed;
    const std::set<std::pair<std::size_t, std::size_t>> edge_set(edges.begin(), edges.end());
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      const std::pair step{cycle[i].index(), cycle[(i + 1) % cycle.size()].index()};
      ASSERT_TRUE(edge_set.contains(step)) << "seed " << seed;
    }
    ASSERT_EQ(std::set<NodeId>(cycle.begin(), cycle.end()).size(), cycle.size()) << "seed " << seed;
  }
}

TEST(DropRepeatedEdges, KeepsTheFirstOfEachAndTheOrder) {
  Graph graph = graph_of(3, {{1, 2}, {0, 1}, {1, 2}, {0, 1}, {0, 2}, {1, 2}});
  graph.edges[3].cost = 5;  // the second 0 -> 1 is another transfer
  drop_repeated_edges(graph);
  ASSERT_EQ(graph.edges.size(), 4u);
  EXPECT_EQ(graph.edges[0].from, NodeId(1));
  EXPECT_EQ(graph.edges[1].cost, 1);
  EXPECT_EQ(graph.edges[2].cost, 5);
  EXPECT_EQ(graph.edges[2].to, NodeId(1));
  EXPECT_EQ(graph.edges[3].to, NodeId(2));
}

TEST(FindOverflow, NamesTheSum) {
  constexpr double kMost = 1e300;
  Workload workload{"", graph_of(2, {{0, 1}}), make_platform(1, 1, 1)};
  Graph& graph = workload.graph;
  EXPECT_EQ(find_overflow(workload), "");
  graph.nodes[NodeId(0)].time = {kCannotRun, 1};
  EXPECT_EQ(find_overflow(workload), "");
  graph.nodes[NodeId(0)].memory = graph.nodes[NodeId(1)].memory = 6e59;
  EXPECT_EQ(find_overflow(workload), "the sizes add up to more than 1e60 bytes");
  graph.nodes[NodeId(1)].memory = 0;
  graph.nodes[NodeId(1)].time = {kMost, kMost};
  EXPECT_EQ(find_overflow(workload), "the latencies add up to more than 1e300");
  graph.nodes[NodeId(1)].time = {kMost, 0};
  EXPECT_EQ(find_overflow(workload), "");
  graph.edges[0].cost = kMost / 3;
  EXPECT_EQ(find_overflow(workload), "the latencies and edge costs add up to more than 1e300");
  graph.edges[0].cost = std::numeric_limits<double>::max();
  EXPECT_EQ(find_overflow(workload), "the edge costs add up to more than 1e300");
}

TEST(FindOverflow, LooksAtFactorsAndMemoryParts) {
  Workload workload{"", graph_of(2, {{0, 1}}), make_platform(1, 1, 1)};
  Node& node = workload.graph.nodes[NodeId(0)];
  workload.graph.edges[0].cost = 1e200;
  workload.platform.classes[ClassId(0)].link_factor = 1e90;
  EXPECT_EQ(find_overflow(workload), "");
  workload.platform.clusters = Cluster{1, {0, 1}, {Cluster{1e100, {1, 0}, {}}}};
  EXPECT_EQ(find_overflow(workload), "the edge costs add up to more than 1e300");
  workload.platform.clusters->clusters[0].factor = 1;
  node.parts.weights = 1e20;
  workload.platform.sync_bandwidth = 1e-290;
  EXPECT_NE(find_overflow(workload).find("bandwidth"), std::string::npos);
  workload.platform.sync_bandwidth = 1;
  node.parts.activation = node.parts.optimizer_state = 6e59;
  EXPECT_EQ(find_overflow(workload), "the sizes add up to more than 1e60 bytes");
  node.parts.activation = node.parts.optimizer_state = 0;
  node.time.assign(2, 4e299);
  node.recompute_share = 1;
  EXPECT_EQ(find_overflow(workload), "the latencies add up to more than 1e300");
}

TEST(FindUnderflow, NamesTheTimeThatVanishesWithItsFactors) {
  Workload workload{"", graph_of(2, {{0, 1}}), make_platform(1, 1, 1)};
  Node& node = workload.graph.nodes[NodeId(1)];
  EXPECT_EQ(find_underflow(workload), "");
  node.time = {0, 1e-300};
  EXPECT_EQ(find_underflow(workload), "");
  node.recompute_share = 0.5;
  EXPECT_EQ(find_underflow(workload), "the latency of node 10");
  node.recompute_share = 0;
  node.time = {5e-324, kCannotRun};
  EXPECT_EQ(find_underflow(workload), "the latency of node 10");
  node.time = {1, 1};
  workload.graph.edges[0].cost = 1e-200;
  workload.platform.classes[ClassId(0)].link_factor = 1e-90;
  EXPECT_EQ(find_underflow(workload), "");
  workload.platform.clusters = Cluster{1, {0, 1}, {Cluster{1e-20, {1, 0}, {}}}};
  EXPECT_EQ(find_underflow(workload), "the cost of the edge from node 0 to node 10");
  workload.platform.clusters->clusters[0].factor = 0;  // nothing vanishes that is 0 anyway
  EXPECT_EQ(find_underflow(workload), "");
  node.parts.weights = 1;
  workload.platform.sync_bandwidth = 1e305;
  EXPECT_NE(find_underflow(workload).find("bandwidth"), std::string::npos);
  workload.platform.sync_bandwidth = kUnlimited;
  EXPECT_EQ(find_underflow(workload), "");
}

}  // namespace
}  // namespace partita::detail
