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

StageCase branched_stage_case(std::uint64_t seed) {
  Dice dice(seed);
  StageCase result;
  result.platform = {dice.roll(1, 4), dice.roll(0, 1), dice.one_in(4) ? dice.roll(6, 20) : 1e9, 1e9};
  const int branches = dice.roll(2, 4), length = dice.roll(1, branches == 2 ? 3 : 2), mode = dice.roll(0, 3);
  IdVector<GroupId, Group> groups;
  std::vector<std::pair<GroupId, GroupId>> precedence;
  std::vector<Net> nets;
  const auto cost = [&] { return dice.roll(0, mode == 2 ? 12 : 4) + (dice.one_in(2) ? 0.5 : 0); };
  const auto add = [&](const Group& g) {
    groups.push_back(g);
    return GroupId(groups.size() - 1);
  };
  std::vector<Group> like;
  std::vector<double> costs;
  for (int i = 0; i < length; ++i) {
    like.push_back(random_group(dice, mode));
    costs.push_back(cost());
  }
  Net out{cost(), {add(random_group(dice, mode))}};
  std::vector<GroupId> last;
  for (int b = 0; b < branches; ++b) {
    GroupId before = out.members[0];
    for (int i = 0; i < length; ++i) {
      const GroupId v = add(like[i]);
      precedence.emplace_back(before, v);
      if (i == 0) out.members.push_back(v);
      if (i > 0) nets.push_back({costs[i - 1], {before, v}});
      before = v;
    }
    last.push_back(before);
  }
  nets.push_back(out);
  if (!dice.one_in(4)) {
    const GroupId sink = add(random_group(dice, mode));
    for (GroupId v : last) {
      precedence.emplace_back(v, sink);
      nets.push_back({costs.back(), {v, sink}});
    }
  }
  result.graph = StageGraph(std::move(groups), precedence, std::move(nets));
  return result;
}

StageCase sums_stage_case(std::uint64_t seed, int most) {
  Dice dice(seed);
  const int n = dice.roll(4, most), mode = dice.roll(0, 2);
  StageCase result;
  result.platform = {dice.roll(2, 4), dice.roll(0, 1), dice.one_in(4) ? dice.roll(6, 20) : 1e9, 1e9};
  IdVector<GroupId, Group> groups;
  std::vector<GroupId> heavy, light;
  for (int i = 0; i < n; ++i) {
    const GroupId v(static_cast<std::size_t>(i));
    const bool is_light = i > 0 && (light.size() < 1 || dice.one_in(2));
    (is_light ? light : heavy).push_back(v);
    Group g = random_group(dice, mode);
    if (is_light) g.accelerator_time = dice.one_in(2) ? 0 : 0x1p-6 * dice.roll(1, 6);
    if (is_light && dice.one_in(2)) g.host_time = g.memory = 0;
    if (!is_light && g.on_accelerator) g.accelerator_time = dice.roll(2, 9);
    groups.push_back(g);
  }
  const auto cost = [&] { return dice.roll(0, 8) / 2.0; };
  std::vector<std::pair<GroupId, GroupId>> precedence;
  std::vector<Net> nets;
  for (std::size_t i = 1; i < heavy.size(); ++i) {
    if (!dice.one_in(6)) precedence.emplace_back(heavy[i - 1], heavy[i]);
    nets.push_back({cost(), {heavy[i - 1], heavy[i]}});
  }
  const int floating = dice.roll(0, 3);  // of three
  for (GroupId v : light) {
    const bool floats = dice.roll(1, 3) <= floating;
    for (GroupId u : groups.all()) {
      if (u < v && dice.one_in(floats ? 6 : 2)) precedence.emplace_back(u, v);
      if (v < u && dice.one_in(floats ? 6 : 2)) precedence.emplace_back(v, u);
    }
    for (int i = dice.roll(2, 4); i > 0; --i) {
      Net net{cost(), {v}};
      for (int j = dice.one_in(3) ? dice.roll(2, 3) : 1; j > 0; --j) {
        const GroupId w(static_cast<std::size_t>(dice.roll(0, n - 1)));
        if (std::find(net.members.begin(), net.members.end(), w) == net.members.end()) net.members.push_back(w);
      }
      if (net.members.size() > 1) nets.push_back(net);
    }
  }
  if (dice.one_in(2)) {  // a tensor with parts
    Net net{static_cast<double>(dice.roll(4, 12)),
            {heavy[static_cast<std::size_t>(dice.roll(0, static_cast<int>(heavy.size()) - 1))]}};
    for (GroupId v : light) {
      if (!dice.one_in(4)) net.members.push_back(v);
    }
    std::sort(net.members.begin(), net.members.end());
    if (net.members.size() > 1) nets.push_back(net);
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

namespace {

// All chains of ideals, a device at a time.
class Chains {
 public:
  Chains(const StageGraph& graph, const StagePlatform& platform) : graph_(graph), platform_(platform) {
    for (std::uint32_t set = 0; set < (1u << graph.size()); ++set) {
      if (is_ideal(graph, set)) ideals_.push_back(set);
    }
  }

  // By ideal: the least largest load so far.
  using Values = std::vector<double>;
  Values nothing() const {
    Values values(std::size_t{1} << graph_.size(), kNoSplit);
    values[0] = 0;
    return values;
  }
  // Lowers `to` where one more device after `from` gives less; a device that may idle may hold nothing.
  void add_device(const Values& from, bool host, bool may_idle, Values& to) const {
    for (const std::uint32_t after : ideals_) {
      for (const std::uint32_t before : ideals_) {
        if ((before & after) != before || (before == after && !may_idle)) continue;
        to[after] = std::min(to[after], std::max(from[before], cost(after & ~before, host)));
      }
    }
  }

 private:
  double cost(std::uint32_t set, bool host) const {
    const auto has = [&](GroupId v) { return (set >> v.index() & 1) != 0; };
    if (set == 0) return 0.0;
    double load = 0, memory = 0;
    for (GroupId v : graph_.all()) {
      if (!has(v)) continue;
      const Group& g = graph_.group(v);
      if (!(host ? g.on_host : g.on_accelerator)) return kNoSplit;
      load += host ? g.host_time : g.accelerator_time;
      memory += g.memory;
    }
    if (memory > (host ? platform_.host_memory : platform_.accelerator_memory)) return kNoSplit;
    for (NetId e : graph_.nets()) {
      std::size_t inside = 0;
      for (GroupId v : graph_.members(e)) inside += has(v);
      if (!host && inside > 0 && inside < graph_.members(e).size()) load += graph_.cost(e);
    }
    return load;
  }

  const StageGraph& graph_;
  const StagePlatform& platform_;
  std::vector<std::uint32_t> ideals_;
};

}  // namespace

double least_value(const StageGraph& graph, const StagePlatform& platform) {
  const Chains chains(graph, platform);
  const int k = platform.accelerators, l = platform.hosts;
  std::vector<Chains::Values> best((k + 1) * (l + 1), chains.nothing());
  for (int c = 0; c <= l; ++c) {
    for (int f = 0; f <= k; ++f) {
      Chains::Values& here = best[c * (k + 1) + f];
      if (f > 0) chains.add_device(best[c * (k + 1) + f - 1], false, true, here);
      if (c > 0) chains.add_device(best[(c - 1) * (k + 1) + f], true, true, here);
    }
  }
  return best.back().back();
}

double least_value_with_host_after(const StageGraph& graph, const StagePlatform& platform, int accelerators) {
  const Chains chains(graph, platform);
  Chains::Values values = chains.nothing();
  for (int device = 0; device <= platform.accelerators; ++device) {
    const bool host = device == accelerators;
    Chains::Values next(values.size(), kNoSplit);
    chains.add_device(values, host, !host, next);
    values = std::move(next);
  }
  return values.back();
}

}  // namespace partita::detail::test
