// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/boundary/ideal_states.h"

#include <algorithm>

namespace partita::detail {
namespace {

// Bits are given to groups and nets when they open, and taken back when they close.
class Slots {
 public:
  std::size_t take() {
    if (free_.empty()) return count_++;
    const std::size_t slot = free_.back();
    free_.pop_back();
    return slot;
  }
  void give_back(std::size_t slot) { free_.push_back(slot); }
  std::size_t count() const { return count_; }

 private:
  std::vector<std::size_t> free_;
  std::size_t count_ = 0;
};

// The states of the layer being made, found by their keys.
class StateTable {
 public:
  StateTable(std::size_t words, IdealStates::Layer& layer) : words_(words), layer_(layer), index_(64, kEmpty) {}

  std::int32_t find_or_add(std::span<const Word> key) {
    if (2 * (layer_.states.size() + 1) > index_.size()) grow();
    std::size_t at = hash(key) & (index_.size() - 1);
    for (; index_[at] != kEmpty; at = (at + 1) & (index_.size() - 1)) {
      if (std::equal(key.begin(), key.end(), key_of(index_[at]))) return index_[at];
    }
    index_[at] = static_cast<std::int32_t>(layer_.states.size());
    layer_.states.emplace_back();
    layer_.keys.insert(layer_.keys.end(), key.begin(), key.end());
    return index_[at];
  }

 private:
  static constexpr std::int32_t kEmpty = -1;

  const Word* key_of(std::int32_t state) const { return layer_.keys.data() + state * words_; }
  static std::size_t hash(std::span<const Word> key) {
    std::uint64_t h = 0;
    for (Word w : key) {
      h = (h ^ w) * 0x9e3779b97f4a7c15u;
      h ^= h >> 29;
    }
    return static_cast<std::size_t>(h * 0xff51afd7ed558ccdu >> 20);
  }
  void grow() {
    index_.assign(2 * index_.size(), kEmpty);
    for (std::size_t s = 0; s < layer_.states.size(); ++s) {
      std::size_t at = hash({key_of(static_cast<std::int32_t>(s)), words_}) & (index_.size() - 1);
      while (index_[at] != kEmpty) at = (at + 1) & (index_.size() - 1);
      index_[at] = static_cast<std::int32_t>(s);
    }
  }

  const std::size_t words_;
  IdealStates::Layer& layer_;
  std::vector<std::int32_t> index_;
};

class StateMaker {
 public:
  StateMaker(const StageGraph& graph, const WholeWeights& weights, const IdVector<NetId, char>& counts,
             const std::vector<GroupId>& order, const StateLimits& limits, TimeWatch& watch)
      : graph_(graph), weights_(weights), counts_(counts), limits_(limits), watch_(watch) {
    states_.order = order;
    states_.decided_at.resize(graph.size());
    for (std::size_t t = 0; t < order.size(); ++t) states_.decided_at[order[t]] = t;
    give_slots();
  }

  std::optional<IdealStates> run() && {
    states_.layers.resize(states_.order.size() + 1);
    states_.layers[0].states.emplace_back();
    states_.layers[0].keys.assign(states_.words_per_key, 0);
    std::size_t in_all = 1;
    for (std::size_t t = 0; t < states_.order.size(); ++t) {
      forgotten_now_.clear();
      while (!decide(t)) {
        if (!forget_a_net(t)) return {};
      }
      states_.widest = std::max(states_.widest, states_.layers[t + 1].states.size());
      in_all += states_.layers[t + 1].states.size();
      if (in_all > limits_.in_all) return {};
    }
    return std::move(states_);
  }

 private:
  struct OpenNet {
    std::size_t first = 0, last = 0;        // when its first and its last member are decided
    std::size_t some_in = 0, some_out = 0;  // slots
  };

  void give_slots() {
    const std::size_t n = graph_.size();
    closes_.assign(n, 0);
    nets_.assign(graph_.net_count(), OpenNet{n, 0, 0, 0});
    for (GroupId v : graph_.all()) {
      const auto later = [&](GroupId u) { closes_[v] = std::max(closes_[v], states_.decided_at[u]); };
      for (GroupId u : graph_.predecessors(v)) later(u);
      for (GroupId u : graph_.successors(v)) later(u);
      for (NetId e : graph_.nets_of(v)) {
        nets_[e].first = std::min(nets_[e].first, states_.decided_at[v]);
        nets_[e].last = std::max(nets_[e].last, states_.decided_at[v]);
      }
    }
    // What closes with a decision is still asked for by it, so its slots are free only afterwards.
    std::vector<std::vector<std::size_t>> given_back(n);
    Slots slots;
    states_.slot.assign(n, 0);
    for (std::size_t t = 0; t < n; ++t) {
      const GroupId v = states_.order[t];
      states_.slot[v] = slots.take();
      given_back[std::max(closes_[v], t)].push_back(states_.slot[v]);
      for (NetId e : graph_.nets_of(v)) {
        if (!counts_[e] || nets_[e].first != t) continue;
        nets_[e].some_in = slots.take();
        nets_[e].some_out = slots.take();
        given_back[nets_[e].last].push_back(nets_[e].some_in);
        given_back[nets_[e].last].push_back(nets_[e].some_out);
      }
      for (std::size_t slot : given_back[t]) slots.give_back(slot);
    }
    closing_ = std::move(given_back);
    states_.words_per_key = std::max<std::size_t>(1, words_for(slots.count()));
  }

  // Makes layer t + 1; false if it gets too wide.
  bool decide(std::size_t t) {
    const GroupId v = states_.order[t];
    std::vector<std::size_t> before, after;  // slots of the neighbours decided already
    for (GroupId u : graph_.predecessors(v)) {
      if (states_.decided_at[u] < t) before.push_back(states_.slot[u]);
    }
    for (GroupId u : graph_.successors(v)) {
      if (states_.decided_at[u] < t) after.push_back(states_.slot[u]);
    }
    states_.layers[t + 1] = {};
    StateTable table(states_.words_per_key, states_.layers[t + 1]);
    IdealStates::Layer& here = states_.layers[t];
    std::vector<Word> key(states_.words_per_key);
    for (std::size_t s = 0; s < here.states.size(); ++s) {
      watch_.step(8);
      const std::span<const Word> old(here.keys.data() + s * key.size(), key.size());
      const auto is_in = [&](std::size_t slot) { return test_bit(old, slot); };
      const bool may_be_in = std::all_of(before.begin(), before.end(), is_in);
      const bool must_be_in = std::any_of(after.begin(), after.end(), is_in);
      IdealStates::State& state = here.states[s];
      state = {};
      for (const bool in : {true, false}) {
        if (in ? !may_be_in : must_be_in) continue;
        std::copy(old.begin(), old.end(), key.begin());
        (in ? state.charge_in : state.charge_out) = change(key, t, v, in);
        (in ? state.if_in : state.if_out) = table.find_or_add(key);
      }
      if (states_.layers[t + 1].states.size() > limits_.per_layer) return false;
    }
    return true;
  }

  // Makes of a key of layer t one of the next, and returns the charge.
  Whole change(std::span<Word> key, std::size_t t, GroupId v, bool in) const {
    Whole charge = 0;
    if (in) set_bit(key, states_.slot[v]);
    for (NetId e : graph_.nets_of(v)) {
      if (!counts_[e] || forgotten(e, t)) continue;
      const OpenNet& net = nets_[e];
      const bool cut_before = test_bit(key, net.some_in) && test_bit(key, net.some_out);
      set_bit(key, in ? net.some_in : net.some_out);
      if (!cut_before && test_bit(key, net.some_in) && test_bit(key, net.some_out)) charge += weights_.cost[e];
    }
    for (std::size_t slot : closing_[t]) reset_bit(key, slot);
    for (NetId e : forgotten_now_) {
      reset_bit(key, nets_[e].some_in);
      reset_bit(key, nets_[e].some_out);
    }
    return std::min(charge, weights_.limit + 1);
  }

  bool forgotten(NetId e, std::size_t t) const { return !forgotten_at_.empty() && forgotten_at_[e] <= t; }

  bool forget_a_net(std::size_t t) {
    if (forgotten_at_.empty()) forgotten_at_.assign(graph_.net_count(), graph_.size());
    NetId cheapest;
    for (NetId e : graph_.nets()) {
      const bool open = counts_[e] && nets_[e].first <= t && nets_[e].last > t && !forgotten(e, t);
      if (open && (!cheapest.valid() || weights_.cost[e] < weights_.cost[cheapest])) cheapest = e;
    }
    if (!cheapest.valid()) return false;
    forgotten_at_[cheapest] = t;
    forgotten_now_.push_back(cheapest);
    ++states_.forgotten;
    return true;
  }

  const StageGraph& graph_;
  const WholeWeights& weights_;
  const IdVector<NetId, char>& counts_;
  const StateLimits& limits_;
  TimeWatch& watch_;
  IdealStates states_;
  IdVector<GroupId, std::size_t> closes_;  // when the last neighbour is decided
  IdVector<NetId, OpenNet> nets_;
  std::vector<std::vector<std::size_t>> closing_;  // slots that are not needed after each decision
  IdVector<NetId, std::size_t> forgotten_at_;      // from which decision on; empty while nothing is forgotten
  std::vector<NetId> forgotten_now_;               // at the decision being made
};

}  // namespace

std::optional<IdealStates> ideal_states(const StageGraph& graph, const WholeWeights& weights,
                                        const IdVector<NetId, char>& counts, const std::vector<GroupId>& order,
                                        const StateLimits& limits, TimeWatch& watch) {
  return StateMaker(graph, weights, counts, order, limits, watch).run();
}

}  // namespace partita::detail
