// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/latency_segments.h"

#include <algorithm>
#include <limits>
#include <queue>

#include "partita/reduce/never.h"
#include "partita/util/time_watch.h"

namespace partita::detail {
namespace {

constexpr std::uint64_t kSegmentStepsPerTick = 64;
constexpr std::size_t kGroupsPerLook = 10'000;  // at the clock

}  // namespace

LatencySegments::LatencySegments(const LatencyInstance& instance, int accelerators)
    : instance_(instance), accelerators_(accelerators) {
  std::vector<std::pair<ItemId, ItemId>> forth, back;
  std::vector<std::pair<ItemId, GroupId>> groups;
  for (GroupId g : instance.item_of.all()) {
    const ItemId here(instance.item_of[g]);
    groups.emplace_back(here, g);
    for (GroupId h : instance.group_successors[g]) {
      const ItemId there(instance.item_of[h]);
      if (there == here) continue;
      forth.emplace_back(here, there);
      back.emplace_back(there, here);
    }
  }
  for (auto* pairs : {&forth, &back}) {
    std::sort(pairs->begin(), pairs->end());
    pairs->erase(std::unique(pairs->begin(), pairs->end()), pairs->end());
  }
  successors_ = Csr<ItemId, ItemId>(instance.item_count, forth);
  predecessors_ = Csr<ItemId, ItemId>(instance.item_count, back);
  groups_of_ = Csr<ItemId, GroupId>(instance.item_count, groups);
  for (auto& counts : inside_) counts.assign(instance.net_cost.size(), 0);
  for (int a = 0; a < accelerators; ++a) turns_.push_back(DeviceId(static_cast<std::size_t>(a)));
}

std::vector<std::size_t> LatencySegments::random_order(Dice& dice) const {
  const bool from_sinks = dice.one_in(3);
  const std::size_t disorder = dice.one_in(2) ? 0 : 8;  // now and then, one in so many steps goes elsewhere
  const auto& onward = from_sinks ? predecessors_ : successors_;
  const auto& before = from_sinks ? successors_ : predecessors_;
  std::vector<std::size_t> waiting(instance_.item_count), order;
  std::vector<ItemId> ready;
  for (ItemId i : ids<ItemId>(instance_.item_count)) {
    waiting[i.index()] = before[i].size();
    if (before[i].empty()) ready.push_back(i);
  }
  dice.shuffle(ready);
  std::vector<ItemId> freed;
  while (!ready.empty()) {
    if (disorder > 0 && ready.size() > 1 && dice.one_in(disorder))
      std::swap(ready.back(), ready[dice.below(ready.size())]);
    const ItemId i = ready.back();
    ready.pop_back();
    order.push_back(i.index());
    freed.clear();
    for (ItemId j : onward[i]) {
      if (--waiting[j.index()] == 0) freed.push_back(j);
    }
    dice.shuffle(freed);
    ready.insert(ready.end(), freed.begin(), freed.end());
  }
  if (from_sinks) std::reverse(order.begin(), order.end());
  return order;
}

std::vector<std::size_t> LatencySegments::trace_order() const {
  std::vector<std::size_t> waiting(instance_.item_count), order;
  const auto later = [&](ItemId a, ItemId b) { return groups_of_[a].front() > groups_of_[b].front(); };
  std::priority_queue<ItemId, std::vector<ItemId>, decltype(later)> ready(later);
  for (ItemId i : ids<ItemId>(instance_.item_count)) {
    waiting[i.index()] = predecessors_[i].size();
    if (waiting[i.index()] == 0) ready.push(i);
  }
  while (!ready.empty()) {
    const ItemId i = ready.top();
    ready.pop();
    order.push_back(i.index());
    for (ItemId j : successors_[i]) {
      if (--waiting[j.index()] == 0) ready.push(j);
    }
  }
  return order;
}

// Cuts a long order into runs of about equal length, each ending where the nets in transit cost least.
std::vector<std::size_t> LatencySegments::run_ends(const std::vector<std::size_t>& order, std::size_t run) const {
  std::vector<std::size_t> ends;
  if (run == 1) {
    for (std::size_t at = 1; at <= order.size(); ++at) ends.push_back(at);
    return ends;
  }
  IdVector<NetId, std::uint32_t> passed(instance_.net_cost.size(), 0);
  double in_transit = 0, least = kNever;
  std::size_t best = 0;
  for (std::size_t at = 0; at < order.size(); ++at) {
    for (GroupId g : groups_of_[ItemId(order[at])]) {
      for (NodeId v : instance_.members[g]) {
        for (NetId e : instance_.nets_of[v]) {
          if (passed[e] == 0) in_transit += instance_.net_base_cost[e];
          if (++passed[e] == instance_.net_members[e].size()) in_transit -= instance_.net_base_cost[e];
        }
      }
    }
    if (in_transit <= least) {
      least = in_transit;
      best = at + 1;
    }
    if ((at + 1) % run == 0 || at + 1 == order.size()) {
      ends.push_back(at + 1 == order.size() ? at + 1 : best);
      least = kNever;
    }
  }
  return ends;
}

std::vector<LatencySegments::Unit> LatencySegments::make_units(const std::vector<std::size_t>& order,
                                                               const std::vector<std::size_t>& ends) const {
  std::vector<Unit> units;
  std::size_t at = 0;
  for (const std::size_t end : ends) {
    Unit& unit = units.emplace_back();
    unit.on_class.assign(instance_.devices.accelerator_classes(), 1);
    for (; at < end; ++at) {
      for (GroupId g : groups_of_[ItemId(order[at])]) {
        const Group& group = instance_.group(g);
        unit.groups.push_back(g);
        unit.host_time += group.host_time;
        unit.memory += group.memory;
        unit.on_host = unit.on_host && group.on_host;
        for (std::size_t c = 0; c < unit.on_class.size(); ++c)
          unit.on_class[c] = unit.on_class[c] && instance_.class_holds[c][g];
      }
    }
  }
  return units;
}

// By how much the load of the segment grows.
double LatencySegments::add_unit(const Unit& unit, std::uint64_t& work) {
  double growth = 0;
  for (GroupId g : unit.groups) {
    for (NodeId v : instance_.members[g]) {
      growth += instance_.nodes[v].accelerator_time;
      auto& inside = inside_[instance_.nodes[v].backward ? 1 : 0];
      for (NetId e : instance_.nets_of[v]) {
        const std::size_t size = instance_.net_members[e].size();
        if (inside[e] == 0) {
          touched_.push_back(e);
          growth += instance_.net_cost[e];
        }
        if (++inside[e] == size) growth -= instance_.net_cost[e];
        ++work;
      }
    }
  }
  return growth;
}

// The same for several classes: how what its nets move grows, and the times by class.
Traffic LatencySegments::add_unit_by_class(const Unit& unit, std::vector<double>& times, std::uint64_t& work) {
  Traffic growth;
  times.assign(unit.on_class.size(), 0);
  for (GroupId g : unit.groups) {
    for (NodeId v : instance_.members[g]) {
      for (std::size_t c = 0; c < times.size(); ++c) times[c] += instance_.class_time[c][v];
      auto& inside = inside_[instance_.nodes[v].backward ? 1 : 0];
      for (NetId e : instance_.nets_of[v]) {
        if (inside[e] == 0) {
          touched_.push_back(e);
          growth.add(traffic_of(instance_.net_base_cost[e]));
        }
        if (++inside[e] == instance_.net_members[e].size()) growth.add(traffic_of(instance_.net_base_cost[e]), -1);
        ++work;
      }
    }
  }
  return growth;
}

bool LatencySegments::grow(Segment& segment, const Unit& unit, Memory memory, std::uint64_t& work) {
  const auto& classes = instance_.devices.classes();
  segment.held += unit.memory;
  bool any = false;
  for (std::size_t c = 0; c < segment.load.size(); ++c) {
    const bool full = memory == Memory::Limited && segment.held > classes[c].memory;
    if (full || !unit.on_class[c]) segment.load[c] = kNever;
    any = any || segment.load[c] < kNever;
  }
  if (!any) return false;
  if (segment.load.size() == 1) {
    segment.load[0] += add_unit(unit, work);
    return true;
  }
  const Traffic nets = add_unit_by_class(unit, times_, work);
  for (std::size_t c = 0; c < segment.load.size(); ++c) segment.load[c] += times_[c] + price(classes[c].link, nets);
  return true;
}

void LatencySegments::forget_segment() {
  for (NetId e : touched_) inside_[0][e] = inside_[1][e] = 0;
  touched_.clear();
}

std::optional<IdVector<GroupId, DeviceId>> LatencySegments::cut(const std::vector<std::size_t>& order, Memory memory,
                                                                std::uint64_t& ticks, const Budget* budget) {
  const std::size_t run = order.size() / kMostUnits + 1;
  std::vector<std::size_t> ends = run_ends(order, run);
  std::optional<Cut> rough = cut_at(order, ends, memory, ticks, budget);
  if (!rough) return std::nullopt;
  if (run == 1) return std::move(rough->accelerator_of);
  for (const std::size_t end : rough->ends) {
    const std::size_t last = std::min(end + run, order.size());
    for (std::size_t at = end > run ? end - run : 1; at <= last; ++at) ends.push_back(at);
  }
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  return std::move(cut_at(order, ends, memory, ticks, budget)->accelerator_of);  // what was found before is still there
}

std::optional<LatencySegments::Cut> LatencySegments::cut_at(const std::vector<std::size_t>& order,
                                                            const std::vector<std::size_t>& run_ends, Memory memory,
                                                            std::uint64_t& ticks, const Budget* budget) {
  TimeWatch watch(budget, kGroupsPerLook);
  const std::vector<Unit> units = make_units(order, run_ends);
  const std::size_t n = units.size(), most = static_cast<std::size_t>(accelerators_);
  std::uint64_t work = 0;
  constexpr std::size_t kOnHost = static_cast<std::size_t>(-1);
  constexpr std::size_t kPassedOver = static_cast<std::size_t>(-2);  // the last accelerator
  const bool equal = instance_.equal_accelerators();
  std::vector<std::size_t> class_at(most, 0);  // by turn
  for (std::size_t t = 0; t < most; ++t) class_at[t] = instance_.devices.class_number(turns_[t]);
  std::vector<double> best((most + 1) * (n + 1), kNever);
  std::vector<std::size_t> from(best.size(), kOnHost);  // where the last segment begins
  const auto at = [n](std::size_t used, std::size_t end) { return used * (n + 1) + end; };
  const auto pass_over = [&](std::size_t end) {
    for (std::size_t t = 0; t < most && !equal; ++t) {
      if (best[at(t, end)] >= best[at(t + 1, end)]) continue;
      best[at(t + 1, end)] = best[at(t, end)];
      from[at(t + 1, end)] = kPassedOver;
    }
  };
  best[0] = 0;
  Segment segment;
  for (std::size_t begin = 0; begin < n; ++begin) {
    pass_over(begin);
    if (units[begin].on_host) {
      for (std::size_t t = 0; t <= most; ++t) {
        const double sum = best[at(t, begin)] + units[begin].host_time;
        if (sum >= best[at(t, begin + 1)]) continue;
        best[at(t, begin + 1)] = sum;
        from[at(t, begin + 1)] = kOnHost;
      }
    }
    segment.load.assign(instance_.devices.accelerator_classes(), 0);
    segment.held = 0;
    for (std::size_t end = begin; end < n && grow(segment, units[end], memory, work); ++end) {
      const double load = segment.load[0];
      watch.step(units[end].groups.size() + most);
      for (std::size_t t = 0; t < most; ++t) {
        const double sum = best[at(t, begin)] + (equal ? load : segment.load[class_at[t]]);
        if (sum >= best[at(t + 1, end + 1)]) continue;
        best[at(t + 1, end + 1)] = sum;
        from[at(t + 1, end + 1)] = begin;
      }
      work += most;
    }
    forget_segment();
  }
  pass_over(n);
  ticks += 1 + work / kSegmentStepsPerTick;
  std::size_t used = 0;
  for (std::size_t t = 1; t <= most; ++t) {
    if (best[at(t, n)] < best[at(used, n)]) used = t;
  }
  if (best[at(used, n)] == kNever) return std::nullopt;
  Cut result{IdVector<GroupId, DeviceId>(instance_.group_count()), {}};
  for (std::size_t end = n; end > 0;) {
    const std::size_t begin = from[at(used, end)];
    if (begin == kOnHost) {
      --end;
      continue;
    }
    --used;
    if (begin == kPassedOver) continue;
    result.ends.push_back(run_ends[end - 1]);
    if (begin > 0) result.ends.push_back(run_ends[begin - 1]);
    for (; end > begin; --end) {
      for (GroupId g : units[end - 1].groups) result.accelerator_of[g] = turns_[used];
    }
  }
  return result;
}

}  // namespace partita::detail
