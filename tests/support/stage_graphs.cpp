// SPDX-License-Identifier: Apache-2.0
#include "tests/support/stage_graphs.h"

#include <algorithm>
#include <random>

namespace partita::detail::test {
namespace {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : rng_(seed) {}
  int roll(int low, int high) { return std::uniform_int_distribution<int>(low, high)(rng_); }
  bool one_in(int n) { return roll(1, n) == 1; }

 private:
  std::mt19937_64 rng_;
};

Group random_group(Dice& dice, int mode) {
  Group g;
  const bool free = dice.one_in(3);
  g.accelerator_time = free ? 0 : dice.roll(1, 10);
  if (!free)
    g.host_time = mode == 0   ? g.accelerator_time * dice.roll(1, 3)
                  : mode == 1 ? g.accelerator_time * 10
                              : dice.roll(1, 40);
  if (free && dice.one_in(6)) g.host_time = dice.roll(0, 2);
  g.memory = dice.one_in(2) ? 0 : dice.roll(1, 6);
  if (free && dice.one_in(2)) g.memory = g.host_time = 0;
  if (dice.one_in(15)) {
    g.on_accelerator = false;
    g.accelerator_time = 0;
  } else if (dice.one_in(15)) {
    g.on_host = false;
    g.host_time = 0;
  }
  return g;
}

}  // namespace

StageCase random_stage_case(std::uint64_t seed, int most) {
  Dice dice(seed);
  const int n = dice.roll(2, most), mode = dice.roll(0, 3), density = dice.roll(2, 7);
  StageCase result;
  result.platform.accelerators = dice.roll(0, 4);
  result.platform.hosts = dice.roll(0, 2);
  if (result.platform.accelerators + result.platform.hosts == 0) result.platform.accelerators = 2;
  result.platform.accelerator_memory = dice.one_in(3) ? dice.roll(6, 20) : 1e9;
  result.platform.host_memory = dice.one_in(6) ? dice.roll(6, 20) : 1e9;

  IdVector<GroupId, Group> groups;
  for (int v = 0; v < n; ++v) groups.push_back(random_group(dice, mode));
  std::vector<std::pair<GroupId, GroupId>> precedence;
  std::vector<Net> nets;
  const bool equal_costs = dice.one_in(3);  // makes many views
  const double common = dice.roll(1, 6);
  for (int v = 0; v < n; ++v) {
    Net net{equal_costs ? common : dice.roll(0, mode == 2 ? 12 : 4) + (dice.one_in(2) ? 0.5 : 0), {GroupId(v)}};
    for (int w = v + 1; w < n; ++w) {
      if (!dice.one_in(density) && !(w == v + 1 && dice.one_in(2))) continue;
      precedence.emplace_back(GroupId(v), GroupId(w));
      net.members.push_back(GroupId(w));
    }
    nets.push_back(net);
  }
  for (int extra = dice.one_in(4) ? dice.roll(1, 4) : 0; extra > 0; --extra) {
    Net net{static_cast<double>(dice.roll(1, 5)), {}};
    for (int i = dice.roll(2, 4); i > 0; --i) net.members.push_back(GroupId(dice.roll(0, n - 1)));
    nets.push_back(net);
  }
  result.graph = StageGraph(std::move(groups), precedence, std::move(nets));
  return result;
}

bool is_ideal(const StageGraph& graph, std::uint32_t set) {
  for (GroupId v : graph.all()) {
    if ((set >> v.index() & 1) == 0) continue;
    for (GroupId u : graph.predecessors(v)) {
      if ((set >> u.index() & 1) == 0) return false;
    }
  }
  return true;
}

double least_value(const StageGraph& graph, const StagePlatform& platform) {
  const std::size_t n = graph.size();
  const auto has = [](std::uint32_t set, GroupId v) { return (set >> v.index() & 1) != 0; };
  std::vector<std::uint32_t> ideals;
  for (std::uint32_t set = 0; set < (1u << n); ++set) {
    if (is_ideal(graph, set)) ideals.push_back(set);
  }
  const auto cost = [&](std::uint32_t set, bool host) {
    if (set == 0) return 0.0;
    double load = 0, memory = 0;
    for (GroupId v : graph.all()) {
      if (!has(set, v)) continue;
      const Group& g = graph.group(v);
      if (!(host ? g.on_host : g.on_accelerator)) return kNoSplit;
      load += host ? g.host_time : g.accelerator_time;
      memory += g.memory;
    }
    if (memory > (host ? platform.host_memory : platform.accelerator_memory)) return kNoSplit;
    for (NetId e : graph.nets()) {
      std::size_t inside = 0;
      for (GroupId v : graph.members(e)) inside += has(set, v);
      if (!host && inside > 0 && inside < graph.members(e).size()) load += graph.cost(e);
    }
    return load;
  };
  // best[c][f][ideal], devices added one at a time; a device may stay empty.
  const int k = platform.accelerators, l = platform.hosts;
  std::vector<std::vector<double>> best((k + 1) * (l + 1), std::vector<double>(std::size_t{1} << n, kNoSplit));
  for (int c = 0; c <= l; ++c) {
    for (int f = 0; f <= k; ++f) {
      auto& here = best[c * (k + 1) + f];
      here[0] = 0;
      for (const std::uint32_t to : ideals) {
        for (const std::uint32_t from : ideals) {
          if ((from & to) != from) continue;
          if (f > 0) here[to] = std::min(here[to], std::max(best[c * (k + 1) + f - 1][from], cost(to & ~from, false)));
          if (c > 0) here[to] = std::min(here[to], std::max(best[(c - 1) * (k + 1) + f][from], cost(to & ~from, true)));
        }
      }
    }
  }
  return best.back()[(std::size_t{1} << n) - 1];
}

}  // namespace partita::detail::test
