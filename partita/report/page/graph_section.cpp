// SPDX-License-Identifier: Apache-2.0
// The graph as columns, with a place to draw each node at.
#include <algorithm>
#include <cmath>
#include <map>

#include "partita/report/graph_layout.h"
#include "partita/report/page/sections.h"

namespace partita::detail {
namespace {

// The pieces of a legal split. A simulation has them already, but for latency, where it has others.
Pieces pieces_of_split(const Problem& problem, const Split& split, const CheckReport& report,
                       const Simulation* simulation) {
  if (simulation && problem.objective != Objective::Latency) return simulation->pieces;
  return cut_into_pieces(problem, split, report);
}

// Without a split, each pass is drawn as if one device ran it.
Pieces pieces_of_passes(const Graph& graph) {
  Pieces pieces;
  pieces.pieces.resize(graph.has_backward() ? 2 : 1);
  for (NodeId v : graph.nodes.all()) {
    const PieceId pass(graph.nodes[v].backward ? 1 : 0);
    pieces.piece_of.push_back(pass);
    pieces.pieces[pass].backward = graph.nodes[v].backward;
    pieces.pieces[pass].nodes.push_back(v);
  }
  if (pieces.pieces.size() > 1) pieces.pieces[PieceId(1)].after = {PieceId(0)};
  return pieces;
}

using Nodes = IdVector<NodeId, Node>;

// A text of each node. Long ones are shared by many nodes: each is written once, and of each node which one it has. Left
// out where no node has any.
template <class Text>
void write_words(const char* name, const Nodes& nodes, Text text, JsonWriter& json) {
  std::map<std::string, std::size_t> number;
  std::vector<std::string> words;
  std::vector<std::size_t> of;
  for (const Node& node : nodes) {
    const auto [entry, is_new] = number.emplace(text(node), words.size());
    if (is_new) words.push_back(entry->first);
    of.push_back(entry->second);
  }
  if (std::ranges::all_of(words, &std::string::empty)) return;
  json.key(name).object([&] {
    json.column("words", words);
    json.column("of", of);
  });
}

// A number of each node, where some node has it.
template <class Number>
void write_known(const char* name, const Nodes& nodes, Number number, JsonWriter& json) {
  if (std::ranges::any_of(nodes, [&](const Node& node) { return number(node).has_value(); }))
    json.column(name, nodes, number);
}

// Empty where the file said the times: so a workload with nothing else has no column of sources.
std::string source_text(const Node& node) {
  return node.facts.source == CostSource::Given ? "" : to_string(node.facts.source);
}

void write_nodes(const Workload& workload, JsonWriter& json) {
  const auto& nodes = workload.graph.nodes;
  json.column("id", nodes, [](const Node& node) { return node.original_id; });
  json.column("name", nodes, [](const Node& node) -> const std::string& { return node.name; });
  json.key("time").array(workload.platform.classes.all(), [&](ClassId c) {
    json.array(nodes, [&](const Node& node) { json.value(node.time[c.index()]); });
  });
  json.column("memory", nodes, [](const Node& node) { return node.memory; });
  write_words(
      "op", nodes, [](const Node& node) { return node.op; }, json);
  write_words(
      "family", nodes, [](const Node& node) { return node.facts.family; }, json);
  write_words(
      "output", nodes, [](const Node& node) { return node.facts.output; }, json);
  write_words("source", nodes, source_text, json);
  write_words(
      "tensor", nodes, [](const Node& node) { return node.facts.tensor; }, json);
  write_known(
      "outputBytes", nodes, [](const Node& node) { return node.output_bytes; }, json);
  write_known(
      "flops", nodes, [](const Node& node) { return node.facts.flops; }, json);
  write_known(
      "movedBytes", nodes, [](const Node& node) { return node.facts.moved_bytes; }, json);
  write_known(
      "layer", nodes, [](const Node& node) { return node.layer; }, json);
  std::vector<NodeId> backward;
  for (NodeId v : nodes.all()) {
    if (nodes[v].backward) backward.push_back(v);
  }
  json.column("backward", backward);
}

void write_edges(const Graph& graph, JsonWriter& json) {
  json.column("edgeFrom", graph.edges, [](const Edge& edge) { return edge.from; });
  json.column("edgeTo", graph.edges, [](const Edge& edge) { return edge.to; });
  add_edge_costs(graph, json);
}

// What a drawing needs of a coordinate.
double to_hundredths(double coordinate) { return std::round(coordinate * 100) / 100; }

void write_piece(const Piece& piece, const Box& box, JsonWriter& json) {
  json.object([&] {
    json.field("device", piece.device);
    json.field("backward", piece.backward);
    json.field("nodes", piece.nodes.size());
    json.field("compute", piece.load.compute);
    json.field("in", piece.load.in);
    json.field("out", piece.load.out);
    json.field("left", to_hundredths(box.left));
    json.field("top", to_hundredths(box.top));
    json.field("width", to_hundredths(box.width));
    json.field("height", to_hundredths(box.height));
    json.column("after", piece.after);
  });
}

}  // namespace

void add_edge_costs(const Graph& graph, JsonWriter& json) {
  json.column("edgeCost", graph.edges, [](const Edge& edge) { return edge.cost; });
}

// A split that breaks a rule cannot be cut into pieces: its nodes are drawn as those of a graph without a split, and
// know their devices.
void add_drawing(const Problem& problem, const Result& result, const CheckReport* report, const Simulation* simulation,
                 JsonWriter& json) {
  const Graph& graph = problem.workload->graph;
  const bool legal = result.split && report && report->legal();
  const Pieces pieces = legal ? pieces_of_split(problem, *result.split, *report, simulation) : pieces_of_passes(graph);
  const GraphLayout layout = lay_out(graph, pieces, {}, legal ? report->order : std::vector<DeviceId>());
  json.column("piece", pieces.piece_of, [&](PieceId piece) { return legal ? static_cast<int>(piece.index()) : -1; });
  if (result.split && !legal) json.column("device", result.split->device_of);
  json.column("x", layout.centres, [](const Point& centre) { return to_hundredths(centre.x); });
  json.column("y", layout.centres, [](const Point& centre) { return to_hundredths(centre.y); });
  json.field("width", to_hundredths(layout.width));
  json.field("height", to_hundredths(layout.height));
  json.key("pieces").array(ids<PieceId>(legal ? pieces.pieces.size() : 0),
                           [&](PieceId piece) { write_piece(pieces.pieces[piece], layout.boxes[piece], json); });
}

void write_graph(const PageContent& content, JsonWriter& json) {
  const Workload& workload = content.problem->workload;
  json.object([&] {
    write_nodes(workload, json);
    add_drawing(*content.problem, *content.result, content.report, content.simulation, json);
    write_edges(workload.graph, json);
  });
}

}  // namespace partita::detail
