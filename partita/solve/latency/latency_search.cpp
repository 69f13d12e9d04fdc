// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/latency_search.h"

#include <algorithm>
#include <array>
#include <limits>

namespace partita {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::size_t kSeedsKept = 8;
constexpr std::size_t kLeastOrders = 12, kMostOrders = 400;
constexpr std::uint64_t kOrderTicks = 400'000;  // a few tenths of a second
constexpr std::uint64_t kFirstRunPerGroup = 200, kShortestRun = 2'000, kLongestFirstRun = 100'000;
constexpr std::uint64_t kLongestRun = 2'000'000;
constexpr double kRunGrowth = 1.25;
constexpr std::array kHot{0.02, 0.05, 0.01, 0.03};
constexpr double kMostPrice = 100;

}  // namespace

LatencySearch::LatencySearch(const LatencyInstance& instance, std::uint64_t seed)
    : instance_(instance),
      dice_(seed),
      value_(instance),
      segments_(instance),
      annealer_(instance, dice_),
      run_length_(std::clamp(kFirstRunPerGroup * instance.group_count(), kShortestRun, kLongestFirstRun)) {
  best_.value = kNever;
  try_simple_splits();
}

// Everything on hosts, and everything on one accelerator but what cannot run there.
void LatencySearch::try_simple_splits() {
  std::vector<Place> on_hosts(instance_.group_count(), value_.host()), together = on_hosts;
  bool hosts_suffice = true, somebody_moves = false;
  for (GroupId g : instance_.classes.graph.all()) {
    const Group& group = instance_.group(g);
    hosts_suffice = hosts_suffice && group.on_host;
    if (group.on_accelerator) together[g.index()] = 0;
    if (!group.on_accelerator && !group.on_host) {
      finished_ = true;  // no device can run it
      return;
    }
    somebody_moves = somebody_moves || group.on_accelerator;
  }
  if (hosts_suffice) offer(on_hosts);
  if (somebody_moves) {
    offer(together);
    rough_start_ = together;
  } else {
    finished_ = true;
  }
}

bool LatencySearch::offer(const std::vector<Place>& place) {
  const LatencyValue::Measure& m = value_.measure(place);
  if (m.waiting > 0 || m.excess > 0 || m.latency >= best_.value) return false;
  IdVector<GroupId, DeviceId> accelerator_of(instance_.group_count());
  for (GroupId g : accelerator_of.all()) {
    const Place p = place[g.index()];
    if (p != value_.host()) accelerator_of[g] = DeviceId(static_cast<std::size_t>(p));
    if (p == value_.host() ? !instance_.group(g).on_host : !instance_.group(g).on_accelerator) return false;
  }
  if (!fits_hosts(instance_, accelerator_of)) return false;
  best_ = {m.latency, std::move(accelerator_of)};
  best_place_ = place;
  return true;
}

bool LatencySearch::improve(Budget& slice) {
  const double before = best_.value;
  while (!finished_ && !slice.exhausted()) {
    if (!annealing_) {
      try_order(slice);
    } else if (annealer_.advance(slice)) {
      end_annealing();
    }
  }
  // What an unfinished run has found counts as well.
  if (annealing_ && annealer_.best_latency() < best_.value) offer(annealer_.best());
  return best_.value < before;
}

void LatencySearch::try_order(Budget& slice) {
  const std::vector<std::size_t> order = segments_.random_order(dice_);
  std::uint64_t ticks = 1;
  const auto place = segments_.cut(order, instance_.memory_limit(), ticks);
  if (place) {
    const double latency = value_.measure(*place).latency;
    offer(*place);
    const auto at = std::upper_bound(seeds_.begin(), seeds_.end(), latency,
                                     [](double l, const Seed& seed) { return l < seed.latency; });
    seeds_.insert(at, {latency, *place});
    if (seeds_.size() > kSeedsKept) seeds_.pop_back();
  } else if (seeds_.empty()) {
    if (auto rough = segments_.cut(order, kUnlimited, ticks)) rough_start_ = std::move(*rough);
  }
  slice.spend(ticks);
  order_ticks_ += ticks;
  ++orders_;
  const bool enough = orders_ >= kLeastOrders && order_ticks_ >= kOrderTicks;
  if (enough || orders_ >= kMostOrders) start_annealing();
}

double LatencySearch::scale() const {
  if (best_.value > 0 && best_.value < kNever) return best_.value;
  double total = 0;
  for (const LatencyNode& node : instance_.nodes) total += std::max(node.accelerator_time, node.host_time);
  return total > 0 ? total : 1;
}

void LatencySearch::start_annealing() {
  LatencyAnnealOptions options;
  options.proposals = run_length_;
  options.scale = scale();
  options.hot = kHot[runs_ % kHot.size()];
  options.price = price_;
  const bool from_seed = runs_ % 4 == 3 && !seeds_.empty();
  if (from_seed) {
    annealer_.start(seeds_[dice_.below(seeds_.size())].place, options);
  } else {
    annealer_.start(best_.value < kNever ? best_place_ : rough_start_, options);
  }
  annealing_ = true;
}

void LatencySearch::end_annealing() {
  if (annealer_.best_latency() < best_.value) offer(annealer_.best());
  if (annealer_.best_latency() == kNever) price_ = std::min(2 * price_, kMostPrice);
  ++runs_;
  if (runs_ % kHot.size() == 0)
    run_length_ = std::min(kLongestRun, static_cast<std::uint64_t>(static_cast<double>(run_length_) * kRunGrowth));
  start_annealing();
}

}  // namespace partita
