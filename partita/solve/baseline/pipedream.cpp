// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/baseline/pipedream.h"

#include <algorithm>
#include <set>

#include "partita/reduce/device_table.h"
#include "partita/reduce/setup_instance.h"
#include "partita/reduce/stage_order.h"
#include "partita/reduce/staged_instance.h"
#include "partita/solve/shared/published_order.h"
#include "partita/solve/staged/linear.h"
#include "partita/solve/staged/setups/device_counts.h"
#include "partita/solve/staged/setups/setup_linear.h"
#include "partita/util/biconnected.h"
#include "partita/util/union_find.h"

namespace partita::detail {
namespace {

constexpr double kNextToFree = 0.1;
constexpr std::size_t kCoarseStops = 200;  // of a first answer where stages can run in several ways

// What it costs to move the forward outputs of each group that others read; -1 where nobody does.
IdVector<GroupId, double> output_costs(const Graph& graph, const IdVector<NodeId, GroupId>& group_of,
                                       std::size_t groups) {
  IdVector<GroupId, double> cost(groups, -1);
  for (const Edge& edge : graph.edges) {
    const GroupId from = group_of[edge.from];
    if (from == group_of[edge.to] || graph.nodes[edge.to].backward) continue;
    cost[from] = std::max(cost[from], edge.cost);
  }
  return cost;
}

// Groups whose edges make no branching: no time, several readers, and an output that is next to free to move.
IdVector<GroupId, char> find_broadcasts(const Problem& problem, const IdVector<NodeId, GroupId>& group_of,
                                        std::size_t groups, const GroupEdges& edges) {
  const Graph& graph = problem.workload->graph;
  const IdVector<GroupId, double> cost = output_costs(graph, group_of, groups);
  const auto weights = class_groups(graph, group_of, DeviceTable(problem.workload->platform, groups));
  double total = 0;
  std::size_t read = 0;
  for (const double c : cost) {
    if (c < 0) continue;
    total += c;
    ++read;
  }
  IdVector<GroupId, std::set<GroupId>> readers(groups);
  for (const auto& [from, to] : edges) readers[from].insert(to);
  IdVector<GroupId, char> broadcast(groups, 0);
  for (GroupId g : broadcast.all()) {
    const std::vector<double>& times = weights[g].time;
    const bool idle = std::all_of(times.begin(), times.end(), [](double time) { return time == 0; });
    broadcast[g] = idle && readers[g].size() > 1 && cost[g] * static_cast<double>(read) <= kNextToFree * total;
  }
  return broadcast;
}

// One label for all producers of each biconnected component.
IdVector<GroupId, GroupId> branching_labels(std::size_t groups, const GroupEdges& edges,
                                            const IdVector<GroupId, char>& broadcast) {
  GroupEdges kept;
  std::copy_if(edges.begin(), edges.end(), std::back_inserter(kept),
               [&](const auto& edge) { return !broadcast[edge.first]; });
  const EdgeComponents components = biconnected_components(groups, kept);
  std::vector<GroupId> producer(components.count);
  UnionFind<GroupId> joined(groups);
  for (std::size_t e = 0; e < kept.size(); ++e) {
    GroupId& first = producer[components.component_of[e]];
    if (!first.valid()) first = kept[e].first;
    joined.join(first, kept[e].first);
  }
  IdVector<GroupId, GroupId> label(groups);
  for (GroupId g : label.all()) label[g] = joined.find(g);
  return label;
}

// The graph as a path of layers.
struct Path {
  Contraction layers;
  std::vector<GroupId> order;
};

Path make_path(const Problem& problem, const StageGraph& graph, const IdVector<NodeId, GroupId>& group_of) {
  const GroupEdges edges = group_edges(problem, group_of);
  const auto broadcast = find_broadcasts(problem, group_of, graph.size(), edges);
  Path path;
  path.layers = contract(graph, branching_labels(graph.size(), edges, broadcast));
  const Lift& lift = path.layers.lift;
  GroupEdges path_edges;
  for (const auto& [from, to] : edges) {
    if (lift[from] != lift[to]) path_edges.emplace_back(lift[from], lift[to]);
  }
  path.order = published_order(path.layers.graph.size(), path_edges);
  return path;
}

std::optional<Split> split_plain_path(const Problem& problem, const Budget& budget) {
  const StagedInstance instance = make_staged_instance(problem);
  const Path path = make_path(problem, instance.graph, instance.group_of);
  StagePlatform platform = instance.platform;
  const int layers = static_cast<int>(path.layers.graph.size());
  platform.accelerators = std::min(platform.accelerators, layers);
  platform.hosts = std::min(platform.hosts, layers);
  // A coarse answer makes the next one fast, and counts if there is no time for it.
  std::optional<StagedSplit> split;
  for (std::size_t stride = std::max<std::size_t>(path.order.size() / kCoarseStops, 1);; stride = 1) {
    const LinearOptions linear{.below = split ? split->value : kUnlimited, .stride = stride};
    if (auto found = linear_split(path.layers.graph, platform, path.order, linear, budget)) split = std::move(found);
    if (stride == 1) break;
  }
  if (!split) return std::nullopt;
  return lift_stages(problem, instance, lift_stages(path.layers.lift, split->stages));
}

// The same path, on whatever devices there are. `problem` has no clusters.
std::optional<Split> split_path(const Problem& problem, Budget& budget) {
  const StageOrder forward = find_stage_order(problem);
  const Path path = make_path(problem, forward.graph, forward.group_of);
  const SetupInstance instance = make_setup_instance(problem);
  IdVector<GroupId, GroupId> layer(instance.graph.size());
  for (NodeId v : instance.group_of.all()) layer[instance.group_of[v]] = path.layers.lift[forward.group_of[v]];
  const SetupContraction layers = contract(instance.graph, layer);
  IdVector<GroupId, GroupId> contracted(path.order.size());
  for (GroupId g : layer.all()) contracted[layer[g]] = layers.lift[g];
  std::vector<GroupId> from_the_end;
  for (GroupId g : path.order) from_the_end.push_back(contracted[g]);
  std::reverse(from_the_end.begin(), from_the_end.end());

  SetupRules rules = instance.rules;
  const std::size_t most = from_the_end.size() * static_cast<std::size_t>(rules.replicas);
  for (ClusterMember& member : rules.clusters.back().members)
    member.count = static_cast<int>(std::min(static_cast<std::size_t>(member.count), most));
  refuse_too_many_vectors(rules);
  // A coarse answer makes the next one fast, and counts if there is no time for it.
  std::optional<SetupPipeline> best;
  for (std::size_t stride = std::max<std::size_t>(from_the_end.size() / kCoarseStops, 1);; stride = 1) {
    const double below = best ? best->value : kUnlimited;
    if (auto found = linear_pipeline(layers.graph, rules, from_the_end, below, stride, budget)) best = std::move(found);
    if (stride == 1) break;
  }
  if (!best) return std::nullopt;
  return lift_parts(problem, instance, lift_parts(layers.lift, best->parts));
}

}  // namespace

std::optional<Split> pipedream_split(const Problem& problem, Budget& budget) {
  Problem flat = problem;
  // Copies are for staged splits, and would have to be next to each other.
  if (flat.workload->platform.clusters || flat.shape != Shape::Staged) flat.replicas = 1;
  flat.workload.change().platform.clusters.reset();
  const bool plain = is_plain(flat.workload->platform) && flat.transfers == TransferMode::Sum && flat.replicas == 1 &&
                     flat.memory_model == MemoryModel::Flat;
  return plain ? split_plain_path(flat, budget) : split_path(flat, budget);
}

}  // namespace partita::detail
