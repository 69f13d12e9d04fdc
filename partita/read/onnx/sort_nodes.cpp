// SPDX-License-Identifier: Apache-2.0
// Files need not be in order, though most are: those are left alone.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "partita/read/onnx/flat_model.h"
#include "partita/util/error.h"
#include "partita/util/topological_order.h"

namespace partita::detail::onnx {

namespace {

using RowId = Id<struct FlatNodeTag>;
using Edges = std::vector<std::pair<RowId, RowId>>;

// From the maker of each value to its readers.
Edges edges_of(const FlatGraph& graph) {
  std::unordered_map<ValueId, RowId> maker;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (ValueId value : graph.nodes[i].outputs) {
      if (value.valid()) maker.emplace(value, RowId(i));
    }
  }
  Edges edges;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const auto reads = [&](ValueId value) {
      const auto at = maker.find(value);
      if (value.valid() && at != maker.end()) edges.emplace_back(at->second, RowId(i));
    };
    std::ranges::for_each(graph.nodes[i].inputs, reads);
    std::ranges::for_each(graph.nodes[i].captures, reads);
  }
  return edges;
}

[[noreturn]] void fail_with_cycle(const FlatModel& model, const FlatGraph& graph, const Edges& edges,
                                  const std::vector<RowId>& order) {
  std::vector<bool> ordered(graph.nodes.size(), false);
  for (RowId row : order) ordered[row.index()] = true;
  // Every node that is left has one before it that is left: going backwards meets a node twice.
  std::vector<RowId> before(graph.nodes.size());
  for (const auto& [from, to] : edges) {
    if (!ordered[from.index()]) before[to.index()] = from;
  }
  RowId at;
  for (std::size_t i = 0; i < graph.nodes.size() && !at.valid(); ++i) {
    if (!ordered[i]) at = RowId(i);
  }
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) at = before[at.index()];
  std::string text = node_text(model, graph.nodes[at.index()]);
  std::size_t length = 1;
  constexpr std::size_t kMostShown = 6;
  for (RowId next = before[at.index()]; next != at; next = before[next.index()], ++length) {
    if (length < kMostShown) text += fmt::format(", which reads from {}", node_text(model, graph.nodes[next.index()]));
  }
  if (length > kMostShown) text += fmt::format(", ... ({} nodes)", length);
  throw InputError(ErrorKind::BadGraph, model.file->source,
                   fmt::format("the graph has a cycle, expected none: {}, which reads from the first", text));
}

}  // namespace

void sort_nodes(const FlatModel& model, FlatGraph& graph) {
  const Edges edges = edges_of(graph);
  if (std::ranges::all_of(edges, [](const auto& edge) { return edge.first < edge.second; })) return;
  const std::vector<RowId> order = topological_order(Csr<RowId, RowId>(graph.nodes.size(), edges));
  if (order.size() != graph.nodes.size()) fail_with_cycle(model, graph, edges, order);
  std::vector<FlatNode> sorted;
  sorted.reserve(order.size());
  for (RowId row : order) sorted.push_back(std::move(graph.nodes[row.index()]));
  graph.nodes = std::move(sorted);
}

}  // namespace partita::detail::onnx
