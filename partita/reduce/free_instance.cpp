// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/free_instance.h"

#include <algorithm>
#include <tuple>

#include "partita/reduce/colours.h"

namespace partita::detail {
namespace {

// Where the load of a device is one sum, all is one pass.
Passes passes_of(const Problem& problem) {
  const bool apart = problem.transfers != TransferMode::Sum || problem.objective == Objective::GPipe;
  return apart ? Passes::Apart : Passes::AsOne;
}

// The groups as the plain solvers know them, at the best of each kind.
IdVector<GroupId, Group> best_weights(const Graph& graph, const FreeInstance& instance, std::size_t count) {
  const IdVector<GroupId, double> memory = memory_of(graph, instance.group_of, count);
  IdVector<GroupId, Group> groups(count);
  for (GroupId g : groups.all()) {
    groups[g].on_accelerator = groups[g].on_host = false;
    groups[g].memory = memory[g];
    for (std::size_t c = 0; c < instance.class_count(); ++c) {
      if (!instance.time[c][g].can_run) continue;
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
Csr<NetId, NetTransfer> moved_along(const NetGraph& graph, std::vector<GroupTransfer> transfers) {
  using Moved = std::pair<NetId, NetTransfer>;
  const auto key = [](const Moved& m) { return std::tuple(m.first, m.second.producer, m.second.pass); };
  std::vector<Moved> all, merged;
  for (GroupTransfer& transfer : transfers) {
    std::vector<GroupId>& members = transfer.members;
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    if (members.size() < 2 || !(transfer.traffic.amount > 0)) continue;  // nothing moves, or for nothing
    const NetId net = find_net(graph, members);
    if (net.valid()) all.push_back({net, {transfer.producer, transfer.pass, transfer.traffic}});
  }
  std::stable_sort(all.begin(), all.end(), [&](const Moved& a, const Moved& b) { return key(a) < key(b); });
  for (const Moved& m : all) {
    if (!merged.empty() && key(merged.back()) == key(m)) {
      merged.back().second.traffic.add(m.second.traffic);
    } else {
      merged.push_back(m);
    }
  }
  return {graph.net_count(), merged};
}

}  // namespace

bool FreeInstance::is_plain() const {
  if (mode != TransferMode::Sum || devices.accelerator_classes() > 1) return false;
  return class_count() - devices.accelerator_classes() <= 1;
}

double FreeInstance::price_of(NetId e, std::size_t c) const {
  double sum = 0;
  for (const NetTransfer& t : moved[e]) sum += price(links[c], t.traffic);
  return sum;
}

bool FreeInstance::counts_transfers() const {
  return std::ranges::any_of(links, [](const Link& link) { return link.latency > 0; });
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
  FreeInstance instance;
  instance.group_of = find_colour_classes(graph).class_of;
  const std::size_t groups = count_groups(instance.group_of);
  instance.mode = problem.transfers;
  instance.devices = DeviceTable(problem.workload->platform, groups);
  for (const DeviceTable::Class& c : instance.devices.classes())
    instance.time.push_back(times_on(c.id, graph, instance.group_of, groups, passes_of(problem)));
  std::vector<GroupTransfer> transfers = group_transfers(graph, instance.group_of, passes_of(problem));
  const std::optional<Link> common = instance.devices.common_link();
  for (const DeviceTable::Class& c : instance.devices.classes())
    instance.links.push_back(common && !c.host ? Link() : c.link);
  std::vector<Net> nets;
  for (GroupTransfer& transfer : transfers) {
    if (common) transfer.traffic = traffic_of(price(*common, transfer.traffic));
    nets.push_back({transfer.traffic.amount, transfer.members});
  }
  instance.graph = NetGraph(best_weights(graph, instance, groups), std::move(nets));
  instance.moved = moved_along(instance.graph, std::move(transfers));
  return instance;
}

Split lift_free(const FreeInstance& instance, const FreeSplit& split) {
  return instance.devices.lift(instance.group_of, split.device_of);
}

FreeSplit to_free(const Problem& problem, const FreeInstance& instance, const Split& split) {
  return {0, instance.devices.devices_of(problem.workload->platform, instance.group_of, split)};
}

}  // namespace partita::detail
