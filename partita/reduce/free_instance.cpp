// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/free_instance.h"

#include <algorithm>
#include <tuple>

#include "partita/reduce/colours.h"
#include "partita/reduce/transfers.h"

namespace partita {
namespace {

// Where the load of a device is one sum, all is one pass.
std::size_t pass_of(const Problem& problem, NodeId v) {
  const bool apart = problem.transfers != TransferMode::Sum || problem.objective == Objective::GPipe;
  return apart && problem.workload->graph.nodes[v].backward ? 1 : 0;
}

IdVector<GroupId, PassTime> times_on(const Problem& problem, const ColourClasses& colours, ClassId device_class) {
  const Graph& graph = problem.workload->graph;
  IdVector<GroupId, PassTime> times(colours.members.size());
  for (GroupId g : times.all()) {
    for (NodeId v : colours.members[g.index()]) {
      const double t = graph.nodes[v].time[device_class.index()];
      times[g].runs = times[g].runs && t != kCannotRun;
      times[g].pass[pass_of(problem, v)] += t;
    }
    if (!times[g].runs) times[g].pass = {};
  }
  return times;
}

// The groups as the plain solvers know them, at the best of each kind.
IdVector<GroupId, Group> best_weights(const Problem& problem, const ColourClasses& colours,
                                      const FreeInstance& instance) {
  IdVector<GroupId, Group> groups(colours.members.size());
  for (GroupId g : groups.all()) {
    groups[g].on_accelerator = groups[g].on_host = false;
    for (NodeId v : colours.members[g.index()]) groups[g].memory += problem.workload->graph.nodes[v].memory;
    for (std::size_t c = 0; c < instance.class_count(); ++c) {
      if (!instance.time[c][g].runs) continue;
      const bool host = instance.device_class(c).host;
      bool& on = host ? groups[g].on_host : groups[g].on_accelerator;
      double& least = host ? groups[g].host_time : groups[g].accelerator_time;
      least = on ? std::min(least, instance.time[c][g].total()) : instance.time[c][g].total();
      on = true;
    }
  }
  return groups;
}

// The net with these members, by bisection: nets stand in the order of their members. Invalid if there is none.
NetId find_net(const NetGraph& graph, const std::vector<GroupId>& members) {
  std::size_t low = 0, high = graph.net_count();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    const auto there = graph.members(NetId(middle));
    if (std::lexicographical_compare(there.begin(), there.end(), members.begin(), members.end())) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == graph.net_count() || !std::ranges::equal(graph.members(NetId(low)), members)) return NetId();
  return NetId(low);
}

// The transfers of every net of the graph. Those that always cost together are one.
Csr<NetId, NetTransfer> moved_along(const Problem& problem, const ColourClasses& colours, const NetGraph& graph) {
  using Moved = std::pair<NetId, NetTransfer>;
  const auto key = [](const Moved& m) { return std::tuple(m.first, m.second.producer, m.second.pass); };
  std::vector<Moved> all, merged;
  std::vector<GroupId> members;
  for (const Transfer& transfer : find_transfers(problem.workload->graph)) {
    const GroupId producer = colours.class_of[transfer.producer];
    members.assign(1, producer);
    for (NodeId v : transfer.consumers) members.push_back(colours.class_of[v]);
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    if (members.size() < 2 || !(transfer.cost > 0)) continue;  // nothing moves, or for nothing
    const NetId net = find_net(graph, members);
    if (net.valid()) all.push_back({net, {producer, pass_of(problem, transfer.producer), transfer.cost}});
  }
  std::stable_sort(all.begin(), all.end(), [&](const Moved& a, const Moved& b) { return key(a) < key(b); });
  for (const Moved& m : all) {
    if (!merged.empty() && key(merged.back()) == key(m)) {
      merged.back().second.cost += m.second.cost;
    } else {
      merged.push_back(m);
    }
  }
  return {graph.net_count(), merged};
}

}  // namespace

bool FreeInstance::is_plain() const {
  if (mode != TransferMode::Sum || devices.accelerator_classes() > 1) return false;
  if (class_count() - devices.accelerator_classes() > 1) return false;
  return devices.accelerators() == 0 || device_class(0).link_factor == 1;
}

StagePlatform FreeInstance::stage_platform() const {
  StagePlatform platform;
  for (const DeviceTable::Class& c : devices.classes()) {
    (c.host ? platform.hosts : platform.accelerators) = static_cast<int>(c.count);
    (c.host ? platform.host_memory : platform.accelerator_memory) = c.memory;
  }
  return platform;
}

FreeInstance make_free_instance(const Problem& problem) {
  const Graph& graph = problem.workload->graph;
  const ColourClasses colours = find_colour_classes(graph);
  FreeInstance instance;
  instance.mode = problem.transfers;
  instance.devices = DeviceTable(problem.workload->platform, colours.members.size());
  for (const DeviceTable::Class& c : instance.devices.classes())
    instance.time.push_back(times_on(problem, colours, c.id));
  instance.graph = NetGraph(best_weights(problem, colours, instance), transfer_nets(graph, colours));
  instance.moved = moved_along(problem, colours, instance.graph);
  instance.group_of = colours.class_of;
  return instance;
}

Split lift_free(const FreeInstance& instance, const FreeSplit& split) {
  return instance.devices.lift(instance.group_of, split.device_of);
}

FreeSplit to_free(const Problem& problem, const FreeInstance& instance, const Split& split) {
  return {0, instance.devices.devices_of(problem.workload->platform, instance.group_of, split)};
}

}  // namespace partita
