// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/latency_instance.h"

#include <algorithm>
#include <cassert>
#include <optional>

#include "partita/reduce/platform_kinds.h"
#include "partita/reduce/transfers.h"
#include "partita/util/strong_components.h"

namespace partita {
namespace {

template <class IdT>
Csr<IdT, IdT> each_once(std::size_t rows, std::vector<std::pair<IdT, IdT>> pairs) {
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return Csr<IdT, IdT>(rows, pairs);
}

void add_nodes(const Problem& problem, LatencyInstance& instance) {
  const Graph& graph = problem.workload.graph;
  const PlatformKinds kinds = platform_kinds(problem.workload.platform);
  // All hosts: classes.platform leaves out those that need hold nothing, but they have cores.
  if (kinds.host.valid()) instance.cores = problem.workload.platform.classes[kinds.host].count;
  std::vector<std::pair<GroupId, NodeId>> members;
  for (NodeId v : graph.nodes.all()) {
    const GroupId g = instance.classes.group_of[v];
    LatencyNode node;
    node.group = g;
    node.backward = graph.nodes[v].backward;
    if (instance.group(g).on_accelerator) node.accelerator_time = graph.nodes[v].time[kinds.accelerator.index()];
    if (instance.group(g).on_host) node.host_time = graph.nodes[v].time[kinds.host.index()];
    instance.has_backward = instance.has_backward || node.backward;
    instance.nodes.push_back(node);
    members.emplace_back(g, v);
  }
  instance.members = Csr<GroupId, NodeId>(instance.group_count(), members);
}

void add_edges(const Graph& graph, LatencyInstance& instance) {
  std::vector<std::pair<NodeId, LatencyInstance::Arc>> arcs;
  std::vector<std::pair<NodeId, NodeId>> forth, back;
  std::vector<std::pair<GroupId, GroupId>> group_forth, group_back;
  for (const Edge& edge : graph.edges) {
    arcs.emplace_back(edge.from, LatencyInstance::Arc{edge.to, edge.cost});
    forth.emplace_back(edge.from, edge.to);
    back.emplace_back(edge.to, edge.from);
    const LatencyNode &from = instance.nodes[edge.from], &to = instance.nodes[edge.to];
    if (from.group == to.group || from.backward != to.backward) continue;
    const GroupId first = from.backward ? to.group : from.group, second = from.backward ? from.group : to.group;
    group_forth.emplace_back(first, second);
    group_back.emplace_back(second, first);
  }
  instance.arcs = Csr<NodeId, LatencyInstance::Arc>(instance.size(), arcs);
  instance.successors = each_once(instance.size(), std::move(forth));
  instance.predecessors = each_once(instance.size(), std::move(back));
  instance.group_successors = each_once(instance.group_count(), std::move(group_forth));
  instance.group_predecessors = each_once(instance.group_count(), std::move(group_back));
  const Components items = strong_components(instance.group_successors);
  instance.item_of.resize(instance.group_count());
  for (GroupId g : instance.item_of.all()) instance.item_of[g] = items.component_of[g.index()];
  instance.item_count = items.count;
}

void add_order(LatencyInstance& instance) {
  IdVector<NodeId, std::size_t> waiting(instance.size(), 0);
  for (NodeId v : instance.nodes.all()) {
    waiting[v] = instance.predecessors[v].size();
    if (waiting[v] == 0) instance.order.push_back(v);
  }
  for (std::size_t head = 0; head < instance.order.size(); ++head) {
    for (NodeId w : instance.successors[instance.order[head]]) {
      if (--waiting[w] == 0) instance.order.push_back(w);
    }
  }
  assert(instance.order.size() == instance.size());
}

void add_transfers(const Graph& graph, LatencyInstance& instance) {
  IdVector<NodeId, std::size_t> transfers_out(instance.size(), 0);
  std::vector<std::pair<NetId, NodeId>> members;
  std::vector<std::pair<NodeId, NetId>> nets_of;
  for (const Transfer& transfer : find_transfers(graph)) {
    LatencyNode& producer = instance.nodes[transfer.producer];
    producer.own_transfers = ++transfers_out[transfer.producer] > 1;
    producer.cost = transfer.cost;
    if (transfer.cost <= 0) continue;
    const NetId net = instance.net_cost.push_back(transfer.cost);
    instance.net_producer.push_back(transfer.producer);
    std::vector<NodeId> all = transfer.consumers;
    all.push_back(transfer.producer);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    for (NodeId v : all) {
      members.emplace_back(net, v);
      nets_of.emplace_back(v, net);
    }
  }
  instance.net_members = Csr<NetId, NodeId>(instance.net_cost.size(), members);
  instance.nets_of = Csr<NodeId, NetId>(instance.size(), nets_of);
}

// By host, counted from 0; invalid for groups on accelerators.
std::optional<IdVector<GroupId, DeviceId>> deal_to_hosts(const LatencyInstance& instance,
                                                         const IdVector<GroupId, DeviceId>& accelerator_of) {
  IdVector<GroupId, DeviceId> host_of(instance.group_count());
  const StagePlatform& platform = instance.classes.platform;
  std::vector<GroupId> groups;
  double total = 0;
  for (GroupId g : accelerator_of.all()) {
    if (accelerator_of[g].valid()) continue;
    groups.push_back(g);
    host_of[g] = DeviceId(0);
    total += instance.group(g).memory;
  }
  if (groups.empty()) return host_of;
  if (platform.hosts == 0) return std::nullopt;
  if (total <= platform.host_memory) return host_of;
  std::stable_sort(groups.begin(), groups.end(),
                   [&](GroupId a, GroupId b) { return instance.group(a).memory > instance.group(b).memory; });
  std::vector<double> used(static_cast<std::size_t>(platform.hosts), 0);
  for (GroupId g : groups) {
    const double memory = instance.group(g).memory;
    const auto host =
        std::find_if(used.begin(), used.end(), [&](double there) { return there + memory <= platform.host_memory; });
    if (host == used.end()) return std::nullopt;
    *host += memory;
    host_of[g] = DeviceId(static_cast<std::size_t>(host - used.begin()));
  }
  return host_of;
}

}  // namespace

LatencyInstance make_latency_instance(const Problem& problem) {
  const Graph& graph = problem.workload.graph;
  LatencyInstance instance;
  instance.classes = make_free_instance(problem);
  instance.subgraphs = problem.subgraphs;
  instance.strict_host_cores = problem.strict_host_cores;
  add_nodes(problem, instance);
  add_edges(graph, instance);
  add_order(instance);
  add_transfers(graph, instance);
  return instance;
}

bool fits_hosts(const LatencyInstance& instance, const IdVector<GroupId, DeviceId>& accelerator_of) {
  return deal_to_hosts(instance, accelerator_of).has_value();
}

Split lift_latency(const Problem& problem, const LatencyInstance& instance, const LatencySplit& split) {
  const auto host_of = deal_to_hosts(instance, split.accelerator_of);
  assert(host_of);
  FreeSplit free;
  free.device_of = split.accelerator_of;
  for (GroupId g : free.device_of.all()) {
    if (!free.device_of[g].valid())
      free.device_of[g] = DeviceId(static_cast<std::size_t>(instance.accelerators()) + (*host_of)[g].index());
  }
  Split lifted = lift_free(problem, instance.classes, free);
  lifted.subgraph_of = split.subgraph_of;
  return lifted;
}

LatencySplit to_latency(const Problem& problem, const LatencyInstance& instance, const Split& split) {
  LatencySplit result{0, to_free(problem, instance.classes, split).device_of, split.subgraph_of};
  for (DeviceId& d : result.accelerator_of) {
    if (d.index() >= static_cast<std::size_t>(instance.accelerators())) d = DeviceId();
  }
  return result;
}

}  // namespace partita
