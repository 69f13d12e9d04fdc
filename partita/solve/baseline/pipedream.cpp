// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/baseline/pipedream.h"

#include <algorithm>
#include <set>

#include "partita/reduce/staged_instance.h"
#include "partita/solve/baseline/published_order.h"
#include "partita/solve/throughput/linear.h"
#include "partita/util/biconnected.h"
#include "partita/util/union_find.h"

namespace partita {
namespace {

constexpr double kNextToFree = 0.1;

// What it costs to move the forward outputs of each group that others read; -1 where nobody does.
IdVector<GroupId, double> output_costs(const Graph& graph, const StagedInstance& instance) {
  IdVector<GroupId, double> cost(instance.graph.size(), -1);
  for (const Edge& edge : graph.edges) {
    const GroupId from = instance.group_of[edge.from];
    if (from == instance.group_of[edge.to] || graph.nodes[edge.to].backward) continue;
    cost[from] = std::max(cost[from], edge.cost);
  }
  return cost;
}

// Groups whose edges make no branching: no time, several readers, and an output that is next to free to move.
IdVector<GroupId, char> find_broadcasts(const Graph& graph, const StagedInstance& instance, const GroupEdges& edges) {
  const IdVector<GroupId, double> cost = output_costs(graph, instance);
  double total = 0;
  std::size_t read = 0;
  for (const double c : cost) {
    if (c < 0) continue;
    total += c;
    ++read;
  }
  IdVector<GroupId, std::set<GroupId>> readers(instance.graph.size());
  for (const auto& [from, to] : edges) readers[from].insert(to);
  IdVector<GroupId, char> broadcast(instance.graph.size(), 0);
  for (GroupId g : instance.graph.all()) {
    const Group& group = instance.graph.group(g);
    broadcast[g] = group.accelerator_time == 0 && group.host_time == 0 && readers[g].size() > 1 &&
                   cost[g] * static_cast<double>(read) <= kNextToFree * total;
  }
  return broadcast;
}

// One label for all producers of each biconnected component.
IdVector<GroupId, GroupId> branching_labels(const StagedInstance& instance, const GroupEdges& edges,
                                            const IdVector<GroupId, char>& broadcast) {
  GroupEdges kept;
  std::copy_if(edges.begin(), edges.end(), std::back_inserter(kept),
               [&](const auto& edge) { return !broadcast[edge.first]; });
  const EdgeComponents components = biconnected_components(instance.graph.size(), kept);
  std::vector<GroupId> producer(components.count);
  UnionFind<GroupId> joined(instance.graph.size());
  for (std::size_t e = 0; e < kept.size(); ++e) {
    GroupId& first = producer[components.component_of[e]];
    if (!first.valid()) first = kept[e].first;
    joined.join(first, kept[e].first);
  }
  IdVector<GroupId, GroupId> label(instance.graph.size());
  for (GroupId g : label.all()) label[g] = joined.find(g);
  return label;
}

}  // namespace

std::optional<Split> pipedream_split(const Problem& problem) {
  const StagedInstance instance = make_staged_instance(problem);
  const GroupEdges edges = group_edges(problem, instance.group_of);
  const auto broadcast = find_broadcasts(problem.workload.graph, instance, edges);
  const Contraction path = contract(instance.graph, branching_labels(instance, edges, broadcast));

  GroupEdges path_edges;
  for (const auto& [from, to] : edges) {
    if (path.lift[from] != path.lift[to]) path_edges.emplace_back(path.lift[from], path.lift[to]);
  }
  StagePlatform platform = instance.platform;
  const int layers = static_cast<int>(path.graph.size());
  platform.accelerators = std::min(platform.accelerators, layers);
  platform.hosts = std::min(platform.hosts, layers);
  const auto split = linear_split(path.graph, platform, published_order(path.graph.size(), path_edges), {}, Budget());
  if (!split) return std::nullopt;
  return lift_stages(problem, instance, lift_stages(path.lift, split->stages));
}

}  // namespace partita
