// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/pair_search.h"

#include <algorithm>

#include "partita/solve/configuration/frontier_orders.h"

namespace partita::detail {
namespace {

constexpr std::size_t kMostPairs = 256;   // listed at a time
constexpr std::size_t kPairWindow = 300;  // open groups of a pair at a time
constexpr std::uint64_t kPairsOrderedPerTick = 4;

}  // namespace

template <class Loads>
PairSearch<Loads>::PairSearch(const FreeInstance& instance)
    : graph_(instance.graph), loads_(instance), changed_(loads_.device_count(), 1) {}

template <class Loads>
void PairSearch<Loads>::start(const IdVector<GroupId, DeviceId>& device_of, std::uint64_t ticks) {
  loads_.reset(device_of);
  std::fill(changed_.begin(), changed_.end(), 1);
  ticks_left_ = ticks;
  list_pairs();
}

template <class Loads>
void PairSearch<Loads>::list_pairs() {
  std::vector<DeviceId> by_load;
  for (DeviceId d : changed_.all()) by_load.push_back(d);
  std::stable_sort(by_load.begin(), by_load.end(),
                   [&](DeviceId a, DeviceId b) { return loads_.load(a) > loads_.load(b); });
  pairs_.clear();
  for (std::size_t heavy = 0; heavy < by_load.size() && pairs_.size() < kMostPairs; ++heavy) {
    for (std::size_t light = by_load.size() - 1; light > heavy && pairs_.size() < kMostPairs; --light) {
      if (changed_[by_load[heavy]] || changed_[by_load[light]]) pairs_.emplace_back(by_load[heavy], by_load[light]);
    }
  }
  std::reverse(pairs_.begin(), pairs_.end());
  std::fill(changed_.begin(), changed_.end(), 0);
}

// Long orders are opened a window at a time: one round a group with a neighbour on the other device, where there is
// one.
template <class Loads>
std::size_t PairSearch<Loads>::window_begin(const std::vector<GroupId>& order, std::size_t window, Dice& dice) {
  std::vector<std::size_t> borders;
  IdVector<GroupId, char> inside(graph_.size(), 0);
  for (GroupId v : order) inside[v] = 1;
  for (std::size_t at = 0; at < order.size(); ++at) {
    const DeviceId here = loads_.device_of(order[at]);
    const auto across = [&](GroupId w) { return inside[w] && loads_.device_of(w) != here; };
    for (NetId e : graph_.nets_of(order[at])) {
      const auto members = graph_.members(e);
      if (members.size() > window || std::none_of(members.begin(), members.end(), across)) continue;
      borders.push_back(at);
      break;
    }
  }
  const std::size_t centre = borders.empty() ? dice.below(order.size()) : borders[dice.below(borders.size())];
  return std::min(centre - std::min(centre, window / 2), order.size() - window);
}

template <class Loads>
bool PairSearch<Loads>::advance(double sharpness, Dice& dice, Budget& slice) {
  if (pairs_.empty()) list_pairs();
  if (pairs_.empty() || ticks_left_ == 0) return false;
  const auto [i, j] = pairs_.back();
  pairs_.pop_back();
  std::vector<GroupId> both;
  for (GroupId v : graph_.all()) {
    if (loads_.device_of(v) == i || loads_.device_of(v) == j) both.push_back(v);
  }
  const std::uint64_t before = slice.ticks_used();
  const std::vector<GroupId> order = frontier_order(graph_, both, {dice.between(0.01, 0.3), 0}, dice, &slice);
  slice.spend(1 + order.size() / kPairsOrderedPerTick + graph_.size() / 256);
  const std::size_t window = std::min(order.size(), kPairWindow);
  const std::size_t begin = window < order.size() ? window_begin(order, window, dice) : 0;
  PairOptions options;
  options.power = dice.between_logs(20, 500) * sharpness;
  if (resplit_pair(loads_, graph_, i, j, {order.data() + begin, window}, options, slice)) {
    loads_.refresh();
    changed_[i] = changed_[j] = 1;
  }
  ticks_left_ -= std::min(ticks_left_, slice.ticks_used() - before);
  return true;
}

template class PairSearch<SumLoads>;
template class PairSearch<PartLoads>;

}  // namespace partita::detail
