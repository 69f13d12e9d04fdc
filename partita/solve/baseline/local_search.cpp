// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/baseline/local_search.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "partita/reduce/staged_instance.h"
#include "partita/solve/baseline/group_split.h"
#include "partita/solve/throughput/free/free_loads.h"
#include "partita/util/dice.h"

namespace partita {
namespace {

// A step that gains less than this share of the value is none: it may be rounding.
constexpr double kLeastGain = 1e-9;
// Loads are sums that moves add to and subtract from; from time to time they are made anew.
constexpr std::size_t kMovesPerRefresh = 256;

// The devices that a group may be on: those of one kind, as numbers from `first` up to before `last`.
struct Range {
  std::size_t first = 0, last = 0;
};

class Descent {
 public:
  Descent(const NetGraph& graph, const StagePlatform& platform) : loads_(graph, platform) {
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

  FreeSplit run(Dice& dice) {
    IdVector<GroupId, DeviceId> start;
    for (const Range& range : devices_) start.push_back(DeviceId(range.first + dice.below(range.last - range.first)));
    loads_.reset(start);
    for (std::size_t moves = 1; step(); ++moves) {
      if (moves % kMovesPerRefresh == 0) loads_.refresh();
    }
    return {loads_.largest(), loads_.device_of()};
  }

 private:
  struct Move {
    GroupId group;
    DeviceId to;
    double value = 0;
  };

  // Makes the best move, if it gains anything.
  bool step() {
    find_largest();
    const DeviceId bottleneck = largest_[0];
    const double value = loads_.load(bottleneck);
    Move best{GroupId(), DeviceId(), value * (1 - kLeastGain)};
    for (GroupId g : heaviest_first_) {
      if (value - weight_[g] >= best.value) break;
      const Range& range = devices_[g];
      if (loads_.device_of(g) != bottleneck) {
        if (bottleneck.index() >= range.first && bottleneck.index() < range.last) attempt(g, bottleneck, best);
        continue;
      }
      for (std::size_t d = range.first; d < range.last; ++d) {
        if (d != bottleneck.index()) attempt(g, DeviceId(d), best);
      }
    }
    if (!best.group.valid()) return false;
    loads_.move(best.group, best.to);
    return true;
  }

  void attempt(GroupId g, DeviceId to, Move& best) {
    const DeviceId from = loads_.device_of(g);
    const auto saved_from = loads_.save(from), saved_to = loads_.save(to);
    loads_.move(g, to);
    double value = std::max(loads_.load(from), loads_.load(to));
    loads_.move(g, from);
    loads_.restore(saved_from);
    loads_.restore(saved_to);
    for (DeviceId d : largest_) {
      if (d.valid() && d != from && d != to) value = std::max(value, loads_.load(d));
    }
    if (value < best.value) best = {g, to, value};
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

  FreeLoads loads_;
  IdVector<GroupId, Range> devices_;
  IdVector<GroupId, double> weight_;
  std::vector<GroupId> heaviest_first_;
  std::array<DeviceId, 3> largest_;
};

}  // namespace

std::optional<FreeSplit> local_search(const NetGraph& graph, const StagePlatform& platform,
                                      const LocalSearchOptions& options) {
  Descent descent(graph, platform);
  if (!descent.possible()) return std::nullopt;
  Dice dice(options.seed);
  FreeSplit best = descent.run(dice);
  for (int restart = 1; restart < options.restarts; ++restart) {
    FreeSplit next = descent.run(dice);
    if (next.value < best.value) best = std::move(next);
  }
  return best;
}

std::optional<Split> local_search_split(const Problem& problem, const LocalSearchOptions& options) {
  const StagedInstance instance = make_staged_instance(problem);
  const auto split = local_search(instance.graph, instance.platform, options);
  if (!split) return std::nullopt;
  return split_of_groups(problem, instance, split->device_of);
}

}  // namespace partita
