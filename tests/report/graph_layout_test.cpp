// SPDX-License-Identifier: Apache-2.0
// Where pieces and nodes are drawn: what must hold for every graph, and what one wants to see in simple ones.
#include "partita/report/graph_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "partita/report/piece_lines.h"
#include "partita/util/dice.h"
#include "tests/report/pieces_by_hand.h"
#include "tests/support/cases.h"
#include "tests/support/graph_text.h"
#include "tests/support/transformer.h"

namespace partita::detail {
namespace {

constexpr double kTiny = 1e-9;

struct Case {
  Graph graph;
  Pieces pieces;
};

// Sparse or dense, long or wide; with a backward pass or without; node numbers in no particular order.
Case random_case(std::uint64_t seed) {
  Dice dice(seed);
  const std::size_t nodes = 1 + dice.below(dice.one_in(4) ? 200 : 40);
  const std::size_t devices = 1 + dice.below(6);
  const std::size_t reach = 1 + dice.below(nodes);
  const bool training = dice.one_in(2);
  const bool in_stages = dice.one_in(2);
  std::vector<NodeId> name;
  for (std::size_t v = 0; v < nodes; ++v) name.push_back(NodeId(v));
  dice.shuffle(name);
  Case result;
  result.graph.nodes.resize(nodes);
  IdVector<NodeId, DeviceId> device_of(nodes);
  for (std::size_t v = 0; v < nodes; ++v) {
    Node& node = result.graph.nodes[name[v]];
    node.backward = training && 2 * v >= nodes;
    const std::size_t stage = node.backward ? 2 * devices - 1 - 2 * devices * v / nodes : 2 * devices * v / nodes;
    device_of[name[v]] = DeviceId(in_stages ? stage % devices : dice.below(devices));
    for (std::size_t e = dice.below(4); e > 0 && v > 0; --e) {
      result.graph.edges.push_back({name[v - 1 - dice.below(std::min(v, reach))], name[v], 1});
    }
  }
  result.pieces = pieces_by_hand(result.graph, device_of, devices);
  return result;
}

bool apart(const Box& a, const Box& b) {
  return a.right() < b.left || b.right() < a.left || a.bottom() < b.top || b.bottom() < a.top;
}

Box node_box(const Point& centre) { return {centre.x - 0.5, centre.y - 0.5, 1, 1}; }

bool holds(const Box& outer, const Box& inner) {
  return outer.left <= inner.left + kTiny && outer.top <= inner.top + kTiny && inner.right() <= outer.right() + kTiny &&
         inner.bottom() <= outer.bottom() + kTiny;
}

TEST(GraphLayout, KeepsItsPromisesOnRandomGraphs) {
  for (std::uint64_t seed = 1; seed <= test::cases(400); ++seed) {
    SCOPED_TRACE(seed);
    const Case c = random_case(seed);
    const LayoutStyle style{seed % 3 ? 1.0 : 4.0, 1.5, seed % 2 ? 4.0 : 9.0, 2};
    const GraphLayout layout = lay_out(c.graph, c.pieces, style);
    ASSERT_EQ(layout.boxes.size(), c.pieces.pieces.size());
    const Box all{0, 0, layout.width, layout.height};
    for (const PieceId p : layout.boxes.all()) {
      EXPECT_TRUE(holds(all, layout.boxes[p]));
      EXPECT_GE(layout.boxes[p].width, style.least_width);
      for (PieceId q(0); q < p; ++q)
        ASSERT_TRUE(apart(layout.boxes[p], layout.boxes[q])) << p.index() << " " << q.index();
      Box inside = layout.boxes[p];
      inside.top += style.header;
      inside.height -= style.header;
      const std::vector<NodeId>& nodes = c.pieces.pieces[p].nodes;
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        const Box box = node_box(layout.centres[nodes[i]]);
        ASSERT_TRUE(holds(inside, box));
        for (std::size_t j = 0; j < i; ++j) ASSERT_TRUE(apart(box, node_box(layout.centres[nodes[j]])));
      }
    }
    const GraphLayout again = lay_out(c.graph, c.pieces, style);
    for (const NodeId v : layout.centres.all()) {
      EXPECT_EQ(layout.centres[v].x, again.centres[v].x);
      EXPECT_EQ(layout.centres[v].y, again.centres[v].y);
    }
  }
}

TEST(GraphLayout, EdgesInAPieceLeadDownOrToTheNextColumn) {
  for (std::uint64_t seed = 1; seed <= test::cases(400); ++seed) {
    SCOPED_TRACE(seed);
    const Case c = random_case(seed);
    const GraphLayout layout = lay_out(c.graph, c.pieces);
    for (const Edge& edge : c.graph.edges) {
      const PieceId piece = c.pieces.piece_of[edge.from];
      if (piece != c.pieces.piece_of[edge.to]) continue;
      const Point from = layout.centres[edge.from];
      const Point to = layout.centres[edge.to];
      const double onwards = c.pieces.pieces[piece].backward ? from.x - to.x : to.x - from.x;
      ASSERT_TRUE(to.y >= from.y + 1 || onwards >= 1) << edge.from.index() << " -> " << edge.to.index();
    }
  }
}

TEST(GraphLayout, LayersAreLongestPathsOrLater) {
  for (std::uint64_t seed = 1; seed <= test::cases(400); ++seed) {
    SCOPED_TRACE(seed);
    const Case c = random_case(seed);
    const InnerEdges edges = inner_edges(c.graph, c.pieces);
    const IdVector<NodeId, std::size_t> layers = layers_in_pieces(c.pieces, edges);
    // The longest paths, as often as needed until nothing changes any more.
    IdVector<NodeId, std::size_t> longest(c.graph.nodes.size(), 0);
    for (bool changed = true; changed;) {
      changed = false;
      for (const Edge& edge : c.graph.edges) {
        if (c.pieces.piece_of[edge.from] != c.pieces.piece_of[edge.to]) continue;
        ASSERT_LT(layers[edge.from], layers[edge.to]);
        if (longest[edge.to] > longest[edge.from]) continue;
        longest[edge.to] = longest[edge.from] + 1;
        changed = true;
      }
    }
    for (const PieceId p : c.pieces.pieces.all()) {
      std::size_t depth = 0, used = 0;
      for (const NodeId v : c.pieces.pieces[p].nodes) {
        EXPECT_GE(layers[v], longest[v]);
        depth = std::max(depth, longest[v]);
        used = std::max(used, layers[v]);
      }
      EXPECT_EQ(used, depth);  // moving down makes no piece longer
    }
    // Lines hold every node once, layer by layer.
    const IdVector<PieceId, Lines> lines = lines_of_pieces(c.pieces, edges);
    for (const PieceId p : lines.all()) {
      std::vector<NodeId> listed;
      std::size_t layer = 0;
      for (const auto& line : lines[p]) {
        ASSERT_FALSE(line.empty());
        for (const NodeId v : line) EXPECT_EQ(layers[v], layers[line.front()]);
        EXPECT_GE(layers[line.front()], layer);
        layer = layers[line.front()];
        listed.insert(listed.end(), line.begin(), line.end());
      }
      std::ranges::sort(listed);
      EXPECT_EQ(listed, c.pieces.pieces[p].nodes);
    }
  }
}

Pieces by_device(const Workload& workload, const std::string& split) {
  const Split answer = split_from_text(workload, split);
  return pieces_by_hand(workload.graph, answer.device_of, workload.platform.device_count());
}

PieceId piece_with(const Workload& workload, const Pieces& pieces, const char* node) {
  return pieces.piece_of[node_named(workload, node)];
}

TEST(GraphLayout, APipelineRunsFromLeftToRight) {
  const Workload workload = graph_from_text("a 1 1; b 1 1; c 1 1; d 1 1; a -> b -> c -> d", 4);
  const Pieces pieces = by_device(workload, "c | a | d | b");
  const GraphLayout layout = lay_out(workload.graph, pieces);
  double last = -1;
  for (const char* name : {"a", "b", "c", "d"}) {
    const Box& box = layout.boxes[piece_with(workload, pieces, name)];
    EXPECT_GT(box.left, last);
    EXPECT_EQ(box.top, layout.boxes[PieceId(0)].top);
    last = box.right();
  }
}

TEST(GraphLayout, BranchesAreAboveEachOther) {
  const Workload workload = graph_from_text("a 1 1; b 1 1; c 1 1; d 1 1; a -> b c; b c -> d", 4);
  const Pieces pieces = by_device(workload, "a | b | c | d");
  const GraphLayout layout = lay_out(workload.graph, pieces);
  const Box& b = layout.boxes[piece_with(workload, pieces, "b")];
  const Box& c = layout.boxes[piece_with(workload, pieces, "c")];
  EXPECT_EQ(b.left, c.left);
  EXPECT_EQ(b.width, c.width);
  EXPECT_LT(b.bottom(), c.top);
  EXPECT_LT(layout.boxes[piece_with(workload, pieces, "a")].right(), b.left);
  EXPECT_GT(layout.boxes[piece_with(workload, pieces, "d")].left, b.right());
}

TEST(GraphLayout, ColumnsFollowTheOrderOfTheStages) {
  // d waits for nothing and comes last; b and c are branches; e has nothing in the forward pass.
  const Workload workload = graph_from_text("a 1 1; b 1 1; c 1 1; d 1 1; e 1 1 back; a -> b c; b -> e; c -> e", 5);
  const Pieces pieces = by_device(workload, "a | b | c | d | e");
  const std::vector<DeviceId> order{DeviceId(0), DeviceId(1), DeviceId(4), DeviceId(2), DeviceId(3)};
  const GraphLayout layout = lay_out(workload.graph, pieces, {}, order);
  const auto box = [&](const char* name) { return layout.boxes[piece_with(workload, pieces, name)]; };
  EXPECT_LT(box("a").right(), box("b").left);
  EXPECT_EQ(box("b").left, box("e").left);  // neither waits for the other in its own pass
  EXPECT_EQ(box("b").left, box("c").left);
  EXPECT_EQ(box("b").left, box("d").left);
  EXPECT_LT(box("b").bottom(), box("c").top);
  EXPECT_LT(box("c").bottom(), box("d").top);
  EXPECT_LT(lay_out(workload.graph, pieces).boxes[piece_with(workload, pieces, "d")].left, box("d").left);
}

TEST(GraphLayout, TheBackwardPassRunsBackBelow) {
  const Workload workload = graph_from_text(
      "a 1 1; b 1 1; c 1 1; C 1 1 back; B 1 1 back; A 1 1 back; o 1 1 back; a -> b -> c -> C -> B -> A; a -> A; C -> o",
      4);
  const Pieces pieces = by_device(workload, "a A | b B | c C | o");
  const GraphLayout layout = lay_out(workload.graph, pieces);
  const auto box = [&](const char* name) { return layout.boxes[piece_with(workload, pieces, name)]; };
  for (const auto& [forward, backward] : {std::pair("a", "A"), {"b", "B"}, {"c", "C"}}) {
    EXPECT_EQ(box(forward).left, box(backward).left);
    EXPECT_EQ(box(forward).width, box(backward).width);
  }
  for (const char* forward : {"a", "b", "c"}) {
    for (const char* backward : {"A", "B", "C", "o"}) EXPECT_LT(box(forward).bottom(), box(backward).top);
  }
  EXPECT_LT(box("a").right(), box("b").left);
  EXPECT_LT(box("b").right(), box("c").left);
  EXPECT_LT(box("o").right(), box("C").left);  // a backward piece with nothing above it
}

TEST(GraphLayout, ALongChainIsFolded) {
  Workload workload;
  workload.graph.nodes.resize(1500);
  for (std::size_t v = 1; v < 1500; ++v) workload.graph.edges.push_back({NodeId(v - 1), NodeId(v), 1});
  const GraphLayout layout =
      lay_out(workload.graph, pieces_by_hand(workload.graph, IdVector<NodeId, DeviceId>(1500, DeviceId(0)), 1));
  EXPECT_NEAR(layout.width / layout.height, 16.0 / 9, 0.3);
}

TEST(GraphLayout, ManyNodesWithoutEdgesAreAGrid) {
  Workload workload;
  workload.graph.nodes.resize(900);
  const GraphLayout layout =
      lay_out(workload.graph, pieces_by_hand(workload.graph, IdVector<NodeId, DeviceId>(900, DeviceId(0)), 1));
  EXPECT_NEAR(layout.width / layout.height, 16.0 / 9, 0.6);
}

// A chain that changes device after every few nodes: as many pieces, in rows that fill the picture.
TEST(GraphLayout, ManyPiecesAreWrapped) {
  for (const std::size_t length : {1, 4, 12}) {
    SCOPED_TRACE(length);
    Graph graph;
    graph.nodes.resize(1200);
    IdVector<NodeId, DeviceId> device_of(1200);
    for (const NodeId v : graph.nodes.all()) {
      device_of[v] = DeviceId(v.index() / length % 3);
      if (v.index() > 0) graph.edges.push_back({NodeId(v.index() - 1), v, 1});
    }
    const Pieces pieces = pieces_by_hand(graph, device_of, 3);
    ASSERT_EQ(pieces.pieces.size(), 1200 / length);
    const GraphLayout layout = lay_out(graph, pieces);
    EXPECT_NEAR(layout.width / layout.height, 16.0 / 9, 0.5);
  }
}

TEST(GraphLayout, LargeTrainingGraphsTakeMilliseconds) {
  const Workload workload = transformer_of_size(8000, true);
  const std::size_t devices = 6;
  IdVector<NodeId, DeviceId> device_of(workload.graph.nodes.size());
  Pieces pieces;
  pieces.piece_of.resize(workload.graph.nodes.size());
  for (const bool backward : {false, true}) {
    for (std::size_t d = 0; d < devices; ++d) {
      const std::size_t first = pieces.pieces.size();
      pieces.pieces.push_back({DeviceId(backward ? devices - 1 - d : d), backward, {}, {}, {}});
      if (d > 0) pieces.pieces[PieceId(first)].after.push_back(PieceId(first - 1));
    }
  }
  std::size_t seen[2] = {0, 0}, all[2] = {0, 0};
  for (const Node& node : workload.graph.nodes) ++all[node.backward];
  for (const NodeId v : workload.graph.nodes.all()) {
    const bool backward = workload.graph.nodes[v].backward;
    const PieceId piece(seen[backward]++ * devices / all[backward] + (backward ? devices : 0));
    pieces.piece_of[v] = piece;
    pieces.pieces[piece].nodes.push_back(v);
  }
  const auto start = std::chrono::steady_clock::now();
  const GraphLayout layout = lay_out(workload.graph, pieces);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_LT(seconds, 3.0);  // far less without sanitizers and other load
  RecordProperty("seconds", std::to_string(seconds));
  EXPECT_NEAR(layout.width / layout.height, 16.0 / 9, 0.5);
}

TEST(GraphLayout, NothingIsAPictureToo) {
  const GraphLayout layout = lay_out(Graph{}, Pieces{});
  EXPECT_GT(layout.width, 0);
  EXPECT_GT(layout.height, 0);
  Pieces empty;
  empty.pieces.push_back({DeviceId(0), false, {}, {}, {}});
  EXPECT_GE(lay_out(Graph{}, empty).boxes[PieceId(0)].width, LayoutStyle{}.least_width);
}

}  // namespace
}  // namespace partita::detail
