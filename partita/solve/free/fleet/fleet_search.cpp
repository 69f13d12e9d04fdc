// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/fleet/fleet_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "partita/solve/free/frontier_orders.h"
#include "partita/util/time_watch.h"

namespace partita {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::size_t kDendrograms = 6;
constexpr std::size_t kMostOthers = 8;
constexpr double kPairShare = 0.2;  // ticks for pairs, for each proposal of the last run
constexpr std::size_t kRunsBeforePairs = 3;
constexpr std::size_t kDevicesPerLook = 10'000;  // at the clock
constexpr std::size_t kDealtRuns = 5;            // one in so many random starts is a dealt one

}  // namespace

FleetSearch::FleetSearch(const FleetInstance& instance, std::uint64_t seed, const Budget* budget)
    : graph_(instance.graph),
      fleet_(instance.fleet),
      classes_for_(classes_for_groups()),
      dice_(seed),
      annealer_(instance.graph, instance.fleet),
      schedule_(instance.graph.size()),
      pairs_(instance.graph, instance.fleet) {
  best_.value = kNever;
  for (const auto& classes : classes_for_) finished_ = finished_ || classes.empty();  // no device can hold it
  if (finished_) return;
  if (graph_.size() == 0 || fleet_.devices.size() == 1) {
    offer(IdVector<GroupId, DeviceId>(graph_.size(), DeviceId(0)));
    finished_ = true;
    return;
  }
  try {
    offer(packed_start(budget));
    offer(dealt_start(budget));
  } catch (const OutOfTime&) {
  }
}

std::vector<std::vector<std::size_t>> FleetSearch::classes_for_groups() const {
  std::vector<std::vector<std::size_t>> result(graph_.size());
  for (GroupId v : graph_.all()) {
    for (std::size_t c = 0; c < fleet_.class_count(); ++c) {
      if (fleet_.may_hold(c, v, graph_)) result[v.index()].push_back(c);
    }
  }
  return result;
}

bool FleetSearch::offer(const IdVector<GroupId, DeviceId>& device_of) {
  if (device_of.size() != graph_.size() || !is_legal(graph_, fleet_, device_of)) return false;
  const double value = free_value(graph_, fleet_, device_of);
  if (value >= best_.value) return false;
  best_ = {value, device_of};
  if (value == 0) finished_ = true;
  return true;
}

void FleetSearch::start_from(const FreeSplit& split) {
  if (split.device_of.size() != graph_.size() || !is_legal(graph_, fleet_, split.device_of)) return;
  offer(split.device_of);
  others_.push_back(split);
  if (others_.size() > kMostOthers) others_.erase(others_.begin());
}

bool FleetSearch::improve(Budget& slice) {
  const double before = best_.value;
  try {
    while (!finished_ && !slice.exhausted()) {
      switch (phase_) {
        case Phase::Nothing: start_run(slice); break;
        case Phase::Annealing:
          if (annealer_.advance(slice)) end_run();
          break;
        case Phase::Pairs: try_pair(slice); break;
      }
    }
  } catch (const OutOfTime&) {
  }
  // What an unfinished run has found counts as well.
  if (phase_ == Phase::Annealing && annealer_.best().value < best_.value) offer(annealer_.best().device_of);
  return best_.value < before;
}

double FleetSearch::scale() const {
  if (best_.value < kNever && best_.value > 0) return best_.value;
  double total = 0;
  for (GroupId v : graph_.all()) total += std::max(graph_.accelerator_time(v), graph_.host_time(v));
  return total > 0 ? total / static_cast<double>(fleet_.devices.size()) : 1;
}

IdVector<GroupId, DeviceId> FleetSearch::random_start() {
  IdVector<GroupId, DeviceId> device_of(graph_.size());
  for (GroupId v : graph_.all()) {
    std::size_t devices = 0;
    for (std::size_t c : classes_for_[v.index()]) devices += fleet_.device_class(c).count;
    std::size_t pick = dice_.below(devices);
    for (std::size_t c : classes_for_[v.index()]) {
      const auto count = fleet_.device_class(c).count;
      if (pick < count) {
        device_of[v] = DeviceId(fleet_.device_class(c).first + pick);
        break;
      }
      pick -= count;
    }
  }
  return device_of;
}

// Largest memory first, each group to the device that has room and is the first to be done with it, or failing that to
// the one with the least memory too much.
IdVector<GroupId, DeviceId> FleetSearch::packed_start(const Budget* budget) const {
  TimeWatch watch(budget, kDevicesPerLook);
  std::vector<GroupId> order;
  for (GroupId v : graph_.all()) order.push_back(v);
  std::stable_sort(order.begin(), order.end(),
                   [&](GroupId a, GroupId b) { return graph_.group(a).memory > graph_.group(b).memory; });
  IdVector<GroupId, DeviceId> device_of(graph_.size());
  IdVector<DeviceId, double> load(fleet_.devices.size(), 0), memory(load);
  for (GroupId v : order) {
    watch.step(load.size());
    DeviceId best;
    double best_excess = kNever, best_load = kNever;
    for (DeviceId d : load.all()) {
      const std::size_t c = fleet_.devices.class_number(d);
      if (!fleet_.may_hold(c, v, graph_)) continue;
      const double excess = std::max(0.0, memory[d] + graph_.group(v).memory - fleet_.device_class(c).memory);
      const double after = load[d] + fleet_.time[c][v].total();
      if (best.valid() && (excess > best_excess || (excess == best_excess && after >= best_load))) continue;
      best = d;
      best_excess = excess;
      best_load = after;
    }
    device_of[v] = best;
    load[best] = best_load;
    memory[best] += graph_.group(v).memory;
  }
  return device_of;
}

// Segments of an order in which few nets are open at a time. Devices come in a random order, and each takes groups
// until it has its share, which is the same time for all: what all of it takes at the mean speed of those that can run
// a group. What a device cannot run goes to the first one that has done least.
IdVector<GroupId, DeviceId> FleetSearch::dealt_start(const Budget* budget) {
  TimeWatch watch(budget, kDevicesPerLook);
  const std::vector<GroupId> order = frontier_order(graph_, {dice_.chance(), 0}, dice_, budget);
  double share = 0;
  for (GroupId v : graph_.all()) {
    double speed = 0;
    bool instant = false;
    for (std::size_t c : classes_for_[v.index()]) {
      const double time = fleet_.time[c][v].total();
      instant = instant || time == 0;
      if (time > 0) speed += static_cast<double>(fleet_.device_class(c).count) / time;
    }
    if (!instant && speed > 0) share += 1 / speed;
  }
  std::vector<DeviceId> turn;
  for (DeviceId d : ids<DeviceId>(fleet_.devices.size())) turn.push_back(d);
  dice_.shuffle(turn);
  IdVector<GroupId, DeviceId> device_of(graph_.size());
  IdVector<DeviceId, double> load(fleet_.devices.size(), 0), memory(load);
  const auto holds = [&](DeviceId d, GroupId v) {
    const std::size_t c = fleet_.devices.class_number(d);
    return fleet_.may_hold(c, v, graph_) && memory[d] + graph_.group(v).memory <= fleet_.device_class(c).memory;
  };
  const auto after = [&](DeviceId d, GroupId v) {
    return load[d] + fleet_.time[fleet_.devices.class_number(d)][v].total();
  };
  std::size_t now = 0;
  for (GroupId v : order) {
    while (now + 1 < turn.size() && holds(turn[now], v) && after(turn[now], v) > share * 1.001) ++now;
    DeviceId to = turn[now];
    if (!holds(to, v)) {
      to = DeviceId(fleet_.device_class(classes_for_[v.index()][0]).first);
      double least = kNever;
      watch.step(load.size());
      for (DeviceId d : load.all()) {
        if (!holds(d, v) || after(d, v) >= least) continue;
        least = after(d, v);
        to = d;
      }
    }
    device_of[v] = to;
    load[to] = after(to, v);
    memory[to] += graph_.group(v).memory;
  }
  return device_of;
}

void FleetSearch::start_run(const Budget& budget) {
  const TimeWatch watch(&budget);
  while (chunks_.size() < kDendrograms) {
    watch.look();
    chunks_.emplace_back(graph_, chunks_.empty() ? 0 : chunks_.size() < 3 ? 0.7 : 2, dice_);
  }
  for (int i = 0; i < 2; ++i)
    chunks_[1 + dice_.below(kDendrograms - 1)] = Dendrogram(graph_, 2.5 * dice_.chance(), dice_);

  schedule_.choose(dice_);
  enum { FromBest, FromOther, AtRandom } from = FromBest;
  if (schedule_.runs() == 0) {
    from = best_.value < kNever ? FromBest : AtRandom;
  } else if (schedule_.coldest()) {
    from = dice_.one_in(4) ? FromOther : FromBest;
  } else {
    const std::size_t pick = dice_.below(3);
    from = pick == 0 ? FromOther : pick == 1 ? FromBest : AtRandom;
  }
  if (from == AtRandom && schedule_.too_short_for_random()) from = FromBest;
  const FreeAnnealOptions options = schedule_.options(scale(), dice_);
  if (from == FromOther && !others_.empty()) {
    annealer_.start(others_[dice_.below(others_.size())].device_of, options, chunks_, dice_);
  } else if (from != AtRandom && best_.value < kNever) {
    annealer_.start(best_.device_of, options, chunks_, dice_);
  } else if (schedule_.runs() == 0) {
    annealer_.start(packed_start(&budget), options, chunks_, dice_);
  } else {
    annealer_.start(dice_.one_in(kDealtRuns) ? dealt_start(&budget) : random_start(), options, chunks_, dice_);
  }
  phase_ = Phase::Annealing;
}

void FleetSearch::end_run() {
  const double value = annealer_.best().value;
  if (value < best_.value) offer(annealer_.best().device_of);
  schedule_.ended(value);
  phase_ = Phase::Nothing;
  if (schedule_.runs() < kRunsBeforePairs || best_.value == kNever) return;
  const bool from_run = schedule_.runs() % 2 == 0 && value < kNever;
  pairs_.start(from_run ? annealer_.best().device_of : best_.device_of,
               static_cast<std::uint64_t>(static_cast<double>(schedule_.run_length()) * kPairShare));
  phase_ = Phase::Pairs;
}

void FleetSearch::try_pair(Budget& slice) {
  if (!pairs_.advance(1 / std::sqrt(schedule_.cooling()), dice_, slice)) {
    phase_ = Phase::Nothing;
  } else if (pairs_.loads().largest() < best_.value) {
    offer(pairs_.loads().device_of());
  }
}

}  // namespace partita
