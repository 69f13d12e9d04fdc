// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/latency_instance.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <optional>

#include "partita/reduce/colours.h"
#include "partita/reduce/never.h"
#include "partita/reduce/transfers.h"
#include "partita/util/strong_components.h"
#include "partita/util/topological_order.h"

namespace partita::detail {
namespace {

template <class IdT>
Csr<IdT, IdT> each_once(std::size_t rows, std::vector<std::pair<IdT, IdT>> pairs) {
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return Csr<IdT, IdT>(rows, pairs);
}

void add_groups(const Problem& problem, LatencyInstance& instance) {
  const Graph& graph = problem.workload->graph;
  const ColourClasses classes = find_colour_classes(graph);
  instance.group_of = classes.class_of;
  instance.groups.resize(classes.members.size());
  std::vector<std::pair<GroupId, NodeId>> members;
  for (NodeId v : graph.nodes.all()) {
    instance.groups[instance.group_of[v]].memory += graph.nodes[v].memory;
    instance.total_memory += graph.nodes[v].memory;
    members.emplace_back(instance.group_of[v], v);
  }
  instance.members = Csr<GroupId, NodeId>(instance.group_count(), members);
}

void add_devices(const Platform& platform, LatencyInstance& instance) {
  instance.devices = DeviceTable(platform, instance.group_count());
  StagePlatform& all = instance.platform;
  for (const DeviceTable::Class& c : instance.devices.classes()) {
    (c.host ? all.hosts : all.accelerators) += static_cast<int>(c.count);
    double& memory = c.host ? all.host_memory : all.accelerator_memory;
    memory = std::max(memory, c.memory);
    // All hosts: the table leaves out those that need hold nothing, but they have cores.
    if (c.host) instance.cores += platform.classes[c.id].count;
  }
}

// Where a kind has several classes, one without the memory for a group cannot hold it. With one class, it is for
// searches to find out.
void add_class_times(const Graph& graph, LatencyInstance& instance) {
  const auto& classes = instance.devices.classes();
  const std::size_t accelerator_classes = instance.devices.accelerator_classes();
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const bool several = (classes[c].host ? classes.size() - accelerator_classes : accelerator_classes) > 1;
    auto& holds = instance.class_holds.emplace_back(instance.group_count(), 1);
    auto& time = instance.class_time.emplace_back(graph.nodes.size(), 0);
    for (GroupId g : holds.all()) {
      if (several && instance.group(g).memory > classes[c].memory) holds[g] = 0;
      for (NodeId v : instance.members[g]) {
        if (graph.nodes[v].time[classes[c].id.index()] == kCannotRun) holds[g] = 0;
      }
      for (NodeId v : instance.members[g]) time[v] = holds[g] ? graph.nodes[v].time[classes[c].id.index()] : 0;
    }
  }
}

// The class on which the group takes least in all; none if hosts cannot hold it.
void choose_host_class(GroupId g, LatencyInstance& instance) {
  double least = kNever;
  for (std::size_t c = instance.devices.accelerator_classes(); c < instance.class_time.size(); ++c) {
    if (!instance.class_holds[c][g]) continue;
    double total = 0;
    for (NodeId v : instance.members[g]) total += instance.class_time[c][v];
    if (total >= least) continue;
    least = total;
    instance.host_class[g] = c;
  }
  instance.groups[g].host_time = least < kNever ? least : 0;
}

void add_nodes(const Graph& graph, LatencyInstance& instance) {
  const std::size_t accelerator_classes = instance.devices.accelerator_classes();
  instance.host_class.resize(instance.group_count());
  for (GroupId g : instance.groups.all()) {
    Group& group = instance.groups[g];
    group.on_accelerator = group.on_host = false;
    for (std::size_t c = 0; c < instance.class_holds.size(); ++c) {
      bool& some = c < accelerator_classes ? group.on_accelerator : group.on_host;
      some = some || instance.class_holds[c][g];
    }
    choose_host_class(g, instance);
  }
  for (NodeId v : graph.nodes.all()) {
    LatencyNode node;
    node.group = instance.group_of[v];
    node.backward = graph.nodes[v].backward;
    instance.has_backward = instance.has_backward || node.backward;
    double least[2] = {kNever, kNever};  // on accelerators, on hosts
    for (std::size_t c = 0; c < instance.class_holds.size(); ++c) {
      double& time = least[c < accelerator_classes ? 0 : 1];
      if (instance.class_holds[c][node.group]) time = std::min(time, instance.class_time[c][v]);
    }
    if (least[0] < kNever) node.accelerator_time = least[0];
    if (least[1] < kNever) {
      node.host_time = least[1];
      if (instance.class_time[instance.host_class[node.group]][v] > least[1]) instance.host_choice_open = true;
    }
    instance.nodes.push_back(node);
  }
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

double least_price(const DeviceTable& devices, double cost) {
  if (devices.accelerators() == 0) return cost;
  double least = kNever;
  for (std::size_t c = 0; c < devices.accelerator_classes(); ++c)
    least = std::min(least, devices.classes()[c].link.price(cost));
  return least;
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
    const NetId net = instance.net_cost.push_back(least_price(instance.devices, transfer.cost));
    instance.net_base_cost.push_back(transfer.cost);
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

void add_views(LatencyInstance& instance) {
  if (instance.equal_accelerators()) return;
  std::vector<LatencyInstance> views;
  for (std::size_t c = 0; c < instance.devices.accelerator_classes(); ++c) {
    const DeviceTable::Class& device = instance.devices.classes()[c];
    LatencyInstance& view = views.emplace_back(instance);
    view.is_view = true;
    view.view_of = c;
    view.platform.accelerator_memory = device.memory;
    for (GroupId g : view.groups.all()) view.groups[g].on_accelerator = instance.class_holds[c][g];
    for (NodeId v : view.nodes.all()) view.nodes[v].accelerator_time = instance.class_time[c][v];
    for (NetId e : view.net_cost.all()) view.net_cost[e] = device.link.price(instance.net_base_cost[e]);
  }
  instance.views = std::move(views);
}

// The device of each group, all of them in the numbers of the table; nothing if the hosts lack memory.
std::optional<IdVector<GroupId, DeviceId>> deal_to_hosts(const LatencyInstance& instance,
                                                         const IdVector<GroupId, DeviceId>& accelerator_of) {
  IdVector<GroupId, DeviceId> device_of = accelerator_of;
  const auto& classes = instance.devices.classes();
  std::vector<std::vector<GroupId>> groups(classes.size());
  for (GroupId g : accelerator_of.all()) {
    if (accelerator_of[g].valid()) continue;
    if (!instance.group(g).on_host) return std::nullopt;
    groups[instance.host_class[g]].push_back(g);
  }
  for (std::size_t c = 0; c < classes.size(); ++c) {
    double total = 0;
    for (GroupId g : groups[c]) {
      device_of[g] = DeviceId(classes[c].first);
      total += instance.group(g).memory;
    }
    if (total <= classes[c].memory) continue;
    std::stable_sort(groups[c].begin(), groups[c].end(),
                     [&](GroupId a, GroupId b) { return instance.group(a).memory > instance.group(b).memory; });
    std::vector<double> used(classes[c].count, 0);
    for (GroupId g : groups[c]) {
      const double memory = instance.group(g).memory;
      const auto host =
          std::find_if(used.begin(), used.end(), [&](double there) { return there + memory <= classes[c].memory; });
      if (host == used.end()) return std::nullopt;
      *host += memory;
      device_of[g] = DeviceId(classes[c].first + static_cast<std::size_t>(host - used.begin()));
    }
  }
  return device_of;
}

}  // namespace

LatencyInstance make_latency_instance(const Problem& problem) {
  refuse_all_but_classes(problem, "the solvers for latency");
  const Graph& graph = problem.workload->graph;
  LatencyInstance instance;
  instance.subgraphs = problem.subgraphs;
  instance.strict_host_cores = problem.strict_host_cores;
  add_groups(problem, instance);
  add_devices(problem.workload->platform, instance);
  add_class_times(graph, instance);
  add_nodes(graph, instance);
  add_edges(graph, instance);
  instance.order = topological_order(instance.successors);
  assert(instance.order.size() == instance.size());
  add_transfers(graph, instance);
  add_views(instance);
  return instance;
}

bool fits_hosts(const LatencyInstance& instance, const IdVector<GroupId, DeviceId>& accelerator_of) {
  return deal_to_hosts(instance, accelerator_of).has_value();
}

Split lift_latency(const LatencyInstance& instance, const LatencySplit& split) {
  const auto device_of = deal_to_hosts(instance, split.accelerator_of);
  assert(device_of);
  Split lifted = instance.devices.lift(instance.group_of, *device_of);
  lifted.subgraph_of = split.subgraph_of;
  return lifted;
}

LatencySplit to_latency(const Problem& problem, const LatencyInstance& instance, const Split& split) {
  LatencySplit result{0, instance.devices.devices_of(problem.workload->platform, instance.group_of, split),
                      split.subgraph_of};
  for (DeviceId& d : result.accelerator_of) {
    if (instance.devices.is_host(d)) d = DeviceId();
  }
  return result;
}

}  // namespace partita::detail
