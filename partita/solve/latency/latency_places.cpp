// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/latency_places.h"

namespace partita::detail {

LatencyPlaces::LatencyPlaces(const LatencyInstance& instance) : instance_(instance), value_(instance) {
  std::vector<std::pair<GroupId, GroupId>> pairs;
  for (GroupId g : instance.groups.all()) {
    for (GroupId h : instance.group_successors[g]) pairs.emplace_back(g, h);
    for (GroupId h : instance.group_predecessors[g]) pairs.emplace_back(g, h);
  }
  neighbours_ = Csr<GroupId, GroupId>(instance.group_count(), pairs);
}

void LatencyPlaces::start(const IdVector<NodeId, Place>& places) {
  value_.place_all(places);
  place_.clear();
  on_.assign(static_cast<std::size_t>(value_.accelerators()), {});
  at_.assign(instance_.group_count(), 0);
  for (GroupId g : instance_.groups.all()) {
    const Place p = places[instance_.members[g].front()];
    place_.push_back(p);
    if (p == value_.host()) continue;
    at_[g.index()] = on_[static_cast<std::size_t>(value_.accelerator(p))].size();
    on_[static_cast<std::size_t>(value_.accelerator(p))].push_back(g);
  }
  border_.clear();
  apart_.assign(instance_.group_count(), 0);
  border_at_.assign(instance_.group_count(), 0);
  for (GroupId g : instance_.groups.all()) {
    for (GroupId h : neighbours(g)) apart_[g.index()] += place(h) != place(g) ? 1 : 0;
    if (apart_[g.index()] > 0) note_border(g);
  }
  undo_.clear();
  changed_ = false;
}

IdVector<NodeId, LatencyPlaces::Place> LatencyPlaces::all() const {
  IdVector<NodeId, Place> result(instance_.size());
  for (NodeId v : result.all()) result[v] = value_.place(v);
  return result;
}

bool LatencyPlaces::can_be(GroupId g, Place to) const {
  if (to == value_.host()) return instance_.group(g).on_host;
  return instance_.may_hold(DeviceId(static_cast<std::size_t>(value_.accelerator(to))), g);
}

void LatencyPlaces::set(GroupId g, Place to) {
  for (NodeId v : instance_.members[g]) {
    if (value_.place(v) == to) continue;
    value_.move(v, to);
    changed_ = true;
  }
  if (place(g) == to) return;
  undo_.emplace_back(g, place(g));
  note(g, to);
}

void LatencyPlaces::move_node(NodeId v, Place to) {
  if (value_.place(v) == to) return;
  value_.move(v, to);
  changed_ = true;
  const GroupId g = instance_.nodes[v].group;
  if (instance_.members[g].front() != v) return;
  undo_.emplace_back(g, place(g));
  note(g, to);
}

// Keeps the lists of what is where.
void LatencyPlaces::note(GroupId g, Place to) {
  const Place from = place(g);
  place_[g.index()] = to;
  std::uint32_t apart = 0;
  for (GroupId h : neighbours(g)) {
    std::uint32_t& there = apart_[h.index()];
    if (place(h) == from && there++ == 0) note_border(h);
    if (place(h) == to && --there == 0) note_border(h);
    apart += place(h) != to ? 1 : 0;
  }
  const bool was_border = apart_[g.index()] > 0;
  apart_[g.index()] = apart;
  if (was_border != (apart > 0)) note_border(g);
  const auto groups = [this](Place p) -> std::vector<GroupId>& {
    return on_[static_cast<std::size_t>(value_.accelerator(p))];
  };
  if (value_.accelerator(from) == value_.accelerator(to)) return;
  if (from != value_.host()) {
    std::vector<GroupId>& there = groups(from);
    const GroupId last = there.back();
    there[at_[g.index()]] = last;
    at_[last.index()] = at_[g.index()];
    there.pop_back();
  }
  if (to != value_.host()) {
    at_[g.index()] = groups(to).size();
    groups(to).push_back(g);
  }
}

// After apart_ has become zero, or has ceased to be.
void LatencyPlaces::note_border(GroupId g) {
  if (apart_[g.index()] > 0) {
    border_at_[g.index()] = border_.size();
    border_.push_back(g);
    return;
  }
  const GroupId last = border_.back();
  border_[border_at_[g.index()]] = last;
  border_at_[last.index()] = border_at_[g.index()];
  border_.pop_back();
}

void LatencyPlaces::keep() {
  value_.keep();
  undo_.clear();
  changed_ = false;
}

void LatencyPlaces::take_back() {
  value_.take_back();
  for (std::size_t u = undo_.size(); u > 0; --u) note(undo_[u - 1].first, undo_[u - 1].second);
  undo_.clear();
  changed_ = false;
}

}  // namespace partita::detail
