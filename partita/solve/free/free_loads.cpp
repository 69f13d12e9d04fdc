// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/free_loads.h"

#include <algorithm>

namespace partita {
namespace {

std::size_t devices_of(const StagePlatform& platform) {
  return static_cast<std::size_t>(platform.accelerators + platform.hosts);
}

// Calls visit(device) once for each device that holds some but not all members of a net.
template <class Visit>
void for_each_cutter(std::span<const GroupId> members, const IdVector<GroupId, DeviceId>& device_of,
                     std::vector<DeviceId>& holders, Visit visit) {
  holders.clear();
  for (GroupId v : members) holders.push_back(device_of[v]);
  std::sort(holders.begin(), holders.end());
  holders.erase(std::unique(holders.begin(), holders.end()), holders.end());
  if (holders.size() < 2) return;
  for (DeviceId d : holders) visit(d);
}

}  // namespace

bool is_legal(const NetGraph& graph, const StagePlatform& platform, const IdVector<GroupId, DeviceId>& device_of) {
  std::vector<double> memory(devices_of(platform), 0);
  const auto is_host = [&](std::size_t d) { return d >= static_cast<std::size_t>(platform.accelerators); };
  for (GroupId v : graph.all()) {
    const Group& g = graph.group(v);
    const std::size_t d = device_of[v].index();
    if (!device_of[v].valid() || d >= memory.size() || !(is_host(d) ? g.on_host : g.on_accelerator)) return false;
    memory[d] += g.memory;
  }
  for (std::size_t d = 0; d < memory.size(); ++d) {
    if (memory[d] > (is_host(d) ? platform.host_memory : platform.accelerator_memory)) return false;
  }
  return true;
}

std::vector<double> free_loads(const NetGraph& graph, const StagePlatform& platform,
                               const IdVector<GroupId, DeviceId>& device_of) {
  std::vector<double> load(devices_of(platform), 0);
  const auto accelerators = static_cast<std::size_t>(platform.accelerators);
  for (GroupId v : graph.all()) {
    const std::size_t d = device_of[v].index();
    load[d] += d < accelerators ? graph.accelerator_time(v) : graph.host_time(v);
  }
  std::vector<DeviceId> holders;
  for (NetId e : graph.nets()) {
    for_each_cutter(graph.members(e), device_of, holders, [&](DeviceId d) {
      if (d.index() < accelerators) load[d.index()] += graph.cost(e);
    });
  }
  return load;
}

double free_value(const NetGraph& graph, const StagePlatform& platform, const IdVector<GroupId, DeviceId>& device_of) {
  const std::vector<double> load = free_loads(graph, platform, device_of);
  return load.empty() ? 0 : *std::max_element(load.begin(), load.end());
}

FreeLoads::FreeLoads(const NetGraph& graph, const StagePlatform& platform)
    : graph_(graph),
      platform_(platform),
      accelerators_(static_cast<std::size_t>(platform.accelerators)),
      holders_(graph, devices_of(platform)),
      load_(devices_of(platform), 0),
      memory_(load_) {
  std::vector<std::pair<GroupId, Pin>> pins;
  for (NetId e : graph.nets()) {
    const auto members = graph.members(e);
    if (members.size() == 2) {
      pins.push_back({members[0], {graph.cost(e), members[1], e}});
      pins.push_back({members[1], {graph.cost(e), members[0], e}});
      continue;
    }
    for (GroupId v : members) pins.push_back({v, {graph.cost(e), GroupId(), e}});
  }
  pins_ = Csr<GroupId, Pin>(graph.size(), pins);
}

void FreeLoads::reset(const IdVector<GroupId, DeviceId>& device_of) {
  holders_.reset(device_of);
  refresh();
}

void FreeLoads::refresh() {
  const std::vector<double> load = free_loads(graph_, platform_, device_of());
  std::copy(load.begin(), load.end(), load_.begin());
  std::fill(memory_.begin(), memory_.end(), 0);
  for (GroupId v : graph_.all()) memory_[device_of(v)] += graph_.group(v).memory;
}

double FreeLoads::largest() const { return load_.empty() ? 0 : *std::max_element(load_.begin(), load_.end()); }

bool FreeLoads::memory_fits() const {
  for (DeviceId d : memory_.all()) {
    if (memory_[d] > memory_limit(d)) return false;
  }
  return true;
}

void FreeLoads::move(GroupId v, DeviceId to) {
  const DeviceId from = device_of(v);
  if (from == to) return;
  const Group& g = graph_.group(v);
  double left = 0, entered = 0;  // changes of cut at the two devices
  for (const Pin& pin : pins_[v]) {
    if (pin.other.valid()) {
      const DeviceId other = device_of(pin.other);
      left += other == from ? pin.cost : -pin.cost;
      entered += other == to ? -pin.cost : pin.cost;
      if (other == from)
        holders_.list_cut(pin.net);
      else if (other == to)
        holders_.unlist_cut(pin.net);
      continue;
    }
    const auto members = graph_.members(pin.net);
    const NetHolders::Counts before = holders_.shift(pin.net, members, from, to);
    if (before.from == members.size())
      left += pin.cost;
    else if (before.from == 1)
      left -= pin.cost;
    if (before.to == 0)
      entered += pin.cost;
    else if (before.to + 1 == members.size())
      entered -= pin.cost;
    if (before.from == members.size())
      holders_.list_cut(pin.net);
    else if (before.to + 1 == members.size())
      holders_.unlist_cut(pin.net);
  }
  load_[from] += is_host(from) ? -g.host_time : left - g.accelerator_time;
  load_[to] += is_host(to) ? g.host_time : entered + g.accelerator_time;
  memory_[from] -= g.memory;
  memory_[to] += g.memory;
  holders_.place(v, to);
}

}  // namespace partita
