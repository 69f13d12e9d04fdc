// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "partita/reduce/colours.h"
#include "partita/reduce/joined_classes.h"
#include "partita/util/csr.h"
#include "partita/util/strong_components.h"
#include "partita/util/topological_order.h"
#include "partita/util/union_find.h"

namespace partita::detail {
namespace {

using Layer = std::optional<std::int64_t>;
using ClassPairs = std::vector<std::pair<GroupId, GroupId>>;

// By class: the one layer that its nodes name, if they name just one.
std::vector<Layer> layers_of_classes(const Graph& graph, const ColourClasses& classes) {
  std::vector<Layer> layer_of(classes.members.size());
  for (std::size_t c = 0; c < layer_of.size(); ++c) {
    bool several = false;
    for (NodeId v : classes.members[c]) {
      const Layer& layer = graph.nodes[v].layer;
      if (!layer) continue;
      several = several || (layer_of[c] && layer_of[c] != layer);
      layer_of[c] = layer;
    }
    if (several) layer_of[c].reset();
  }
  return layer_of;
}

ClassPairs forward_edges(const Graph& graph, const ColourClasses& classes) {
  ClassPairs pairs;
  for (const Edge& edge : graph.edges) {
    const GroupId from = classes.class_of[edge.from], to = classes.class_of[edge.to];
    if (from != to && !graph.nodes[edge.from].backward && !graph.nodes[edge.to].backward) pairs.emplace_back(from, to);
  }
  return pairs;
}

class TiedWeights {
 public:
  TiedWeights(const Graph& graph, const ColourClasses& classes, std::vector<Layer>& layer_of)
      : graph_(graph), classes_(classes), layer_of_(layer_of) {
    const ClassPairs pairs = forward_edges(graph, classes);
    successors_ = Csr<GroupId, GroupId>(classes.members.size(), pairs);
    ClassPairs turned;
    for (const auto& [from, to] : pairs) turned.emplace_back(to, from);
    predecessors_ = Csr<GroupId, GroupId>(classes.members.size(), turned);
  }

  // Takes them out of their layers, all by what the layers were at first.
  void take_out() {
    std::unordered_map<std::int64_t, std::vector<GroupId>> suspects;
    std::vector<std::int64_t> order;  // of the layers with suspects, so that nothing depends on the hash
    const std::vector<std::size_t> ring = rings();
    for (GroupId c : IdRange<GroupId>(layer_of_.size())) {
      if (!layer_of_[c.index()] || !is_suspect(c, ring)) continue;
      std::vector<GroupId>& list = suspects[*layer_of_[c.index()]];
      if (list.empty()) order.push_back(*layer_of_[c.index()]);
      list.push_back(c);
    }
    std::vector<GroupId> tied;
    for (const std::int64_t layer : order) {
      const std::vector<char> leads_back = ancestors(layer);
      for (GroupId c : suspects[layer]) {
        const auto next = successors_[c];
        if (std::any_of(next.begin(), next.end(),
                        [&](GroupId d) { return of_another(d, layer) && leads_back[d.index()]; }))
          tied.push_back(c);
      }
    }
    for (GroupId c : tied) layer_of_[c.index()].reset();
  }

 private:
  bool of_another(GroupId c, std::int64_t layer) const {
    return layer_of_[c.index()] && *layer_of_[c.index()] != layer;
  }

  // By class: which classes are on one cycle once each layer is one.
  std::vector<std::size_t> rings() const {
    UnionFind<GroupId> layers(layer_of_.size());
    std::unordered_map<std::int64_t, GroupId> first;
    for (GroupId c : IdRange<GroupId>(layer_of_.size())) {
      if (layer_of_[c.index()]) layers.join(first.try_emplace(*layer_of_[c.index()], c).first->second, c);
    }
    ClassPairs pairs;
    for (GroupId c : IdRange<GroupId>(layer_of_.size())) {
      for (GroupId d : successors_[c]) pairs.emplace_back(layers.find(c), layers.find(d));
    }
    const Components components = strong_components(Csr<GroupId, GroupId>(layer_of_.size(), pairs));
    std::vector<std::size_t> ring;
    for (GroupId c : IdRange<GroupId>(layer_of_.size()))
      ring.push_back(components.component_of[layers.find(c).index()]);
    return ring;
  }

  // Several forward nodes, and read both in its own layer and in another one of the same ring.
  bool is_suspect(GroupId c, const std::vector<std::size_t>& ring) const {
    const auto& members = classes_.members[c.index()];
    if (std::count_if(members.begin(), members.end(), [&](NodeId v) { return !graph_.nodes[v].backward; }) < 2)
      return false;
    bool own = false, other = false;
    for (GroupId d : successors_[c]) {
      own = own || layer_of_[d.index()] == layer_of_[c.index()];
      other = other || (of_another(d, *layer_of_[c.index()]) && ring[d.index()] == ring[c.index()]);
    }
    return own && other;
  }

  // By class: does a path lead from it into the layer?
  std::vector<char> ancestors(std::int64_t layer) const {
    std::vector<char> seen(layer_of_.size(), 0);
    std::vector<GroupId> open;
    const auto visit = [&](GroupId c) {
      if (seen[c.index()]) return;
      seen[c.index()] = 1;
      open.push_back(c);
    };
    for (GroupId c : IdRange<GroupId>(layer_of_.size())) {
      if (layer_of_[c.index()] == layer) visit(c);
    }
    while (!open.empty()) {
      const GroupId c = open.back();
      open.pop_back();
      for (GroupId d : predecessors_[c]) visit(d);
    }
    return seen;
  }

  const Graph& graph_;
  const ColourClasses& classes_;
  std::vector<Layer>& layer_of_;
  Csr<GroupId, GroupId> successors_, predecessors_;
};

std::vector<Layer> find_class_layers(const Graph& graph, const ColourClasses& classes) {
  std::vector<Layer> layer_of = layers_of_classes(graph, classes);
  TiedWeights(graph, classes, layer_of).take_out();
  return layer_of;
}

// Where a node without a layer stands.
struct AroundLayers {
  Layer latest;         // of the layers that lead to it
  bool before = false;  // it leads to a layer
};

IdVector<NodeId, AroundLayers> around_layers(const Graph& graph, const ColourClasses& classes,
                                             const std::vector<Layer>& layer_of) {
  std::vector<std::pair<NodeId, NodeId>> pairs;
  for (const Edge& edge : graph.edges)
    if (!graph.nodes[edge.from].backward && !graph.nodes[edge.to].backward) pairs.emplace_back(edge.from, edge.to);
  const Csr<NodeId, NodeId> next(graph.nodes.size(), pairs);
  const std::vector<NodeId> order = topological_order(next);
  const auto layer = [&](NodeId v) -> const Layer& { return layer_of[classes.class_of[v].index()]; };
  IdVector<NodeId, AroundLayers> around(graph.nodes.size());
  for (NodeId u : order)
    for (NodeId v : next[u]) around[v].latest = std::max({around[v].latest, around[u].latest, layer(u)});
  for (std::size_t i = order.size(); i-- > 0;)
    for (NodeId v : next[order[i]]) around[order[i]].before = around[order[i]].before || around[v].before || layer(v);
  return around;
}

// A class of backward nodes alone has no place in the row, and stays as it is.
void take_in_ends(const Graph& graph, const ColourClasses& classes, LayerEnds ends, std::vector<Layer>& layer_of) {
  Layer first, last;
  for (const Layer& layer : layer_of) {
    if (!layer) continue;
    first = first ? std::min(*first, *layer) : *layer;
    last = last ? std::max(*last, *layer) : *layer;
  }
  if (!first) return;
  // Layers of their own, with numbers that no file uses.
  if (ends == LayerEnds::Together) {
    first = std::numeric_limits<std::int64_t>::min();
    last = std::numeric_limits<std::int64_t>::max();
  }
  const IdVector<NodeId, AroundLayers> around = around_layers(graph, classes, layer_of);
  std::vector<Layer> found = layer_of;
  for (std::size_t c = 0; c < layer_of.size(); ++c) {
    if (layer_of[c] || !classes.has_forward[c]) continue;
    std::size_t forward = 0, behind = 0;
    Layer latest;
    bool before = false;
    for (NodeId v : classes.members[c]) {
      if (graph.nodes[v].backward) continue;
      ++forward;
      behind += around[v].latest ? 1 : 0;
      before = before || around[v].before;
      latest = std::max(latest, around[v].latest);
    }
    if (behind == 0) {
      found[c] = first;
    } else if (behind == forward) {
      found[c] = before ? latest : last;
    }
  }
  layer_of = std::move(found);
}

UnionFind<GroupId> join_layers(const std::vector<Layer>& layer_of) {
  UnionFind<GroupId> sets(layer_of.size());
  std::unordered_map<std::int64_t, GroupId> first;
  for (GroupId c : IdRange<GroupId>(layer_of.size())) {
    if (layer_of[c.index()]) sets.join(first.try_emplace(*layer_of[c.index()], c).first->second, c);
  }
  return sets;
}

}  // namespace

IdVector<NodeId, std::optional<std::int64_t>> find_layers(const Graph& graph) {
  const ColourClasses classes = find_colour_classes(graph);
  const std::vector<Layer> layer_of = find_class_layers(graph, classes);
  IdVector<NodeId, Layer> layers(graph.nodes.size());
  for (NodeId v : graph.nodes.all()) layers[v] = layer_of[classes.class_of[v].index()];
  return layers;
}

LayeredProblem keep_layers_together(const Problem& problem, LayerEnds ends) {
  const Graph& graph = problem.workload->graph;
  const ColourClasses classes = find_colour_classes(graph);
  std::vector<Layer> layer_of = find_class_layers(graph, classes);
  if (ends != LayerEnds::Apart) take_in_ends(graph, classes, ends, layer_of);
  const UnionFind<GroupId> sets = join_layers(layer_of);
  return {with_classes_joined(problem, classes, sets),
          fmt::format("layers kept together: {} colour classes -> {}", classes.members.size(),
                      classes.members.size() - sets.joins())};
}

}  // namespace partita::detail
