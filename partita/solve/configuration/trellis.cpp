// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/configuration/trellis.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

namespace partita::detail {
namespace {

constexpr Load kTooMuch = std::numeric_limits<Load>::max() / 4;

enum Standing : std::uint64_t { kAllOut = 0, kAllIn = 1, kMixed = 2 };

// Two bits for each open net, in slots that are reused; up to 64 nets may be open at once.
struct Key {
  std::uint64_t low = 0, high = 0;
  bool operator==(const Key&) const = default;

  std::uint64_t get(int slot) const { return (slot < 32 ? low >> (2 * slot) : high >> (2 * (slot - 32))) & 3; }
  void set(int slot, std::uint64_t standing) {
    std::uint64_t& word = slot < 32 ? low : high;
    const int shift = 2 * (slot % 32);
    word = (word & ~(std::uint64_t{3} << shift)) | standing << shift;
  }
};

struct KeyHash {
  std::size_t operator()(const Key& key) const {
    std::uint64_t h = key.low * 0x9e3779b97f4a7c15ull ^ (key.high + 0x7f4a7c15u) * 0xff51afd7ed558ccdull;
    return h ^ h >> 29;
  }
};

constexpr int kTrellisSlots = 64;

// One state per distinct key, with the least load that leads to it.
class StateSet {
 public:
  std::int32_t enter(const Key& key, Load load) {
    const auto [it, added] = index_.try_emplace(key, static_cast<std::int32_t>(keys.size()));
    if (added) {
      keys.push_back(key);
      least.push_back(load);
    } else {
      least[it->second] = std::min(least[it->second], load);
    }
    return it->second;
  }
  std::vector<Key> keys;
  std::vector<Load> least;

 private:
  std::unordered_map<Key, std::int32_t, KeyHash> index_;
};

}  // namespace

Scaled scale(const NetGraph& graph, double memory, double limit) {
  Scaled scaled;
  scaled.units_per_time = static_cast<double>(kUnits) / limit;
  // Rounding of the product itself is taken back by one unit.
  const auto down = [](double amount, double units_per_amount) {
    const double units = std::floor(std::min(amount * units_per_amount, 4.0 * static_cast<double>(kUnits)));
    return std::max<Load>(0, static_cast<Load>(units) - 1);
  };
  const bool memory_binds = graph.total_memory() > memory && memory > 0;
  scaled.limit = kUnits + 1;
  scaled.time.resize(graph.size());
  scaled.may_hold.resize(graph.size());
  scaled.memory.assign(graph.size(), 0);
  scaled.cost.resize(graph.net_count());
  for (GroupId v : graph.all()) {
    const Group& g = graph.group(v);
    scaled.time[v] = down(g.accelerator_time, scaled.units_per_time);
    scaled.may_hold[v] = g.on_accelerator && g.memory <= memory;
    if (memory_binds) scaled.memory[v] = down(g.memory, static_cast<double>(kUnits) / memory);
  }
  for (NetId e : graph.nets()) scaled.cost[e] = down(graph.cost(e), scaled.units_per_time);
  return scaled;
}

Trellis::Trellis(const NetGraph& graph, const Scaled& scaled, const std::vector<GroupId>& order, std::size_t widest,
                 const Budget* budget) {
  TimeWatch watch(budget);
  build(graph, scaled, order, widest, watch);
  prune(scaled.limit, watch);
  for (const Layer& layer : layers_) state_count_ += layer.least_rest.size();
}

void Trellis::build(const NetGraph& graph, const Scaled& scaled, const std::vector<GroupId>& order, std::size_t widest,
                    TimeWatch& watch) {
  IdVector<NetId, std::size_t> first(graph.net_count(), order.size()), last(graph.net_count(), 0);
  for (std::size_t t = 0; t < order.size(); ++t) {
    for (NetId e : graph.nets_of(order[t])) {
      first[e] = std::min(first[e], t);
      last[e] = t;
    }
  }
  IdVector<NetId, int> slot(graph.net_count(), -1);
  std::vector<std::optional<NetId>> open(kTrellisSlots);
  StateSet states;
  states.enter({}, 0);

  const auto forget = [&](NetId e) {
    for (Key& key : states.keys) key.set(slot[e], kAllOut);
    open[slot[e]].reset();
    slot[e] = -1;
    ignored_.push_back(e);
    // Keys may have become equal; the layer just built keeps its arcs, so the states are merged behind it.
    StateSet merged;
    std::vector<std::int32_t> now(states.keys.size());
    for (std::size_t s = 0; s < states.keys.size(); ++s) now[s] = merged.enter(states.keys[s], states.least[s]);
    watch.step(states.keys.size());
    if (!layers_.empty()) {
      for (auto& arcs : layers_.back().arcs) {
        for (Arc& arc : arcs) {
          if (arc.to != kNone) arc.to = now[arc.to];
        }
      }
    }
    states = std::move(merged);
  };
  const auto cheapest_open = [&]() {
    std::optional<NetId> cheapest;
    for (const auto& e : open) {
      if (e && (!cheapest || scaled.cost[*e] < scaled.cost[*cheapest])) cheapest = e;
    }
    return cheapest;
  };

  for (std::size_t t = 0; t < order.size(); ++t) {
    const GroupId v = order[t];
    std::vector<NetId> starting, going_on;
    for (NetId e : graph.nets_of(v)) {
      if (first[e] == t) {
        starting.push_back(e);
      } else if (slot[e] >= 0) {
        going_on.push_back(e);
      }
    }
    for (NetId e : starting) {
      auto free = std::find(open.begin(), open.end(), std::nullopt);
      if (free == open.end()) {
        forget(*cheapest_open());
        free = std::find(open.begin(), open.end(), std::nullopt);
        std::erase_if(going_on, [&](NetId other) { return slot[other] < 0; });
      }
      slot[e] = static_cast<int>(free - open.begin());
      *free = e;
    }
    layers_.push_back({v, {}, {}});
    layers_.back().arcs.resize(states.keys.size());
    StateSet next;
    for (std::size_t s = 0; s < states.keys.size(); ++s) {
      watch.step();
      for (const bool take : {false, true}) {
        if (take && !scaled.may_hold[v]) continue;
        Key key = states.keys[s];
        Load load = take ? scaled.time[v] : 0;
        for (NetId e : starting) key.set(slot[e], take ? kAllIn : kAllOut);
        for (NetId e : going_on) {
          const std::uint64_t standing = key.get(slot[e]);
          if (standing == kMixed || standing == (take ? kAllIn : kAllOut)) continue;
          load += scaled.cost[e];
          key.set(slot[e], kMixed);
        }
        for (NetId e : graph.nets_of(v)) {
          if (slot[e] >= 0 && last[e] == t) key.set(slot[e], kAllOut);
        }
        if (states.least[s] + load > scaled.limit) continue;
        layers_.back().arcs[s][take] = {next.enter(key, states.least[s] + load), load};
      }
    }
    for (NetId e : graph.nets_of(v)) {
      if (slot[e] < 0 || last[e] != t) continue;
      open[slot[e]].reset();
      slot[e] = -1;
    }
    states = std::move(next);
    while (states.keys.size() > widest) {
      const auto e = cheapest_open();
      if (!e) break;
      forget(*e);
    }
  }
  layers_.push_back({GroupId(), {}, {}});
  layers_.back().arcs.resize(states.keys.size());
}

// Backward: what is the least load from a state to the end? Then drops the states that cannot be on a path within the
// limit.
void Trellis::prune(Load limit, TimeWatch& watch) {
  layers_.back().least_rest.assign(layers_.back().arcs.size(), 0);
  for (std::size_t t = layers_.size() - 1; t-- > 0;) {
    Layer& layer = layers_[t];
    const Layer& after = layers_[t + 1];
    watch.step(layer.arcs.size());
    layer.least_rest.assign(layer.arcs.size(), kTooMuch);
    for (std::size_t s = 0; s < layer.arcs.size(); ++s) {
      for (const Arc& arc : layer.arcs[s]) {
        if (arc.to != kNone) layer.least_rest[s] = std::min(layer.least_rest[s], arc.load + after.least_rest[arc.to]);
      }
    }
  }
  std::vector<Load> least{0};
  for (std::size_t t = 0; t + 1 < layers_.size(); ++t) {
    Layer& layer = layers_[t];
    Layer& after = layers_[t + 1];
    watch.step(layer.arcs.size());
    std::vector<Load> least_after(after.arcs.size(), kTooMuch);
    for (std::size_t s = 0; s < layer.arcs.size(); ++s) {
      for (Arc& arc : layer.arcs[s]) {
        if (arc.to == kNone) continue;
        if (least[s] + arc.load + after.least_rest[arc.to] > limit) {
          arc.to = kNone;
        } else {
          least_after[arc.to] = std::min(least_after[arc.to], least[s] + arc.load);
        }
      }
    }
    std::vector<std::int32_t> renumbered(after.arcs.size(), kNone);
    std::size_t kept = 0;
    for (std::size_t s = 0; s < after.arcs.size(); ++s) {
      if (least_after[s] >= kTooMuch) continue;
      renumbered[s] = static_cast<std::int32_t>(kept);
      after.arcs[kept] = after.arcs[s];
      after.least_rest[kept] = after.least_rest[s];
      least_after[kept++] = least_after[s];
    }
    after.arcs.resize(kept);
    after.least_rest.resize(kept);
    least_after.resize(kept);
    for (auto& arcs : layer.arcs) {
      for (Arc& arc : arcs) {
        if (arc.to != kNone) arc.to = renumbered[arc.to];
      }
    }
    least = std::move(least_after);
  }
}

}  // namespace partita::detail
