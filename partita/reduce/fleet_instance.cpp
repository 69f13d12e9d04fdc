// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/fleet_instance.h"

#include <algorithm>
#include <map>
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

IdVector<GroupId, FleetTime> times_on(const Problem& problem, const ColourClasses& colours, ClassId device_class) {
  const Graph& graph = problem.workload->graph;
  IdVector<GroupId, FleetTime> times(colours.members.size());
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
IdVector<GroupId, Group> best_weights(const Problem& problem, const ColourClasses& colours, const Fleet& fleet) {
  IdVector<GroupId, Group> groups(colours.members.size());
  for (GroupId g : groups.all()) {
    groups[g].on_accelerator = groups[g].on_host = false;
    for (NodeId v : colours.members[g.index()]) groups[g].memory += problem.workload->graph.nodes[v].memory;
    for (std::size_t c = 0; c < fleet.class_count(); ++c) {
      if (!fleet.time[c][g].runs) continue;
      const bool host = fleet.device_class(c).host;
      bool& on = host ? groups[g].on_host : groups[g].on_accelerator;
      double& least = host ? groups[g].host_time : groups[g].accelerator_time;
      least = on ? std::min(least, fleet.time[c][g].total()) : fleet.time[c][g].total();
      on = true;
    }
  }
  return groups;
}

// The transfers of every net of the graph. Those that always cost together are one.
Csr<NetId, FleetTransfer> moved_along(const Problem& problem, const ColourClasses& colours, const NetGraph& graph) {
  std::map<std::vector<GroupId>, NetId> net_of;
  for (NetId e : graph.nets()) net_of[{graph.members(e).begin(), graph.members(e).end()}] = e;
  std::map<std::tuple<NetId, GroupId, std::size_t>, double> costs;
  for (const Transfer& transfer : find_transfers(problem.workload->graph)) {
    const GroupId producer = colours.class_of[transfer.producer];
    std::vector<GroupId> members{producer};
    for (NodeId v : transfer.consumers) members.push_back(colours.class_of[v]);
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    const auto net = net_of.find(members);
    if (net == net_of.end() || !(transfer.cost > 0)) continue;  // nothing moves, or for nothing
    costs[{net->second, producer, pass_of(problem, transfer.producer)}] += transfer.cost;
  }
  std::vector<std::pair<NetId, FleetTransfer>> moved;
  for (const auto& [key, cost] : costs) moved.push_back({std::get<0>(key), {std::get<1>(key), std::get<2>(key), cost}});
  return {graph.net_count(), moved};
}

}  // namespace

FleetInstance make_fleet_instance(const Problem& problem) {
  const Graph& graph = problem.workload->graph;
  const ColourClasses colours = find_colour_classes(graph);
  FleetInstance instance;
  Fleet& fleet = instance.fleet;
  fleet.mode = problem.transfers;
  fleet.devices = DeviceTable(problem.workload->platform, colours.members.size());
  for (const DeviceTable::Class& c : fleet.devices.classes()) fleet.time.push_back(times_on(problem, colours, c.id));
  instance.graph = NetGraph(best_weights(problem, colours, fleet), transfer_nets(graph, colours));
  fleet.moved = moved_along(problem, colours, instance.graph);
  instance.group_of = colours.class_of;
  return instance;
}

Split lift_free(const FleetInstance& instance, const FreeSplit& split) {
  return instance.fleet.devices.lift(instance.group_of, split.device_of);
}

FreeSplit to_free(const Problem& problem, const FleetInstance& instance, const Split& split) {
  return {0, instance.fleet.devices.devices_of(problem.workload->platform, instance.group_of, split)};
}

}  // namespace partita
