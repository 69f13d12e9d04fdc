// SPDX-License-Identifier: Apache-2.0
#include "tests/support/net_graphs.h"

#include <algorithm>
#include <limits>
#include <random>

namespace partita::detail::test {
namespace {

class Roller {
 public:
  explicit Roller(std::uint64_t seed) : rng_(seed) {}
  int roll(int low, int high) { return std::uniform_int_distribution<int>(low, high)(rng_); }
  bool one_in(int n) { return roll(1, n) == 1; }

 private:
  std::mt19937_64 rng_;
};

Group random_group(Roller& dice, int slowness) {
  Group g;
  const bool free = dice.one_in(5);
  g.accelerator_time = free ? 0 : dice.roll(1, 10) + (dice.one_in(2) ? 0.25 : 0);
  g.host_time = free ? dice.roll(0, 1) : g.accelerator_time * dice.roll(1, slowness);
  g.memory = dice.one_in(4) ? 0 : dice.roll(1, 6);
  if (dice.one_in(12)) {
    g.on_accelerator = false;
    g.accelerator_time = 0;
  }
  if (dice.one_in(12)) {
    g.on_host = false;
    g.host_time = 0;
  }
  return g;
}

// Tries every assignment, devices of a kind in the order of their first use.
class Enumeration {
 public:
  Enumeration(const NetGraph& graph, const StagePlatform& platform)
      : graph_(graph), platform_(platform), device_of_(graph.size()) {}

  double run() {
    assign(0, 0, 0);
    return best_;
  }

 private:
  void assign(std::size_t v, int accelerators, int hosts) {
    if (v == graph_.size()) {
      const NetEvaluation here = evaluate(graph_, platform_, device_of_);
      if (here.legal) best_ = std::min(best_, here.value);
      return;
    }
    for (int d = 0; d < std::min(accelerators + 1, platform_.accelerators); ++d) {
      device_of_[GroupId(v)] = DeviceId(d);
      assign(v + 1, std::max(accelerators, d + 1), hosts);
    }
    for (int d = 0; d < std::min(hosts + 1, platform_.hosts); ++d) {
      device_of_[GroupId(v)] = DeviceId(platform_.accelerators + d);
      assign(v + 1, accelerators, std::max(hosts, d + 1));
    }
  }

  const NetGraph& graph_;
  const StagePlatform& platform_;
  IdVector<GroupId, DeviceId> device_of_;
  double best_ = std::numeric_limits<double>::infinity();
};

}  // namespace

NetCase random_net_case(std::uint64_t seed, int most) {
  Roller dice(seed);
  const int n = dice.roll(1, most), slowness = dice.one_in(2) ? 2 : 12;
  NetCase result;
  result.platform.accelerators = dice.one_in(8) ? 0 : dice.one_in(8) ? n + 2 : dice.roll(1, 4);
  result.platform.hosts = dice.one_in(3) ? 0 : dice.roll(1, 2);
  if (result.platform.accelerators + result.platform.hosts == 0) result.platform.accelerators = 2;

  IdVector<GroupId, Group> groups;
  double memory = 0, largest = 0;
  for (int v = 0; v < n; ++v) {
    groups.push_back(random_group(dice, slowness));
    memory += groups[GroupId(v)].memory;
    largest = std::max(largest, groups[GroupId(v)].memory);
  }
  const auto limit = [&](int devices) {
    const double tight = std::max(largest, memory / std::max(devices, 1));
    return dice.one_in(2) ? 1e9 : tight + dice.roll(0, 3);
  };
  result.platform.accelerator_memory = limit(result.platform.accelerators);
  result.platform.host_memory = dice.one_in(2) ? 1e9 : limit(result.platform.accelerators + result.platform.hosts);

  std::vector<Net> nets;
  const bool equal_costs = dice.one_in(3);
  const int dearest = dice.one_in(3) ? 12 : 4;
  for (int count = dice.roll(0, 2 * n); count > 0; --count) {
    Net net{equal_costs ? 2.5 : dice.roll(0, dearest) + (dice.one_in(2) ? 0.5 : 0), {}};
    const int first = dice.roll(0, n - 1), size = dice.one_in(3) ? dice.roll(2, 5) : 2;
    for (int i = 0; i < size; ++i)
      net.members.push_back(GroupId(dice.one_in(4) ? dice.roll(0, n - 1) : std::min(n - 1, first + i)));
    nets.push_back(net);
  }
  result.graph = NetGraph(std::move(groups), std::move(nets));
  return result;
}

FreeInstance instance_of(const NetGraph& graph, const StagePlatform& platform) {
  Platform devices = make_platform(platform.accelerators, platform.accelerator_memory, platform.hosts);
  devices.classes[ClassId(1)].memory = platform.host_memory;
  FreeInstance instance;
  instance.graph = graph;
  instance.devices = DeviceTable(devices, devices.device_count());
  for (const DeviceTable::Class& c : instance.devices.classes()) {
    IdVector<GroupId, ClassTime> times(graph.size());
    for (GroupId v : graph.all()) {
      times[v].pass[0] = c.host ? graph.host_time(v) : graph.accelerator_time(v);
      times[v].can_run = c.host ? graph.group(v).on_host : graph.group(v).on_accelerator;
    }
    instance.time.push_back(std::move(times));
    instance.links.push_back(c.link);
  }
  std::vector<std::pair<NetId, NetTransfer>> moved;
  for (NetId e : graph.nets()) moved.push_back({e, {graph.members(e)[0], 0, traffic_of(graph.cost(e))}});
  instance.moved = Csr<NetId, NetTransfer>(graph.net_count(), moved);
  return instance;
}

NetEvaluation evaluate(const NetGraph& graph, const StagePlatform& platform,
                       const IdVector<GroupId, DeviceId>& device_of) {
  NetEvaluation result;
  const std::size_t devices = static_cast<std::size_t>(platform.accelerators + platform.hosts);
  result.load.assign(devices, 0);
  result.memory.assign(devices, 0);
  for (std::size_t d = 0; d < devices; ++d) {
    const bool host = d >= static_cast<std::size_t>(platform.accelerators);
    for (GroupId v : graph.all()) {
      if (device_of[v] != DeviceId(d)) continue;
      const Group& g = graph.group(v);
      result.legal = result.legal && (host ? g.on_host : g.on_accelerator);
      result.load[d] += host ? g.host_time : g.accelerator_time;
      result.memory[d] += g.memory;
    }
    result.legal = result.legal && result.memory[d] <= (host ? platform.host_memory : platform.accelerator_memory);
    for (NetId e : graph.nets()) {
      std::size_t inside = 0;
      for (GroupId v : graph.members(e)) inside += device_of[v] == DeviceId(d);
      if (!host && inside > 0 && inside < graph.members(e).size()) result.load[d] += graph.cost(e);
    }
    result.value = std::max(result.value, result.load[d]);
  }
  return result;
}

double least_free_value(const NetGraph& graph, const StagePlatform& platform) {
  return Enumeration(graph, platform).run();
}

}  // namespace partita::detail::test
