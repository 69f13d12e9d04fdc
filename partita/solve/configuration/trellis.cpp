// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/configuration/trellis.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "partita/solve/configuration/trellis_builder.h"

namespace partita::detail {
namespace {

constexpr Load kTooMuch = std::numeric_limits<Load>::max() / 4;

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

bool PairDecision::allows(const std::vector<GroupId>& set) const {
  const bool has_a = std::binary_search(set.begin(), set.end(), a);
  const bool has_b = std::binary_search(set.begin(), set.end(), b);
  return together ? has_a == has_b : !(has_a && has_b);
}

Trellis::Trellis(const NetGraph& graph, const Scaled& scaled, const std::vector<GroupId>& order, const Size& size,
                 const Rules& rules, const Budget* budget) {
  TimeWatch watch(budget);
  for (bool again = true; again;) {
    TrellisBuilder builder(graph, scaled, order, size, rules, narrowed_, watch);
    too_large_ = !builder.run();
    if (too_large_) {
      for (const Layer& layer : builder.layers) state_count_ += layer.states();
      layers_.clear();
      return;
    }
    layers_ = std::move(builder.layers);
    forgotten_ = std::move(builder.forgotten);
    // Until no more is forgotten on the way. Twins changed places, and nets were due for members forced out, before
    // some of them were forgotten: whoever checks the proof knows nothing of that.
    again = !builder.narrowed.empty();
    narrow_further(std::move(builder.narrowed));
  }
  prune(scaled.limit, watch);
  list_entries(watch);
  for (const Layer& layer : layers_) state_count_ += layer.states();
}

void Trellis::narrow_further(std::vector<NarrowedNet> more) {
  for (NarrowedNet& one : more) {
    const auto before = std::ranges::find(narrowed_, one.net, &NarrowedNet::net);
    if (before == narrowed_.end()) {
      narrowed_.push_back(std::move(one));
    } else {
      *before = std::move(one);
    }
  }
}

// Backward: what is the least load from a state to the end? Then drops the states that cannot be on a path within the
// limit.
void Trellis::prune(Load limit, TimeWatch& watch) {
  layers_.back().least_rest.assign(layers_.back().states(), 0);
  for (std::size_t t = layers_.size() - 1; t-- > 0;) {
    Layer& layer = layers_[t];
    const Layer& after = layers_[t + 1];
    watch.step(layer.states());
    layer.least_rest.assign(layer.states(), kTooMuch);
    for (std::size_t s = 0; s < layer.states(); ++s) {
      for (std::size_t i = layer.first[s]; i < layer.first[s + 1]; ++i) {
        const Arc& arc = layer.arcs[i];
        layer.least_rest[s] = std::min(layer.least_rest[s], arc.load + after.least_rest[arc.to]);
      }
    }
  }
  std::vector<Load> least{0};  // by state of the layer at hand, all of which are to be kept
  for (std::size_t t = 0; t + 1 < layers_.size(); ++t) {
    Layer& layer = layers_[t];
    Layer& after = layers_[t + 1];
    watch.step(layer.states());
    std::vector<Load> least_after(after.states(), kTooMuch);
    std::size_t kept_arcs = 0, begin = 0;
    for (std::size_t s = 0; s < layer.states(); ++s) {
      const std::size_t end = layer.first[s + 1];
      for (std::size_t i = begin; i < end; ++i) {
        const Arc arc = layer.arcs[i];
        if (least[s] + arc.load + after.least_rest[arc.to] > limit) continue;
        least_after[arc.to] = std::min(least_after[arc.to], least[s] + arc.load);
        layer.arcs[kept_arcs++] = arc;
      }
      begin = end;
      layer.first[s + 1] = static_cast<std::uint32_t>(kept_arcs);
    }
    layer.arcs.resize(kept_arcs);
    layer.arcs.shrink_to_fit();

    std::vector<std::int32_t> renumbered(after.states(), -1);
    std::size_t kept = 0, kept_after = 0;
    begin = 0;
    const std::size_t states_after = after.states();
    for (std::size_t s = 0; s < states_after; ++s) {
      const std::size_t end = after.first[s + 1];
      if (least_after[s] < kTooMuch) {
        renumbered[s] = static_cast<std::int32_t>(kept);
        for (std::size_t i = begin; i < end; ++i) after.arcs[kept_after++] = after.arcs[i];
        after.least_rest[kept] = after.least_rest[s];
        least_after[kept++] = least_after[s];
        after.first[kept] = static_cast<std::uint32_t>(kept_after);
      }
      begin = end;
    }
    after.arcs.resize(kept_after);
    after.first.resize(kept + 1);
    after.least_rest.resize(kept);
    least_after.resize(kept);
    for (Arc& arc : layer.arcs) arc.to = renumbered[arc.to];
    least = std::move(least_after);
  }
}

void Trellis::list_entries(TimeWatch& watch) {
  for (std::size_t t = 0; t + 1 < layers_.size(); ++t) {
    const Layer& layer = layers_[t];
    Layer& after = layers_[t + 1];
    watch.step(layer.states());
    std::vector<std::uint32_t>& first = after.first_entry;
    first.assign(after.states() + 1, 0);
    for (const Arc& arc : layer.arcs) ++first[static_cast<std::size_t>(arc.to) + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    after.entries.resize(layer.arcs.size());
    std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
    for (std::size_t s = 0; s < layer.states(); ++s) {
      for (std::size_t i = layer.first[s]; i < layer.first[s + 1]; ++i) {
        const Arc& arc = layer.arcs[i];
        after.entries[next[static_cast<std::size_t>(arc.to)]++] = {static_cast<std::int32_t>(s), arc.take, arc.load};
      }
    }
  }
}

}  // namespace partita::detail
