// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/boundary/profile.h"

#include <algorithm>
#include <cstdlib>

namespace partita::detail {
namespace {

// Room left after a charge; without limit it stays so, and what is negative is no room.
Whole room_after(Whole room, Whole charge) { return room == kMostWhole ? room : std::max<Whole>(room - charge, -1); }

}  // namespace

Profile::Profile(const StageGraph& graph, const WholeWeights& weights, const IdealStates& states, Whole bucket,
                 const ProfileGuide& guide, std::size_t most_labels, TimeWatch& watch)
    : graph_(graph),
      weights_(weights),
      states_(states),
      bucket_(bucket),
      most_labels_(most_labels),
      watch_(watch),
      layers_(states.layers.size()) {
  Whole before = 0;
  for (GroupId v : states.order) {
    const Whole after = before + weights.work[v];
    buckets_of_.push_back(static_cast<std::int32_t>(after / bucket - before / bucket));
    before = after;
  }
  layers_[0].first = {0, 1};
  layers_[0].labels.emplace_back();
  for (std::size_t t = 0; t < states.order.size(); ++t) {
    decide(t, guide);
    label_count_ += layers_[t + 1].labels.size();
    if (label_count_ > most_labels_) return;
  }
  complete_ = true;
}

void Profile::decide(std::size_t t, const ProfileGuide& guide) {
  Layer& here = layers_[t];
  Layer& next = layers_[t + 1];
  const std::vector<IdealStates::State>& states = states_.layers[t].states;
  const std::size_t next_states = states_.layers[t + 1].states.size();
  // Where each state of the next layer comes from.
  struct Source {
    std::size_t state;
    bool in;
  };
  std::vector<std::size_t> first(next_states + 1, 0);
  const auto for_steps = [&](auto visit) {
    for (std::size_t s = 0; s < states.size(); ++s) {
      if (here.first[s] == here.first[s + 1]) continue;
      if (states[s].if_in != IdealStates::kNone) visit(states[s].if_in, Source{s, true});
      if (states[s].if_out != IdealStates::kNone) visit(states[s].if_out, Source{s, false});
    }
  };
  for_steps([&](std::int32_t to, Source) { ++first[to + 1]; });
  for (std::size_t s = 0; s < next_states; ++s) first[s + 1] += first[s];
  std::vector<Source> sources(first.back());
  std::vector<std::size_t> filled(first.begin(), first.end() - 1);
  for_steps([&](std::int32_t to, Source source) { sources[filled[to]++] = source; });

  const Whole work = weights_.work[states_.order[t]];
  std::vector<std::int32_t> at;  // by position: the label of the state being made
  std::vector<ProfileLabel> made;
  for (std::size_t s = 0; s < next_states; ++s) {
    next.first.push_back(next.labels.size());
    const std::span<const Source> from(sources.data() + first[s], sources.data() + first[s + 1]);
    if (from.empty()) continue;
    std::int32_t lowest = here.labels[here.first[from[0].state]].position, highest = 0;
    for (const Source& source : from) {
      const std::int32_t more = source.in ? buckets_of_[t] : 0;
      lowest = std::min(lowest, here.labels[here.first[source.state]].position + more);
      highest = std::max(highest, here.labels[here.first[source.state + 1] - 1].position + more);
    }
    at.assign(highest - lowest + 1, ProfileLabel::kNone);
    const auto for_labels = [&](auto visit) {
      for (const Source& source : from) {
        for (std::size_t i = here.first[source.state]; i < here.first[source.state + 1]; ++i)
          visit(here.labels[i], states[source.state], source.in);
      }
    };
    made.clear();
    for_labels([&](ProfileLabel& label, const IdealStates::State& state, bool in) {
      watch_.step();
      ProfileLabel moved;
      moved.cost = std::min(label.cost + (in ? state.charge_in : state.charge_out), weights_.limit + 1);
      moved.least = label.least + (in ? work : 0);
      moved.most = label.most + (in ? work : 0);
      moved.position = label.position + (in ? buckets_of_[t] : 0);
      std::int32_t& to = in ? label.if_in : label.if_out;
      if (!guide.empty() && !guide.leaves(t + 1, s, moved.least, moved.most, moved.cost)) return;
      std::int32_t& slot = at[moved.position - lowest];
      if (slot == ProfileLabel::kNone) {
        slot = static_cast<std::int32_t>(made.size());
        made.push_back(moved);
      } else {
        ProfileLabel& same = made[slot];
        same.cost = std::min(same.cost, moved.cost);
        same.least = std::min(same.least, moved.least);
        same.most = std::max(same.most, moved.most);
      }
      to = moved.position;  // for now
    });
    for (std::int32_t& slot : at) {
      if (slot == ProfileLabel::kNone) continue;
      next.labels.push_back(made[slot]);
      slot = static_cast<std::int32_t>(next.labels.size() - 1);
    }
    for_labels([&](ProfileLabel& label, const IdealStates::State&, bool in) {
      std::int32_t& to = in ? label.if_in : label.if_out;
      if (to != ProfileLabel::kNone) to = at[to - lowest];
    });
  }
  next.first.push_back(next.labels.size());
}

void Profile::spread_rooms() {
  for (std::size_t t = states_.order.size(); t-- > 0;) {
    Layer& here = layers_[t];
    const Layer& next = layers_[t + 1];
    for (std::size_t s = 0; s + 1 < here.first.size(); ++s) {
      const IdealStates::State& state = states_.layers[t].states[s];
      for (std::size_t i = here.first[s]; i < here.first[s + 1]; ++i) {
        ProfileLabel& label = here.labels[i];
        label.room = -1;
        if (label.if_in != ProfileLabel::kNone)
          label.room = std::max(label.room, room_after(next.labels[label.if_in].room, state.charge_in));
        if (label.if_out != ProfileLabel::kNone)
          label.room = std::max(label.room, room_after(next.labels[label.if_out].room, state.charge_out));
      }
    }
    watch_.step(here.labels.size());
  }
}

std::size_t Profile::join_never_cut(UnionFind<GroupId>& merge) const {
  // Can an ideal that decides so be a boundary? By state of the layer.
  std::vector<char> may_be_in, may_be_out;
  std::size_t joins = 0;
  for (std::size_t t = 0; t < states_.order.size(); ++t) {
    const GroupId v = states_.order[t];
    const Layer& here = layers_[t];
    const Layer& next = layers_[t + 1];
    const std::size_t count = states_.layers[t].states.size();
    may_be_in.assign(count, 0);
    may_be_out.assign(count, 0);
    for (std::size_t s = 0; s < count; ++s) {
      const IdealStates::State& state = states_.layers[t].states[s];
      for (std::size_t i = here.first[s]; i < here.first[s + 1]; ++i) {
        const ProfileLabel& label = here.labels[i];
        const auto lives = [&](std::int32_t to, Whole charge) {
          return to != ProfileLabel::kNone && label.cost <= room_after(next.labels[to].room, charge);
        };
        if (lives(label.if_in, state.charge_in)) may_be_in[s] = 1;
        if (lives(label.if_out, state.charge_out)) may_be_out[s] = 1;
      }
    }
    // A boundary cuts an edge where its source is in and its target out; either may have been decided first.
    const auto join_if_never_cut = [&](GroupId other, bool other_is_in) {
      if (states_.decided_at[other] >= t || merge.together(other, v)) return;
      const std::vector<char>& possible = other_is_in ? may_be_out : may_be_in;
      for (std::size_t s = 0; s < count; ++s) {
        if (possible[s] && states_.was_in(t, s, other) == other_is_in) return;
      }
      joins += merge.join(other, v);
    };
    for (GroupId u : graph_.predecessors(v)) join_if_never_cut(u, true);
    for (GroupId u : graph_.successors(v)) join_if_never_cut(u, false);
    watch_.step(here.labels.size());
  }
  return joins;
}

ProfileGuide Profile::guide() const {
  ProfileGuide guide;
  guide.bucket_ = bucket_;
  for (const Layer& from : layers_) {
    ProfileGuide::Layer& to = guide.layers_.emplace_back();
    for (std::size_t s = 0; s + 1 < from.first.size(); ++s) {
      to.first.push_back(to.labels.size());
      for (std::size_t i = from.first[s]; i < from.first[s + 1]; ++i) {
        const ProfileLabel& label = from.labels[i];
        if (label.cost > label.room) continue;
        to.labels.push_back({label.least, label.most, label.room, label.position});
        const Whole rounded = label.position * bucket_;
        to.error = std::max({to.error, std::abs(label.least - rounded), std::abs(label.most - rounded)});
      }
    }
    to.first.push_back(to.labels.size());
  }
  return guide;
}

bool ProfileGuide::leaves(std::size_t layer, std::size_t state, Whole least, Whole most, Whole cost) const {
  const Layer& here = layers_[layer];
  const auto end = here.labels.begin() + static_cast<std::ptrdiff_t>(here.first[state + 1]);
  // Labels whose positions are farther away than the error have no work in common with the range.
  const auto too_low = [&](const Label& label, Whole work) { return label.position * bucket_ < work; };
  auto it = std::lower_bound(here.labels.begin() + static_cast<std::ptrdiff_t>(here.first[state]), end,
                             least - here.error, too_low);
  for (; it != end && it->position * bucket_ <= most + here.error; ++it) {
    if (it->least <= most && it->most >= least && cost <= it->room) return true;
  }
  return false;
}

}  // namespace partita::detail
