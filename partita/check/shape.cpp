// SPDX-License-Identifier: Apache-2.0
#include "partita/check/shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <unordered_set>

#include "partita/check/block_order.h"
#include "partita/check/memory.h"
#include "partita/check/names.h"
#include "partita/util/csr.h"

namespace partita::detail {
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

// An edge between two devices that a staged split must take forward.
struct DeviceArc {
  DeviceId from;
  DeviceId to;
  std::size_t edge;
  bool mirrored;
};

std::vector<DeviceArc> device_arcs(const Problem& problem, const Placement& placement) {
  std::vector<DeviceArc> arcs;
  for (const StageArc& arc : stage_arcs(problem)) {
    const DeviceId from = placement.device_of[arc.from];
    const DeviceId to = placement.device_of[arc.to];
    if (from.valid() && to.valid() && from != to) arcs.push_back({from, to, arc.edge, arc.mirrored});
  }
  return arcs;
}

// No cluster is left and entered again.
bool keeps_clusters_together(const std::vector<DeviceId>& order, const ClusterTree& clusters) {
  IdVector<ClusterId, bool> left(clusters.size(), false);
  for (std::size_t i = 1; i < order.size(); ++i) {
    const ClusterId around = clusters.common(order[i - 1], order[i]);
    for (ClusterId c = clusters.home(order[i - 1]); c != around; c = clusters[c].around) left[c] = true;
    for (ClusterId c = clusters.home(order[i]); c != around; c = clusters[c].around) {
      if (left[c]) return false;
    }
  }
  return true;
}

// `preferred` without devices that have no nodes, if that is an order of all others that takes every arc forward.
std::vector<DeviceId> usable_order(const std::vector<DeviceId>& preferred, const std::vector<DeviceArc>& arcs,
                                   const ClusterTree& clusters, const CheckReport& report) {
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
  for (const DeviceArc& arc : arcs) {
    if (position[arc.from] >= position[arc.to]) return {};
  }
  if (!keeps_clusters_together(order, clusters)) return {};
  return order;
}

// Orders the members of every cluster, or finds a circle among the members of one.
class StageOrder {
 public:
  StageOrder(const Problem& problem, const ClusterTree& clusters, const std::vector<DeviceArc>& arcs)
      : problem_(problem), clusters_(clusters), arcs_(arcs), arcs_of_(clusters.size()), place_(clusters.size()) {
    device_place_.resize(problem.workload->platform.device_count());
    for (ClusterId c : arcs_of_.all()) {
      BlockId next(0);
      for (DeviceId d : clusters[c].devices) device_place_[d] = next, ++next;
      for (ClusterId inside : clusters[c].inside) place_[inside] = next, ++next;
    }
    for (std::size_t i = 0; i < arcs.size(); ++i) {
      const ClusterId around = clusters.common(arcs[i].from, arcs[i].to);
      arcs_of_[around].push_back({member(around, arcs[i].from), member(around, arcs[i].to), i, arcs[i].mirrored});
    }
  }

  // All devices, or nothing where there is a circle, which is then named.
  std::vector<DeviceId> devices(std::vector<Violation>& violations) {
    add(clusters_.root(), violations);
    return circle_ ? std::vector<DeviceId>() : order_;
  }

 private:
  // Where the device, or the cluster that holds it, stands among the members of the cluster.
  BlockId member(ClusterId around, DeviceId device) const {
    const ClusterId part = clusters_.part_of(around, device);
    return part.valid() ? place_[part] : device_place_[device];
  }

  std::string name(ClusterId around, BlockId member) const {
    const auto& own = clusters_[around].devices;
    if (member.index() < own.size()) return problem_.workload->platform.device_name(own[member.index()]);
    return clusters_.name(clusters_[around].inside[member.index() - own.size()]);
  }

  void add(ClusterId cluster, std::vector<Violation>& violations) {
    const auto& own = clusters_[cluster].devices;
    const auto& inside = clusters_[cluster].inside;
    BlockOrder found = order_blocks(own.size() + inside.size(), arcs_of_[cluster]);
    if (!found.circle.empty()) {
      circle_ = true;
      name_circle(cluster, found.circle, violations);
      for (BlockId b : ids<BlockId>(own.size() + inside.size())) found.order.push_back(b);
    }
    for (BlockId b : found.order) {
      if (b.index() < own.size()) {
        order_.push_back(own[b.index()]);
      } else {
        add(inside[b.index() - own.size()], violations);
      }
    }
  }

  void name_circle(ClusterId cluster, const std::vector<BlockArc>& circle, std::vector<Violation>& violations) const {
    const Graph& graph = problem_.workload->graph;
    std::vector<std::string> steps;
    for (const BlockArc& arc : circle) {
      steps.push_back(fmt::format("{} before {} (by {} {}{})", name(cluster, arc.from), name(cluster, arc.to),
                                  arc.mirrored ? "backward edge" : "edge",
                                  edge_text(graph, graph.edges[arcs_[*arc.edge].edge]),
                                  arc.mirrored ? ", mirrored" : ""));
    }
    violations.push_back(
        {Violation::Kind::Shape, fmt::format("not staged: the {} would have to come before each other: {}",
                                             clusters_[cluster].inside.empty() ? "devices" : "members of a cluster",
                                             joined_in_short(steps, ", "))});
  }

  const Problem& problem_;
  const ClusterTree& clusters_;
  const std::vector<DeviceArc>& arcs_;
  IdVector<ClusterId, std::vector<BlockArc>> arcs_of_;  // between its members; `edge` is an index into arcs_
  IdVector<ClusterId, BlockId> place_;                  // in the cluster around it
  IdVector<DeviceId, BlockId> device_place_;            // in its own cluster
  std::vector<DeviceId> order_;
  bool circle_ = false;
};

std::vector<Violation> check_staged(const Problem& problem, const Placement& placement, const ClusterTree& clusters,
                                    CheckReport& report) {
  std::vector<Violation> violations;
  const std::vector<DeviceArc> arcs = device_arcs(problem, placement);
  const std::vector<DeviceId> any_order = StageOrder(problem, clusters, arcs).devices(violations);
  if (!violations.empty()) return violations;
  report.order = usable_order(placement.order, arcs, clusters, report);
  if (!report.order.empty()) return violations;
  for (DeviceId d : any_order) {
    if (report.devices[d].node_count > 0) report.order.push_back(d);
  }
  if (memory_needs_order(problem) && report.order.size() > 1) {
    violations.push_back(
        {Violation::Kind::Shape,
         placement.order.empty()
             ? "the split does not say in which order its stages are, and their memory depends on it"
             : "the order that the split gives its stages leaves some out, or does not take every edge "
               "forward with clusters kept together"});
  }
  return violations;
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

void check_contiguous(const Problem& problem, const Placement& placement, bool backward,
                      std::vector<Violation>& violations) {
  const Graph& graph = problem.workload->graph;
  const Platform& platform = problem.workload->platform;
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
    violations.push_back(
        {Violation::Kind::Shape,
         fmt::format("{} is not contiguous{}: a path leaves it and comes back: {}", platform.device_name(d),
                     backward ? " in its backward part" : "", joined_in_short(steps, " -> "))});
  }
}

}  // namespace

std::vector<StageArc> stage_arcs(const Problem& problem) {
  const Graph& graph = problem.workload->graph;
  const IdVector<NodeId, bool> orphan = find_orphans(graph);
  std::vector<StageArc> arcs;
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    const auto& [from, to] = std::pair(graph.edges[e].from, graph.edges[e].to);
    const bool backward_from = graph.nodes[from].backward, backward_to = graph.nodes[to].backward;
    if (!backward_from && !backward_to) {
      arcs.push_back({from, to, e, false});
    } else if (backward_from && backward_to && (problem.backward_shape || orphan[from] || orphan[to])) {
      arcs.push_back({to, from, e, true});
    }
  }
  return arcs;
}

std::vector<Violation> check_shape(const Problem& problem, const Placement& placement, const ClusterTree& clusters,
                                   CheckReport& report) {
  if (problem.shape == Shape::Staged) return check_staged(problem, placement, clusters, report);
  std::vector<Violation> violations;
  if (problem.shape == Shape::Contiguous) {
    check_contiguous(problem, placement, false, violations);
    if (problem.backward_shape) check_contiguous(problem, placement, true, violations);
  }
  return violations;
}

}  // namespace partita::detail
