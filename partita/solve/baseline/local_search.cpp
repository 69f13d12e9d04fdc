// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/baseline/local_search.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "partita/reduce/staged_instance.h"
#include "partita/solve/baseline/group_split.h"
#include "partita/solve/baseline/move_gains.h"
#include "partita/util/dice.h"

namespace partita {
namespace {

// A step that gains less than this share of the value is none: it may be rounding.
constexpr double kLeastGain = 1e-9;
// Loads are sums that moves add to and subtract from; from time to time they are made anew.
constexpr std::size_t kMovesPerRefresh = 1024;
constexpr std::size_t kMovesPerLook = 32;  // at the clock
// The tables of MoveGains have at most so many cells; further devices stay empty.
constexpr std::size_t kMostCells = std::size_t{1} << 24;

// The devices that a group may be on: those of one kind, as numbers from `first` up to before `last`.
struct Range {
  std::size_t first = 0, last = 0;

  bool has(DeviceId d) const { return d.index() >= first && d.index() < last; }
};

class Descent {
 public:
  Descent(const NetGraph& graph, const StagePlatform& platform) : loads_(graph, platform), turn_(graph.size()) {
    const auto accelerators = static_cast<std::size_t>(platform.accelerators);
    const auto hosts = static_cast<std::size_t>(platform.hosts);
    for (GroupId g : graph.all()) {
      const Group& group = graph.group(g);
      devices_.push_back(group.on_accelerator && accelerators > 0 ? Range{0, accelerators}
                         : group.on_host                          ? Range{accelerators, accelerators + hosts}
                                                                  : Range{});
      const double time = std::max(group.accelerator_time, group.host_time);
      const auto nets = graph.nets_of(g);
      weight_.push_back(
          std::accumulate(nets.begin(), nets.end(), time, [&](double sum, NetId e) { return sum + graph.cost(e); }));
      heaviest_first_.push_back(g);
    }
    std::stable_sort(heaviest_first_.begin(), heaviest_first_.end(),
                     [&](GroupId a, GroupId b) { return weight_[a] > weight_[b]; });
  }

  bool possible() const {
    return std::all_of(devices_.begin(), devices_.end(), [](const Range& r) { return r.first < r.last; });
  }

  FreeSplit run(Dice& dice, const Budget& budget) {
    IdVector<GroupId, DeviceId> start;
    for (const Range& range : devices_) start.push_back(DeviceId(range.first + dice.below(range.last - range.first)));
    loads_.reset(start);
    std::vector<std::size_t> turns(devices_.size());
    std::iota(turns.begin(), turns.end(), 1);
    dice.shuffle(turns);
    for (GroupId g : devices_.all()) turn_[g] = turns[g.index()];
    for (std::size_t moves = 1; step(); ++moves) {
      if (moves % kMovesPerLook == 0 && budget.exhausted()) break;
      if (moves % kMovesPerRefresh == 0) loads_.reset(IdVector<GroupId, DeviceId>(loads_.device_of()));
    }
    find_largest();
    return {loads_.load(largest_[0]), loads_.device_of()};
  }

 private:
  struct Move {
    GroupId group;
    DeviceId to;
    double value = 0;
    std::size_t turn = 0;  // the group's; 0 comes before every group's
  };

  // Makes the best move, if it gains anything.
  bool step() {
    find_largest();
    const DeviceId bottleneck = largest_[0];
    const double value = loads_.load(bottleneck);
    Move best{GroupId(), DeviceId(), value * (1 - kLeastGain)};
    for (GroupId g : heaviest_first_) {
      if (value - weight_[g] > best.value) break;
      if (loads_.device_of(g) == bottleneck) {
        if (!loads_.relieves_by_leaving(g)) continue;
        for (std::size_t d = devices_[g].first; d < devices_[g].last; ++d) {
          if (d != bottleneck.index()) attempt(g, DeviceId(d), best);
        }
      } else if (loads_.relieves_by_joining(g, bottleneck) && devices_[g].has(bottleneck)) {
        attempt(g, bottleneck, best);
      }
    }
    if (!best.group.valid()) return false;
    loads_.move(best.group, best.to);
    return true;
  }

  // Of equal moves, that of the group whose turn is first, and then to the first device, is the better one.
  void attempt(GroupId g, DeviceId to, Move& best) {
    const DeviceId from = loads_.device_of(g);
    double value = 0;
    for (DeviceId d : largest_) {
      if (d.valid() && d != from && d != to) value = std::max(value, loads_.load(d));
    }
    const auto better = [&] { return value < best.value || (value == best.value && turn_[g] < best.turn); };
    if (!better()) return;
    value = std::max({value, loads_.load_without(g), loads_.load_with(g, to)});
    if (better()) best = {g, to, value, turn_[g]};
  }

  // The three largest: whatever two devices a move changes, the largest of the others is among them.
  void find_largest() {
    largest_ = {};
    for (DeviceId d : ids<DeviceId>(loads_.device_count())) {
      DeviceId candidate = d;
      for (DeviceId& place : largest_) {
        if (!place.valid() || loads_.load(candidate) > loads_.load(place)) std::swap(place, candidate);
        if (!candidate.valid()) break;
      }
    }
  }

  MoveGains loads_;
  IdVector<GroupId, Range> devices_;
  IdVector<GroupId, double> weight_;
  IdVector<GroupId, std::size_t> turn_;  // who is preferred among equals in this run; from 1 on
  std::vector<GroupId> heaviest_first_;
  std::array<DeviceId, 3> largest_;
};

}  // namespace

std::optional<FreeSplit> local_search(const NetGraph& graph, const StagePlatform& platform,
                                      const LocalSearchOptions& options, const Budget& budget) {
  const std::size_t rows = std::max<std::size_t>(graph.size() + graph.net_count(), 1);
  const int most = static_cast<int>(std::max<std::size_t>(kMostCells / 2 / rows, 1));
  StagePlatform used = platform;
  used.accelerators = std::min(used.accelerators, most);
  used.hosts = std::min(used.hosts, most);

  Descent descent(graph, used);
  if (!descent.possible()) return std::nullopt;
  Dice dice(options.seed);
  FreeSplit best = descent.run(dice, budget);
  for (int restart = 1; restart < options.restarts && !budget.exhausted(); ++restart) {
    FreeSplit next = descent.run(dice, budget);
    if (next.value < best.value) best = std::move(next);
  }
  for (DeviceId& d : best.device_of) {
    const auto accelerators = static_cast<std::size_t>(used.accelerators);
    if (d.index() >= accelerators)
      d = DeviceId(static_cast<std::size_t>(platform.accelerators) + d.index() - accelerators);
  }
  return best;
}

std::optional<Split> local_search_split(const Problem& problem, const LocalSearchOptions& options,
                                        const Budget& budget) {
  const StagedInstance instance = make_staged_instance(problem);
  const auto split = local_search(instance.graph, instance.platform, options, budget);
  if (!split) return std::nullopt;
  return split_of_groups(problem, instance, split->device_of);
}

}  // namespace partita
