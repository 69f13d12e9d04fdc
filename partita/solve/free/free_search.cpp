// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/free_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "partita/reduce/never.h"
#include "partita/solve/configuration/frontier_orders.h"
#include "partita/solve/staged/linear.h"
#include "partita/util/statistics.h"
#include "partita/util/time_watch.h"

namespace partita::detail {
namespace {

constexpr std::uint64_t kOrderTicks = 400'000;  // for the first orders, which are at most so many:
constexpr std::size_t kMostOrders = 300;
constexpr std::size_t kRunsBeforePairs = 3;
constexpr std::size_t kDendrograms = 6;
constexpr std::size_t kDevicesPerLook = 10'000;  // at the clock
constexpr std::uint64_t kLinearStepsPerTick = 16, kOrderedPerTick = 4;
constexpr std::size_t kMostOthers = 8;
constexpr std::size_t kDealtRuns = 5;  // one in so many random starts is a dealt one
constexpr double kOfItsShare = 1.001;  // how much a dealt device may take

}  // namespace

template <class Loads>
FreeSearch<Loads>::FreeSearch(const FreeInstance& instance, std::uint64_t seed, const FreeSettings& settings)
    : instance_(instance),
      graph_(instance.graph),
      plain_(instance.is_plain()),
      settings_(settings),
      dice_(seed),
      annealer_(instance),
      schedule_(instance.graph.size()),
      pairs_(instance) {
  best_.value = best_linear_.value = kNever;
  settle_simple_cases();
}

// Bounds that need no search, and cases with nothing to choose.
template <class Loads>
void FreeSearch<Loads>::settle_simple_cases() {
  const std::size_t devices = instance_.devices.size();
  double total = 0;
  classes_for_.resize(graph_.size());
  for (GroupId v : graph_.all()) {
    double least = kNever;
    for (std::size_t c = 0; c < instance_.class_count(); ++c) {
      if (!instance_.may_hold(c, v)) continue;
      classes_for_[v.index()].push_back(c);
      least = std::min(least, instance_.time[c][v].total());
    }
    if (least == kNever) finished_ = true;  // no device can hold it
    simple_bound_ = std::max(simple_bound_, least);
    total += least;
  }
  if (finished_) return;
  if (devices > 0) simple_bound_ = std::max(simple_bound_, total / static_cast<double>(devices));
  if (graph_.size() == 0 || devices == 1) {
    offer(IdVector<GroupId, DeviceId>(graph_.size(), DeviceId(0)));
    finished_ = true;
  }
}

template <class Loads>
bool FreeSearch<Loads>::offer(const IdVector<GroupId, DeviceId>& device_of) {
  if (device_of.size() != graph_.size() || !is_legal(instance_, device_of)) return false;
  const double value = free_value(instance_, device_of);
  if (value >= best_.value) return false;
  best_ = {value, device_of};
  if (value <= simple_bound_) finished_ = true;
  return true;
}

template <class Loads>
void FreeSearch<Loads>::start_from(const FreeSplit& split) {
  if (split.device_of.size() != graph_.size() || !is_legal(instance_, split.device_of)) return;
  offer(split.device_of);
  others_.push_back(split);
  if (others_.size() > kMostOthers) others_.erase(others_.begin());
}

template <class Loads>
bool FreeSearch<Loads>::improve(Budget& slice) {
  const double before = best_.value;
  try {
    while (!finished_ && !slice.exhausted()) {
      switch (phase_) {
        case Phase::Orders: try_order(slice); break;
        case Phase::Annealing: anneal(slice); break;
        case Phase::Pairs: try_pair(slice); break;
      }
    }
  } catch (const OutOfTime&) {
  }
  // What an unfinished run has found counts as well.
  if (phase_ == Phase::Annealing && annealer_.best().value < best_.value) offer(annealer_.best().device_of);
  return best_.value < before;
}

template <class Loads>
double FreeSearch<Loads>::scale() const {
  if (best_.value < kNever && best_.value > 0) return best_.value;
  return simple_bound_ > 0 ? simple_bound_ : 1;
}

// Cuts one random order into segments. Where that cannot be done, there are simple starts instead.
template <class Loads>
void FreeSearch<Loads>::try_order(Budget& slice) {
  if (!plain_) {
    if (orders_++ == 0) make_simple_starts(slice);
    return start_annealing(slice);
  }
  Technique cutting(slice, "free.linear", "better splits");
  FrontierOrderOptions options;
  options.noise = dice_.chance() < 0.4 ? 0.01 : dice_.chance();
  options.cost_power = dice_.one_in(2) ? 0 : dice_.chance();
  const std::vector<GroupId> order = frontier_order(graph_, options, dice_, &slice);
  std::uint64_t steps = 0;
  LinearOptions linear;
  linear.steps = &steps;
  linear.below = best_linear_.value;
  // Without a value to beat every scan goes to the end: a coarse pass first on large graphs.
  linear.stride = linear.below == kNever ? graph_.size() / 1000 + 1 : 1;
  if (const auto split = linear_split(graph_, instance_.stage_platform(), order, linear, slice)) {
    best_linear_.value = split->value;
    best_linear_.device_of.assign(graph_.size(), DeviceId(0));
    std::size_t accelerator = 0, host = instance_.devices.accelerators();
    for (const Stage& stage : split->stages) {
      const DeviceId d(stage.on_host ? host++ : accelerator++);
      for (GroupId v : stage.groups) best_linear_.device_of[v] = d;
    }
    cutting.yield(offer(best_linear_.device_of));
  }
  const std::uint64_t ticks = 1 + graph_.size() / kOrderedPerTick + steps / kLinearStepsPerTick;
  slice.spend(ticks);
  order_ticks_ += ticks;
  if (order_ticks_ >= kOrderTicks || ++orders_ >= kMostOrders) start_annealing(slice);
}

template <class Loads>
void FreeSearch<Loads>::make_simple_starts(const Budget& budget) {
  offer(packed_start(budget));
  offer(dealt_start(budget));
}

template <class Loads>
IdVector<GroupId, DeviceId> FreeSearch<Loads>::random_start() {
  IdVector<GroupId, DeviceId> device_of(graph_.size());
  for (GroupId v : graph_.all()) {
    std::size_t devices = 0;
    for (std::size_t c : classes_for_[v.index()]) devices += instance_.device_class(c).count;
    std::size_t pick = dice_.below(devices);
    for (std::size_t c : classes_for_[v.index()]) {
      const auto count = instance_.device_class(c).count;
      if (pick < count) {
        device_of[v] = DeviceId(instance_.device_class(c).first + pick);
        break;
      }
      pick -= count;
    }
  }
  return device_of;
}

// Largest memory first, each group to the device that has room and is the first to be done with it, or failing that to
// the one with the least memory too much.
template <class Loads>
IdVector<GroupId, DeviceId> FreeSearch<Loads>::packed_start(const Budget& budget) const {
  TimeWatch watch(&budget, kDevicesPerLook);
  std::vector<GroupId> order;
  for (GroupId v : graph_.all()) order.push_back(v);
  std::stable_sort(order.begin(), order.end(),
                   [&](GroupId a, GroupId b) { return graph_.group(a).memory > graph_.group(b).memory; });
  IdVector<GroupId, DeviceId> device_of(graph_.size());
  IdVector<DeviceId, double> load(instance_.devices.size(), 0), memory(load);
  for (GroupId v : order) {
    watch.step(load.size());
    DeviceId best;
    double best_excess = kNever, best_load = kNever;
    for (DeviceId d : load.all()) {
      const std::size_t c = instance_.devices.class_number(d);
      if (!instance_.may_hold(c, v)) continue;
      const double excess = std::max(0.0, memory[d] + graph_.group(v).memory - instance_.device_class(c).memory);
      const double after = load[d] + instance_.time[c][v].total();
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
template <class Loads>
IdVector<GroupId, DeviceId> FreeSearch<Loads>::dealt_start(const Budget& budget) {
  TimeWatch watch(&budget, kDevicesPerLook);
  const std::vector<GroupId> order = frontier_order(graph_, {dice_.chance(), 0}, dice_, &budget);
  double share = 0;
  for (GroupId v : graph_.all()) {
    double speed = 0;
    bool instant = false;
    for (std::size_t c : classes_for_[v.index()]) {
      const double time = instance_.time[c][v].total();
      instant = instant || time == 0;
      if (time > 0) speed += static_cast<double>(instance_.device_class(c).count) / time;
    }
    if (!instant && speed > 0) share += 1 / speed;
  }
  std::vector<DeviceId> turn;
  for (DeviceId d : ids<DeviceId>(instance_.devices.size())) turn.push_back(d);
  dice_.shuffle(turn);
  IdVector<GroupId, DeviceId> device_of(graph_.size());
  IdVector<DeviceId, double> load(instance_.devices.size(), 0), memory(load);
  const auto holds = [&](DeviceId d, GroupId v) {
    const std::size_t c = instance_.devices.class_number(d);
    return instance_.may_hold(c, v) && memory[d] + graph_.group(v).memory <= instance_.device_class(c).memory;
  };
  const auto after = [&](DeviceId d, GroupId v) {
    return load[d] + instance_.time[instance_.devices.class_number(d)][v].total();
  };
  std::size_t now = 0;
  for (GroupId v : order) {
    while (now + 1 < turn.size() && holds(turn[now], v) && after(turn[now], v) > share * kOfItsShare) ++now;
    DeviceId to = turn[now];
    if (!holds(to, v)) {
      to = DeviceId(instance_.device_class(classes_for_[v.index()][0]).first);
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

template <class Loads>
void FreeSearch<Loads>::start_annealing(const Budget& budget) {
  const TimeWatch watch(&budget);
  while (chunks_.size() < kDendrograms) {
    watch.look();
    chunks_.emplace_back(graph_, chunks_.empty() ? 0 : chunks_.size() < 3 ? 0.7 : 2, dice_);
  }
  for (int i = 0; i < 2; ++i)
    chunks_[1 + dice_.below(kDendrograms - 1)] = Dendrogram(graph_, 2.5 * dice_.chance(), dice_);

  schedule_.choose(dice_);
  const From from = choose_start();
  const FreeAnnealOptions options = schedule_.options(scale(), dice_);
  const FreeSplit* const other = from == From::Other ? other_split() : nullptr;
  if (other) {
    annealer_.start(other->device_of, options, chunks_, dice_);
  } else if (from != From::Random && best_.value < kNever) {
    annealer_.start(best_.device_of, options, chunks_, dice_);
  } else if (schedule_.runs() == 0 && best_.value == kNever) {
    annealer_.start(packed_start(budget), options, chunks_, dice_);
  } else {
    const bool dealt = !plain_ && dice_.one_in(kDealtRuns);
    annealer_.start(dealt ? dealt_start(budget) : random_start(), options, chunks_, dice_);
  }
  phase_ = Phase::Annealing;
}

template <class Loads>
FreeSearch<Loads>::From FreeSearch<Loads>::choose_start() {
  From from = From::Random;
  if (schedule_.runs() == 0) {
    if (!plain_) from = From::Best;
  } else if (schedule_.coldest()) {
    from = dice_.one_in(4) ? From::Other : From::Best;
  } else {
    from = static_cast<From>(dice_.below(3));
  }
  return from == From::Random && schedule_.too_short_for_random() ? From::Best : from;
}

template <class Loads>
const FreeSplit* FreeSearch<Loads>::other_split() {
  if (best_linear_.value < kNever) return &best_linear_;
  return others_.empty() ? nullptr : &others_[dice_.below(others_.size())];
}

template <class Loads>
void FreeSearch<Loads>::anneal(Budget& slice) {
  Technique annealing(slice, "free.annealing", "better splits");
  const bool over = annealer_.advance(slice);
  annealing.yield(annealer_.best().value < best_.value);
  if (over) end_annealing();
}

template <class Loads>
void FreeSearch<Loads>::end_annealing() {
  const double value = annealer_.best().value;
  if (value < best_.value) offer(annealer_.best().device_of);
  schedule_.ended(value);
  if (settings_.pair_resplit && schedule_.runs() >= kRunsBeforePairs && best_.value < kNever) {
    start_pairs();
  } else {
    phase_ = Phase::Orders;
  }
}

template <class Loads>
void FreeSearch<Loads>::start_pairs() {
  const bool from_run = schedule_.runs() % 2 == 0 && annealer_.best().value < kNever;
  pairs_.start(from_run ? annealer_.best().device_of : best_.device_of,
               static_cast<std::uint64_t>(static_cast<double>(schedule_.run_length()) * settings_.pair_share));
  phase_ = Phase::Pairs;
}

template <class Loads>
void FreeSearch<Loads>::try_pair(Budget& slice) {
  Technique pair(slice, "free.pair_resplit", "better splits");
  if (!pairs_.advance(1 / std::sqrt(schedule_.cooling()), dice_, slice)) {
    phase_ = Phase::Orders;
    return;
  }
  if (pairs_.loads().largest() < best_.value) pair.yield(offer(pairs_.loads().device_of()));
}

template class FreeSearch<SumLoads>;
template class FreeSearch<PartLoads>;

}  // namespace partita::detail
