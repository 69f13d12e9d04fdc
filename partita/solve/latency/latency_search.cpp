// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/latency_search.h"

#include <algorithm>
#include <array>
#include <limits>

#include "partita/reduce/never.h"
#include "partita/util/statistics.h"
#include "partita/util/time_watch.h"

namespace partita::detail {
namespace {

constexpr std::size_t kSeedsKept = 8;
constexpr std::size_t kLeastOrders = 12;
constexpr std::uint64_t kOrderTicks = 400'000;  // a few tenths of a second
constexpr std::uint64_t kFirstRunPerGroup = 200, kShortestRun = 2'000, kLongestFirstRun = 100'000;
constexpr std::array kHot{0.02, 0.05, 0.01, 0.03};
// The segments of a large graph are good but for details.
constexpr std::array kHotOnLargeGraphs{0.001, 0.02, 0.005, 0.05};
constexpr std::size_t kLargeGraph = 1000;
constexpr double kMostPrice = 100;
constexpr int kMostRoundsOfFans = 8;  // with a suggestion

}  // namespace

LatencySearch::LatencySearch(const LatencyInstance& instance, std::uint64_t seed, const LatencySettings& settings)
    : instance_(instance),
      settings_(settings),
      dice_(seed),
      value_(instance),
      segments_(instance, value_.accelerators()),
      annealer_(instance, dice_),
      fan_(instance),
      best_value_in_one_slot_(kNever),
      run_length_(std::clamp(kFirstRunPerGroup * instance.group_count(), kShortestRun, kLongestFirstRun)) {
  best_.value = kNever;
  try_simple_splits();
}

// Everything on hosts, and everything on one accelerator, of each class, but what cannot run there.
void LatencySearch::try_simple_splits() {
  bool hosts_suffice = true, somebody_moves = false;
  for (const Group& group : instance_.groups) {
    hosts_suffice = hosts_suffice && group.on_host;
    if (!group.on_accelerator && !group.on_host) {
      finished_ = true;  // no device can run it
      return;
    }
    somebody_moves = somebody_moves || group.on_accelerator;
  }
  if (hosts_suffice) offer({0, IdVector<GroupId, DeviceId>(instance_.group_count())});
  if (!somebody_moves || value_.accelerators() == 0) {
    finished_ = true;
    return;
  }
  for (std::size_t c = 0; c < instance_.devices.accelerator_classes(); ++c) {
    const auto place = places(mostly_on(c));
    if (!place) continue;  // more accelerators than the search uses
    take(*place);
    if (rough_start_.size() == 0) rough_start_ = *place;
  }
}

// The first accelerator of the class, and hosts for what cannot run there; or, where those cannot either, the first
// accelerator of another class.
LatencySplit LatencySearch::mostly_on(std::size_t device_class) const {
  const auto& classes = instance_.devices.classes();
  LatencySplit split{0, IdVector<GroupId, DeviceId>(instance_.group_count())};
  for (GroupId g : split.accelerator_of.all()) {
    std::size_t c = device_class;
    if (!instance_.class_holds[c][g] && instance_.group(g).on_host) continue;
    for (c = instance_.class_holds[c][g] ? c : 0; !instance_.class_holds[c][g];) ++c;
    split.accelerator_of[g] = DeviceId(classes[c].first);
  }
  return split;
}

// Nothing if it cannot be, or uses more accelerators or subgraphs than the search does.
std::optional<LatencySearch::Places> LatencySearch::places(const LatencySplit& split) const {
  Places result(instance_.size(), value_.host());
  const auto slots = static_cast<std::size_t>(value_.slots());
  for (NodeId v : result.all()) {
    const LatencyNode& node = instance_.nodes[v];
    const DeviceId d = split.accelerator_of[node.group];
    const std::size_t s = split.subgraph_of.size() == 0 ? 0 : split.subgraph_of[v];
    if (d.valid() ? !instance_.may_hold(d, node.group) : !instance_.group(node.group).on_host) return std::nullopt;
    if (!d.valid()) continue;
    if (d.index() >= static_cast<std::size_t>(value_.accelerators()) || s >= slots) return std::nullopt;
    result[v] =
        static_cast<Place>(d.index() * slots + (node.backward && split.subgraph_of.size() > 0 ? slots - 1 - s : s));
  }
  return result;
}

bool LatencySearch::offer(const LatencySplit& split) {
  const auto place = places(split);
  return place && take(*place);
}

bool LatencySearch::suggest(const LatencySplit& split, Budget& budget) {
  auto place = places(split);
  if (!place) return false;
  bool better = take(*place);
  if (value_.slots() == 1) {
    better = improve_suggestion(*place, budget) || better;
    spreading_ = false;  // what was under way begins anew
    spread_ = kNever;
    begin_to_spread();
  }
  suggested_ = std::move(*place);
  return better;
}

// By fans alone: from what is not yet legal, or not yet better than the best, to what is.
bool LatencySearch::improve_suggestion(Places place, Budget& budget) {
  bool better = false;
  for (int round = 0; round < kMostRoundsOfFans; ++round) {
    value_.place_all(place);
    const LatencyValue::Measure& m = value_.measure();
    fan_.begin(m.waiting == 0 && m.excess == 0 ? m.latency : kNever, place);
    fan_.advance(budget);
    if (!fan_.best()) break;
    place = *fan_.best();
    better = take(place) || better;
  }
  return better;
}

// If it is legal and better.
bool LatencySearch::take(const Places& place) {
  value_.place_all(place);
  const LatencyValue::Measure& m = value_.measure();
  if (m.waiting > 0 || m.excess > 0) return false;
  const auto slots = value_.slots();
  const bool one_slot = slots > 1 && std::all_of(place.begin(), place.end(), [&](Place p) { return p % slots == 0; });
  const bool better = m.latency < best_.value, better_of_kind = one_slot && m.latency < best_value_in_one_slot_;
  if (!better && !better_of_kind) return false;
  IdVector<GroupId, DeviceId> accelerator_of(instance_.group_count());
  for (NodeId v : place.all()) {
    if (place[v] != value_.host())
      accelerator_of[instance_.nodes[v].group] = DeviceId(static_cast<std::size_t>(value_.accelerator(place[v])));
  }
  if (!fits_hosts(instance_, accelerator_of)) return false;
  if (better_of_kind) {
    best_in_one_slot_ = place;
    best_value_in_one_slot_ = m.latency;
  }
  if (!better) return false;
  best_ = {m.latency, std::move(accelerator_of)};
  if (slots > 1) {
    for (NodeId v : place.all()) best_.subgraph_of.push_back(value_.subgraph(v));
  }
  best_place_ = place;
  return true;
}

bool LatencySearch::improve(Budget& slice) {
  const double before = best_.value;
  try {
    while (!finished_ && !slice.exhausted()) {
      if (spreading_) {
        spread_branches(slice);
      } else if (annealing_) {
        anneal(slice);
      } else {
        try_order(slice);
      }
    }
  } catch (const OutOfTime&) {
  }
  // What an unfinished run has found counts as well.
  if (annealing_ && annealer_.best_latency() < best_.value) take(annealer_.best());
  return best_.value < before;
}

void LatencySearch::anneal(Budget& slice) {
  Technique annealing(slice, "latency.annealing", "better splits");
  const double before = best_.value;
  if (annealer_.advance(slice)) end_annealing();
  annealing.yield(std::min(best_.value, annealer_.best_latency()) < before);
}

void LatencySearch::try_order(Budget& slice) {
  Technique segments(slice, "latency.segments", "better splits");
  const std::vector<std::size_t> order = orders_ == 0 ? segments_.trace_order() : segments_.random_order(dice_);
  if (!instance_.equal_accelerators() && orders_ > 0) segments_.take_another_turn(dice_);
  std::uint64_t ticks = 1;
  const auto cut = [&](LatencySegments::Memory memory) -> std::optional<Places> {
    const auto accelerator_of = segments_.cut(order, memory, ticks, &slice);
    if (!accelerator_of) return std::nullopt;
    return places({0, *accelerator_of});
  };
  if (const auto place = cut(LatencySegments::Memory::Limited)) {
    segments.yield(take(*place));
    value_.place_all(*place);
    const double latency = value_.measure().latency;
    const auto at = std::upper_bound(seeds_.begin(), seeds_.end(), latency,
                                     [](double l, const Seed& seed) { return l < seed.latency; });
    seeds_.insert(at, {latency, *place});
    if (seeds_.size() > kSeedsKept) seeds_.pop_back();
  } else if (seeds_.empty()) {
    if (auto rough = cut(LatencySegments::Memory::Ignored)) rough_start_ = std::move(*rough);
  }
  slice.spend(ticks);
  order_ticks_ += ticks;
  ++orders_;
  const bool enough = orders_ >= kLeastOrders && order_ticks_ >= kOrderTicks;
  if (settings_.annealing && (enough || orders_ >= settings_.most_orders)) start_annealing();
}

double LatencySearch::scale() const {
  if (best_.value > 0 && best_.value < kNever) return best_.value;
  double total = 0;
  for (const LatencyNode& node : instance_.nodes) total += std::max(node.accelerator_time, node.host_time);
  return total > 0 ? total : 1;
}

void LatencySearch::start_annealing() {
  LatencyAnnealOptions options;
  run_length_ = std::min(run_length_, settings_.longest_run);
  options.proposals = run_length_;
  options.scale = scale();
  options.hot = (instance_.group_count() < kLargeGraph ? kHot : kHotOnLargeGraphs)[runs_ % kHot.size()];
  options.price = price_;
  options.one_slot = in_one_slot_ = value_.slots() > 1 && runs_ % 4 == 3;
  const Places& best = in_one_slot_ ? best_in_one_slot_ : best_place_;
  const bool from_seed = runs_ % (in_one_slot_ ? 8 : 4) == 3 && !seeds_.empty();
  if (suggested_.size() > 0) {
    annealer_.start(suggested_, options);
    suggested_ = Places();
  } else if (from_seed) {
    annealer_.start(seeds_[dice_.below(seeds_.size())].place, options);
  } else {
    annealer_.start(best.size() > 0 ? best : rough_start_, options);
  }
  annealing_ = true;
}

// Of the best split, once, and of what that gives.
void LatencySearch::spread_branches(Budget& slice) {
  Technique fans(slice, "latency.fans", "better splits");
  if (!fan_.advance(slice)) return;
  spreading_ = false;
  if (fan_.best()) fans.yield(take(*fan_.best()));
  begin_to_spread();
}

void LatencySearch::begin_to_spread() {
  if (value_.slots() > 1 || !(best_.value < spread_)) return;
  spread_ = best_.value;
  spreading_ = true;
  fan_.begin(best_.value, best_place_);
}

void LatencySearch::end_annealing() {
  if (annealer_.best_latency() < (in_one_slot_ ? best_value_in_one_slot_ : best_.value)) take(annealer_.best());
  if (annealer_.best_latency() == kNever) price_ = std::min(2 * price_, kMostPrice);
  ++runs_;
  if (runs_ % kHot.size() == 0)
    run_length_ = static_cast<std::uint64_t>(static_cast<double>(run_length_) * settings_.run_growth);
  start_annealing();
  begin_to_spread();
}

}  // namespace partita::detail
