// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/fleet_instance.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "partita/reduce/colours.h"
#include "partita/reduce/contradiction.h"
#include "partita/reduce/transfers.h"

namespace partita {
namespace {

// As for the plain solvers: sums of bytes are exact below 2^53; the slack serves files with fractional sizes.
constexpr double kMemorySlack = 1e-12;

std::vector<FleetClass> list_classes(const Platform& platform, std::size_t groups) {
  const int most = static_cast<int>(std::max<std::size_t>(groups, 1));
  std::vector<FleetClass> classes;
  std::size_t first = 0;
  for (ClassId c : platform.classes.all()) {
    const DeviceClass& from = platform.classes[c];
    if (from.count == 0) continue;
    const bool host = from.kind == DeviceKind::Host;
    classes.push_back(
        {c, host, std::min(from.count, most), from.memory * (1 + kMemorySlack), host ? 0 : from.link_factor, first});
    first += static_cast<std::size_t>(classes.back().count);
  }
  return classes;
}

// Where the load of a device is one sum, all is one pass.
std::size_t pass_of(const Problem& problem, NodeId v) {
  const bool apart = problem.transfers != TransferMode::Sum || problem.objective == Objective::GPipe;
  return apart && problem.workload.graph.nodes[v].backward ? 1 : 0;
}

IdVector<GroupId, FleetTime> times_on(const Problem& problem, const ColourClasses& colours, ClassId device_class) {
  const Graph& graph = problem.workload.graph;
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
    for (NodeId v : colours.members[g.index()]) groups[g].memory += problem.workload.graph.nodes[v].memory;
    for (std::size_t c = 0; c < fleet.classes.size(); ++c) {
      if (!fleet.time[c][g].runs) continue;
      const bool host = fleet.classes[c].host;
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
  for (const Transfer& transfer : find_transfers(problem.workload.graph)) {
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

std::string name_group(const Problem& problem, const FleetInstance& instance, GroupId group) {
  std::string list;
  std::size_t count = 0;
  for (NodeId v : instance.group_of.all()) {
    if (instance.group_of[v] != group) continue;
    constexpr std::size_t kMostListed = 6;
    const Node& node = problem.workload.graph.nodes[v];
    if (++count <= kMostListed) list += fmt::format("{}{}", count > 1 ? ", " : "", node.original_id);
    if (count == kMostListed + 1) list += ", ...";
  }
  return count == 1 ? fmt::format("node {}", list) : fmt::format("the colour class of nodes {}", list);
}

}  // namespace

bool is_plain(const Problem& problem) {
  int accelerator_classes = 0, host_classes = 0;
  for (const DeviceClass& c : problem.workload.platform.classes) {
    if (c.count == 0) continue;
    const bool host = c.kind == DeviceKind::Host;
    ++(host ? host_classes : accelerator_classes);
    if (!host && c.link_factor != 1) return false;
  }
  return problem.transfers == TransferMode::Sum && accelerator_classes <= 1 && host_classes <= 1;
}

FleetInstance make_fleet_instance(const Problem& problem) {
  const Graph& graph = problem.workload.graph;
  const ColourClasses colours = find_colour_classes(graph);
  FleetInstance instance;
  Fleet& fleet = instance.fleet;
  fleet.mode = problem.transfers;
  fleet.classes = list_classes(problem.workload.platform, colours.members.size());
  for (std::size_t c = 0; c < fleet.classes.size(); ++c) {
    fleet.time.push_back(times_on(problem, colours, fleet.classes[c].id));
    for (int i = 0; i < fleet.classes[c].count; ++i) fleet.class_of.push_back(c);
  }
  instance.graph = NetGraph(best_weights(problem, colours, fleet), transfer_nets(graph, colours));
  fleet.moved = moved_along(problem, colours, instance.graph);
  instance.group_of = colours.class_of;
  return instance;
}

std::string find_contradiction(const Problem& problem, const FleetInstance& instance) {
  const Fleet& fleet = instance.fleet;
  const Platform& platform = problem.workload.platform;
  double room = 0;
  for (const FleetClass& c : fleet.classes) room += c.count * c.memory;
  for (GroupId v : instance.graph.all()) {
    bool fits = false;
    std::string why;
    for (std::size_t c = 0; c < fleet.classes.size(); ++c) {
      if (fleet.may_hold(c, v, instance.graph)) {
        fits = true;
        break;
      }
      const std::string& name = platform.classes[fleet.classes[c].id].name;
      why += why.empty() ? "" : "; ";
      why += !fleet.time[c][v].runs
                 ? fmt::format("class {} cannot run all of it", name)
                 : fmt::format("a device of class {} has {:.0f} bytes for the {:.0f} it needs", name,
                               platform.classes[fleet.classes[c].id].memory, instance.graph.group(v).memory);
    }
    if (!fits) return fmt::format("{} fits no device: {}", name_group(problem, instance, v), why);
  }
  if (instance.graph.total_memory() > room) {
    return fmt::format("memory: all nodes together need {:.0f} bytes, and all devices together have {:.0f}",
                       instance.graph.total_memory(), room);
  }
  return {};
}

Split lift_free(const Problem& problem, const FleetInstance& instance, const FreeSplit& split) {
  const Fleet& fleet = instance.fleet;
  Split result;
  result.device_of.resize(instance.group_of.size());
  for (NodeId v : instance.group_of.all()) {
    const DeviceId d = split.device_of[instance.group_of[v]];
    const FleetClass& c = fleet.classes[fleet.class_of[d]];
    result.device_of[v] = DeviceId(problem.workload.platform.first_device(c.id).index() + d.index() - c.first);
  }
  return result;
}

FreeSplit to_free(const Problem& problem, const FleetInstance& instance, const Split& split) {
  const Platform& platform = problem.workload.platform;
  const Fleet& fleet = instance.fleet;
  std::vector<char> used(platform.device_count(), 0);
  for (DeviceId d : split.device_of) used[d.index()] = 1;
  IdVector<DeviceId, DeviceId> number(platform.device_count());
  for (const FleetClass& c : fleet.classes) {
    const std::size_t begin = platform.first_device(c.id).index();
    std::size_t next = c.first;
    for (std::size_t i = 0; i < static_cast<std::size_t>(platform.classes[c.id].count); ++i) {
      if (used[begin + i]) number[DeviceId(begin + i)] = DeviceId(next++);
    }
  }
  FreeSplit result;
  result.device_of.resize(instance.graph.size());
  for (NodeId v : instance.group_of.all()) result.device_of[instance.group_of[v]] = number[split.device_of[v]];
  return result;
}

}  // namespace partita
