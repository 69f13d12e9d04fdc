// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/free_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "partita/solve/free/frontier_orders.h"
#include "partita/solve/staged/linear.h"
#include "partita/util/statistics.h"
#include "partita/util/time_watch.h"

namespace partita {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::uint64_t kOrderTicks = 400'000;  // for the first orders, which are at most so many:
constexpr std::size_t kMostOrders = 300;
constexpr std::size_t kRunsBeforePairs = 3;
constexpr std::size_t kDendrograms = 6;
constexpr std::size_t kDevicesPerLook = 10'000;  // at the clock
constexpr std::uint64_t kLinearStepsPerTick = 16, kOrderedPerTick = 4;

}  // namespace

FreeSearch::FreeSearch(const NetGraph& graph, const StagePlatform& platform, std::uint64_t seed,
                       const FreeSettings& settings)
    : graph_(graph),
      platform_(platform),
      settings_(settings),
      dice_(seed),
      annealer_(graph, platform),
      schedule_(graph.size()),
      pairs_(graph, platform) {
  best_.value = best_linear_.value = kNever;
  settle_simple_cases();
}

// Bounds that need no search, and cases with nothing to choose.
void FreeSearch::settle_simple_cases() {
  const auto devices = static_cast<double>(platform_.accelerators + platform_.hosts);
  double total = 0;
  for (GroupId v : graph_.all()) {
    const Group& g = graph_.group(v);
    double least = kNever;
    if (may_be_on_accelerator(g, platform_)) least = g.accelerator_time;
    if (may_be_on_host(g, platform_)) least = std::min(least, g.host_time);
    if (least == kNever) finished_ = true;  // no device can hold it
    simple_bound_ = std::max(simple_bound_, least);
    total += least;
  }
  if (finished_) return;
  if (devices > 0) simple_bound_ = std::max(simple_bound_, total / devices);
  if (graph_.size() == 0 || devices == 1) {
    offer(IdVector<GroupId, DeviceId>(graph_.size(), DeviceId(0)));
    finished_ = true;
  }
}

bool FreeSearch::offer(const IdVector<GroupId, DeviceId>& device_of) {
  if (device_of.size() != graph_.size() || !is_legal(graph_, platform_, device_of)) return false;
  const double value = free_value(graph_, platform_, device_of);
  if (value >= best_.value) return false;
  best_ = {value, device_of};
  if (value <= simple_bound_) finished_ = true;
  return true;
}

void FreeSearch::start_from(FreeSplit split) { offer(split.device_of); }

bool FreeSearch::improve(Budget& slice) {
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

double FreeSearch::scale() const {
  if (best_.value < kNever && best_.value > 0) return best_.value;
  return simple_bound_ > 0 ? simple_bound_ : 1;
}

// Cuts one random order into segments.
void FreeSearch::try_order(Budget& slice) {
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
  if (const auto split = linear_split(graph_, platform_, order, linear, slice)) {
    best_linear_.value = split->value;
    best_linear_.device_of.assign(graph_.size(), DeviceId(0));
    std::size_t accelerator = 0, host = static_cast<std::size_t>(platform_.accelerators);
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

void FreeSearch::anneal(Budget& slice) {
  Technique annealing(slice, "free.annealing", "better splits");
  const bool over = annealer_.advance(slice);
  annealing.yield(annealer_.best().value < best_.value);
  if (over) end_annealing();
}

IdVector<GroupId, DeviceId> FreeSearch::random_start() {
  IdVector<GroupId, DeviceId> device_of(graph_.size());
  for (GroupId v : graph_.all()) {
    const Group& g = graph_.group(v);
    const std::size_t accelerators = g.on_accelerator ? static_cast<std::size_t>(platform_.accelerators) : 0;
    const std::size_t hosts = g.on_host ? static_cast<std::size_t>(platform_.hosts) : 0;
    const std::size_t pick = dice_.below(accelerators + hosts);
    device_of[v] =
        DeviceId(pick < accelerators ? pick : static_cast<std::size_t>(platform_.accelerators) + pick - accelerators);
  }
  return device_of;
}

// Largest memory first, each group to the least loaded device that has room, or failing that to the one with most room
// left.
IdVector<GroupId, DeviceId> FreeSearch::packed_start(const Budget& budget) const {
  TimeWatch watch(&budget, kDevicesPerLook);
  std::vector<GroupId> order;
  for (GroupId v : graph_.all()) order.push_back(v);
  std::stable_sort(order.begin(), order.end(),
                   [&](GroupId a, GroupId b) { return graph_.group(a).memory > graph_.group(b).memory; });
  IdVector<GroupId, DeviceId> device_of(graph_.size());
  const FreeLoads& loads = pairs_.loads();
  std::vector<double> load(loads.device_count(), 0), memory(load);
  for (GroupId v : order) {
    const Group& g = graph_.group(v);
    watch.step(load.size());
    std::size_t best = 0;
    double best_excess = kNever, best_load = kNever;
    for (std::size_t d = 0; d < load.size(); ++d) {
      const DeviceId device(d);
      if (!loads.can_run(v, device)) continue;
      const double excess = std::max(0.0, memory[d] + g.memory - loads.memory_limit(device));
      const double after = load[d] + (loads.is_host(device) ? g.host_time : g.accelerator_time);
      if (excess > best_excess || (excess == best_excess && after >= best_load)) continue;
      best = d;
      best_excess = excess;
      best_load = after;
    }
    device_of[v] = DeviceId(best);
    load[best] = best_load;
    memory[best] += g.memory;
  }
  return device_of;
}

void FreeSearch::start_annealing(const Budget& budget) {
  const TimeWatch watch(&budget);
  while (chunks_.size() < kDendrograms) {
    watch.look();
    chunks_.emplace_back(graph_, chunks_.empty() ? 0 : chunks_.size() < 3 ? 0.7 : 2, dice_);
  }
  for (int i = 0; i < 2; ++i)
    chunks_[1 + dice_.below(kDendrograms - 1)] = Dendrogram(graph_, 2.5 * dice_.chance(), dice_);

  schedule_.choose(dice_);
  enum { FromLinear, FromBest, AtRandom } from = FromBest;
  if (schedule_.runs() == 0) {
    from = AtRandom;
  } else if (schedule_.coldest()) {
    from = dice_.one_in(4) ? FromLinear : FromBest;
  } else {
    const std::size_t pick = dice_.below(3);
    from = pick == 0 ? FromLinear : pick == 1 ? FromBest : AtRandom;
  }
  if (from == AtRandom && schedule_.too_short_for_random()) from = FromBest;

  const FreeAnnealOptions options = schedule_.options(scale(), dice_);
  if (from == FromLinear && best_linear_.value < kNever) {
    annealer_.start(best_linear_.device_of, options, chunks_, dice_);
  } else if (from != AtRandom && best_.value < kNever) {
    annealer_.start(best_.device_of, options, chunks_, dice_);
  } else {
    annealer_.start(best_.value < kNever || schedule_.runs() > 0 ? random_start() : packed_start(budget), options,
                    chunks_, dice_);
  }
  phase_ = Phase::Annealing;
}

void FreeSearch::end_annealing() {
  const double value = annealer_.best().value;
  if (value < best_.value) offer(annealer_.best().device_of);
  schedule_.ended(value);
  if (settings_.pair_resplit && schedule_.runs() >= kRunsBeforePairs && best_.value < kNever) {
    start_pairs();
  } else {
    phase_ = Phase::Orders;
  }
}

void FreeSearch::start_pairs() {
  const bool from_run = schedule_.runs() % 2 == 0 && annealer_.best().value < kNever;
  pairs_.start(from_run ? annealer_.best().device_of : best_.device_of,
               static_cast<std::uint64_t>(static_cast<double>(schedule_.run_length()) * settings_.pair_share));
  phase_ = Phase::Pairs;
}

void FreeSearch::try_pair(Budget& slice) {
  Technique pair(slice, "free.pair_resplit", "better splits");
  if (!pairs_.advance(1 / std::sqrt(schedule_.cooling()), dice_, slice)) {
    phase_ = Phase::Orders;
    return;
  }
  if (pairs_.loads().largest() < best_.value) pair.yield(offer(pairs_.loads().device_of()));
}

}  // namespace partita
