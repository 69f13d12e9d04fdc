// SPDX-License-Identifier: Apache-2.0
#include "partita/check/shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <unordered_set>

#include "partita/check/block_order.h"
#include "partita/check/names.h"
#include "partita/util/csr.h"

namespace partita {
namespace {

IdVector<NodeId, bool> find_orphans(const Graph& graph) {
  std::unordered_set<std::int64_t> forward_colours;
  for (const Node& node : graph.nodes) {
    if (!node.backward && node.colour) forward_colours.insert(*node.colour);
  }
  IdVector<NodeId, bool> orphan(graph.nodes.size(), false);
  for (NodeId v : graph.nodes.all()) {
    const Node& node = graph.nodes[v];
    orphan[v] = node.backward && !(node.colour && forward_colours.count(*node.colour));
  }
  return orphan;
}

// The device graph of a staged split; devices are its blocks.
std::vector<BlockArc> device_arcs(const Problem& problem, const Placement& placement) {
  const Graph& graph = problem.workload.graph;
  const IdVector<NodeId, bool> orphan = find_orphans(graph);
  std::vector<BlockArc> arcs;
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    const Edge& edge = graph.edges[e];
    const DeviceId from = placement.device_of[edge.from];
    const DeviceId to = placement.device_of[edge.to];
    if (!from.valid() || !to.valid() || from == to) continue;
    const bool backward_from = graph.nodes[edge.from].backward;
    const bool backward_to = graph.nodes[edge.to].backward;
    if (!backward_from && !backward_to) {
      arcs.push_back({BlockId(from.index()), BlockId(to.index()), e, false});
    } else if (backward_from && backward_to && (problem.backward_shape || orphan[edge.from] || orphan[edge.to])) {
      arcs.push_back({BlockId(to.index()), BlockId(from.index()), e, true});
    }
  }
  return arcs;
}

// `preferred` without devices that hold nothing, if that is an order of all others that takes every arc forward.
std::vector<DeviceId> usable_order(const std::vector<DeviceId>& preferred, const std::vector<BlockArc>& arcs,
                                   const CheckReport& report) {
  constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
  std::vector<DeviceId> order;
  IdVector<DeviceId, std::size_t> position(report.devices.size(), kNowhere);
  for (DeviceId d : preferred) {
    if (!d.valid() || d.index() >= position.size() || position[d] != kNowhere) return {};
    position[d] = order.size();
    if (report.devices[d].node_count > 0) order.push_back(d);
  }
  for (DeviceId d : report.devices.all()) {
    if (report.devices[d].node_count > 0 && position[d] == kNowhere) return {};
  }
  for (const BlockArc& arc : arcs) {
    if (position[DeviceId(arc.from.index())] >= position[DeviceId(arc.to.index())]) return {};
  }
  return order;
}

void check_staged(const Problem& problem, const Placement& placement, CheckReport& report) {
  const Graph& graph = problem.workload.graph;
  const Platform& platform = problem.workload.platform;
  const std::vector<BlockArc> arcs = device_arcs(problem, placement);
  const BlockOrder found = order_blocks(platform.device_count(), arcs);
  if (found.circle.empty()) {
    report.order = usable_order(placement.order, arcs, report);
    if (!report.order.empty()) return;
    for (BlockId b : found.order) {
      const DeviceId d(b.index());
      if (report.devices[d].node_count > 0) report.order.push_back(d);
    }
    return;
  }
  std::vector<std::string> steps;
  for (const BlockArc& arc : found.circle) {
    steps.push_back(fmt::format("{} before {} (by {} {}{})", platform.device_name(DeviceId(arc.from.index())),
                                platform.device_name(DeviceId(arc.to.index())), arc.mirrored ? "backward edge" : "edge",
                                edge_text(graph, graph.edges[*arc.edge]), arc.mirrored ? ", mirrored" : ""));
  }
  report.violations.push_back(
      {Violation::Kind::Shape,
       "not staged: the devices would have to come before each other: " + joined_in_short(steps, ", ")});
}

// A shortest path of `successors` that leaves the nodes of `device` and comes back to them; empty if there is none.
std::vector<NodeId> path_out_and_back(DeviceId device, const std::vector<NodeId>& held, const Placement& placement,
                                      const Csr<NodeId, NodeId>& successors) {
  if (held.size() < 2) return {};  // the graph has no cycles; with a device for each node this keeps the whole linear
  IdVector<NodeId, NodeId> reached_from(placement.device_of.size());
  std::queue<NodeId> outside;
  const auto path_to = [&](NodeId end, NodeId before) {
    std::vector<NodeId> path{end};
    NodeId at = before;
    for (; placement.device_of[at] != device; at = reached_from[at]) path.push_back(at);
    path.push_back(at);
    std::reverse(path.begin(), path.end());
    return path;
  };
  const auto reach = [&](NodeId v, NodeId from) {
    if (reached_from[v].valid() || !placement.device_of[v].valid()) return;
    reached_from[v] = from;
    outside.push(v);
  };
  for (NodeId u : held) {
    for (NodeId v : successors[u]) {
      if (placement.device_of[v] != device) reach(v, u);
    }
  }
  while (!outside.empty()) {
    const NodeId u = outside.front();
    outside.pop();
    for (NodeId v : successors[u]) {
      if (placement.device_of[v] == device) return path_to(v, u);
      reach(v, u);
    }
  }
  return {};
}

void check_contiguous(const Problem& problem, const Placement& placement, bool backward, CheckReport& report) {
  const Graph& graph = problem.workload.graph;
  const Platform& platform = problem.workload.platform;
  std::vector<std::pair<NodeId, NodeId>> pairs;
  for (const Edge& edge : graph.edges) {
    if (graph.nodes[edge.from].backward == backward && graph.nodes[edge.to].backward == backward) {
      pairs.emplace_back(edge.from, edge.to);
    }
  }
  const Csr<NodeId, NodeId> successors(graph.nodes.size(), pairs);
  IdVector<DeviceId, std::vector<NodeId>> held(platform.device_count());
  for (NodeId v : graph.nodes.all()) {
    if (graph.nodes[v].backward == backward && placement.device_of[v].valid())
      held[placement.device_of[v]].push_back(v);
  }
  for (DeviceId d : held.all()) {
    const std::vector<NodeId> path = path_out_and_back(d, held[d], placement, successors);
    if (path.empty()) continue;
    std::vector<std::string> steps;
    for (NodeId v : path) {
      const DeviceId where = placement.device_of[v];
      steps.push_back(node_text(graph, v) + (where == d ? "" : " on " + platform.device_name(where)));
    }
    report.violations.push_back(
        {Violation::Kind::Shape,
         fmt::format("{} is not contiguous{}: a path leaves it and comes back: {}", platform.device_name(d),
                     backward ? " in its backward part" : "", joined_in_short(steps, " -> "))});
  }
}

}  // namespace

void check_shape(const Problem& problem, const Placement& placement, CheckReport& report) {
  switch (problem.shape) {
    case Shape::Staged: check_staged(problem, placement, report); break;
    case Shape::Contiguous:
      check_contiguous(problem, placement, false, report);
      if (problem.backward_shape) check_contiguous(problem, placement, true, report);
      break;
    case Shape::Free: break;
  }
}

}  // namespace partita
