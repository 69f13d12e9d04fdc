// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/latency_anneal.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace partita {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kTotalWeight = 0.003;
constexpr std::uint64_t kProposalsPerLook = 64;  // between looks at the budget and at the temperature
constexpr std::size_t kWorkPerTick = 32;

}  // namespace

LatencyAnneal::LatencyAnneal(const LatencyInstance& instance, Dice& dice)
    : instance_(instance),
      dice_(dice),
      value_(instance),
      best_latency_(kNever),
      ticks_per_proposal_(1 + (instance.size() + instance.arcs.entry_count()) / kWorkPerTick),
      mark_(instance.group_count(), 0) {
  std::vector<std::pair<GroupId, GroupId>> pairs;
  for (GroupId g : instance.classes.graph.all()) {
    for (GroupId h : instance.group_successors[g]) pairs.emplace_back(g, h);
    for (GroupId h : instance.group_predecessors[g]) pairs.emplace_back(g, h);
  }
  neighbours_ = Csr<GroupId, GroupId>(instance.group_count(), pairs);
  if (instance.group_count() <= kMostGroupsForHulls) find_hulls();
}

void LatencyAnneal::find_hulls() {
  const std::size_t n = instance_.group_count();
  std::vector<GroupId> by_item;
  for (GroupId g : instance_.classes.graph.all()) by_item.push_back(g);
  std::stable_sort(by_item.begin(), by_item.end(),
                   [&](GroupId a, GroupId b) { return instance_.item_of[a] < instance_.item_of[b]; });
  below_ = above_ = BitMatrix(n, n);
  const auto same_item = [&](std::size_t from, std::size_t to) {
    return instance_.item_of[by_item[from]] == instance_.item_of[by_item[to]];
  };
  // Edges go to items with smaller numbers, so those are complete when they are asked for; within an item, all groups
  // reach the same.
  for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
    while (end < n && same_item(begin, end)) ++end;
    const std::size_t first = by_item[begin].index();
    for (std::size_t i = begin; i < end; ++i) below_.set(first, by_item[i].index());
    for (std::size_t i = begin; i < end; ++i) {
      for (GroupId h : instance_.group_successors[by_item[i]]) {
        if (instance_.item_of[h] != instance_.item_of[by_item[i]]) below_.join_row(first, h.index());
      }
    }
    for (std::size_t i = begin + 1; i < end; ++i) below_.join_row(by_item[i].index(), first);
  }
  for (std::size_t g = 0; g < n; ++g) for_each_bit(below_.row(g), [&](std::size_t h) { above_.set(h, g); });
}

void LatencyAnneal::start(const std::vector<Place>& place, const LatencyAnnealOptions& options) {
  options_ = options;
  place_ = place;
  done_ = 0;
  best_latency_ = kNever;
  held_.assign(static_cast<std::size_t>(value_.host()), 0);
  for (const Place p : place_) {
    if (p != value_.host()) ++held_[static_cast<std::size_t>(p)];
  }
  const LatencyValue::Measure& m = value_.measure(place_);
  energy_ = energy(m);
  in_circle_ = m.waiting > 0;
  if (m.waiting == 0 && m.excess == 0) {
    best_latency_ = m.latency;
    best_ = place_;
  }
}

double LatencyAnneal::energy(const LatencyValue::Measure& m) const {
  return m.latency + kTotalWeight * m.total +
         options_.scale * options_.price * (m.excess + static_cast<double>(m.waiting));
}

bool LatencyAnneal::advance(Budget& slice) {
  if (place_.empty()) return true;
  while (done_ < options_.proposals) {
    if (slice.exhausted()) return false;
    const double progress = static_cast<double>(done_) / static_cast<double>(options_.proposals);
    const double temperature = options_.scale * options_.hot * std::pow(options_.cold / options_.hot, progress);
    std::uint64_t measured = 0;
    for (std::uint64_t i = 0; i < kProposalsPerLook; ++i) {
      undo_.clear();
      const bool whole = propose();
      bool accepted = false;
      if (whole && !undo_.empty()) {
        ++measured;
        const LatencyValue::Measure& m = value_.measure(place_);
        const double after = energy(m);
        const double rise = after - energy_;
        accepted = (m.waiting == 0 || in_circle_) && (rise <= 0 || dice_.chance() < std::exp(-rise / temperature));
        if (m.waiting == 0 && m.excess == 0 && m.latency < best_latency_) {
          best_latency_ = m.latency;
          best_ = place_;
        }
        if (accepted) {
          energy_ = after;
          in_circle_ = m.waiting > 0;
        }
      }
      if (accepted) continue;
      for (std::size_t u = undo_.size(); u > 0; --u) {
        const auto [g, from] = undo_[u - 1];
        const Place now = place(g);
        if (now != value_.host()) --held_[static_cast<std::size_t>(now)];
        if (from != value_.host()) ++held_[static_cast<std::size_t>(from)];
        place_[g.index()] = from;
      }
    }
    done_ += kProposalsPerLook;
    slice.spend(1 + measured * ticks_per_proposal_ + kProposalsPerLook / 4);
  }
  return true;
}

// False if the move cannot be made; undo_ may then hold a part of it.
bool LatencyAnneal::propose() {
  if (value_.host() == 0) return false;  // no accelerators: nothing to choose
  const double kind = dice_.chance();
  if (kind < 0.28) return move_group();
  if (kind < 0.60) return move_hull();
  if (kind < 0.90) return move_cone();
  if (kind < 0.94) return merge_and_cut();
  return move_with_neighbours();
}

bool LatencyAnneal::can_be(GroupId g, Place to) const {
  return to == value_.host() ? instance_.group(g).on_host : instance_.group(g).on_accelerator;
}

void LatencyAnneal::set(GroupId g, Place to) {
  const Place from = place(g);
  if (from == to) return;
  undo_.emplace_back(g, from);
  if (from != value_.host()) --held_[static_cast<std::size_t>(from)];
  if (to != value_.host()) ++held_[static_cast<std::size_t>(to)];
  place_[g.index()] = to;
}

// An accelerator that holds nothing, or any if there is none.
LatencyAnneal::Place LatencyAnneal::empty_accelerator() {
  const Place first = some_accelerator();
  for (Place i = 0; i < value_.host(); ++i) {
    const Place p = (first + i) % value_.host();
    if (held_[static_cast<std::size_t>(p)] == 0) return p;
  }
  return first;
}

std::span<const GroupId> LatencyAnneal::next(GroupId g, bool down) const {
  return down ? instance_.group_successors[g] : instance_.group_predecessors[g];
}

bool LatencyAnneal::move_group() {
  const GroupId g = some_group();
  const auto near = neighbours(g);
  Place to = near.empty() ? static_cast<Place>(dice_.below(static_cast<std::size_t>(value_.host()) + 1))
                          : place(near[dice_.below(near.size())]);
  const double other = dice_.chance();
  if (other < 0.08) {
    to = value_.host();
  } else if (other < 0.10) {
    to = empty_accelerator();
  } else if (other < 0.13) {
    to = some_accelerator();
  }
  if (!can_be(g, to)) return false;
  set(g, to);
  return true;
}

// All groups on paths from one to the other, in found_.
void LatencyAnneal::find_hull(GroupId from, GroupId to) {
  found_.clear();
  const auto low = below_.row(from.index()), high = above_.row(to.index());
  for (std::size_t w = 0; w < low.size(); ++w) {
    for (Word rest = low[w] & high[w]; rest != 0; rest &= rest - 1)
      found_.push_back(GroupId(w * kWordBits + static_cast<std::size_t>(std::countr_zero(rest))));
  }
}

// Makes room on an accelerator: what is on it goes to hosts, or to the accelerator of some neighbour.
void LatencyAnneal::clear_out(Place accelerator, bool into_neighbour) {
  Place to = value_.host();
  for (std::size_t i = 0; i < place_.size() && into_neighbour && to == value_.host(); ++i) {
    if (place_[i] != accelerator) continue;
    for (GroupId h : neighbours(GroupId(i))) {
      if (place(h) != accelerator && dice_.one_in(2)) {
        to = place(h);
        break;
      }
    }
  }
  for (std::size_t i = 0; i < place_.size(); ++i) {
    if (place_[i] == accelerator && can_be(GroupId(i), to)) set(GroupId(i), to);
  }
}

bool LatencyAnneal::move_hull() {
  GroupId first = some_group(), last = first;
  const Place from = place(first);
  const std::size_t length = 1 + dice_.below(dice_.one_in(3) ? 24 : 8);
  const bool down = dice_.one_in(2);
  std::vector<GroupId>& walk = found_;
  walk.assign(1, first);
  for (std::size_t i = 0; i < length; ++i) {
    const auto onward = next(last, down);
    if (onward.empty()) break;
    const GroupId step = onward[dice_.below(onward.size())];
    if (place(step) != from) break;
    last = step;
    walk.push_back(step);
  }
  if (!down) std::swap(first, last);
  if (!below_.empty()) find_hull(first, last);
  Place to = value_.host();
  const double target = dice_.chance();
  if (target < 0.45) {
    to = empty_accelerator();
    if (to == from) return false;
    if (held_[static_cast<std::size_t>(to)] > 0) clear_out(to, dice_.one_in(3));
  } else if (target >= 0.60) {
    const bool before = dice_.one_in(2);
    const auto near = next(before ? first : last, !before);
    if (near.empty()) return false;
    to = place(near[dice_.below(near.size())]);
  }
  if (to == from) return false;
  const bool all = dice_.one_in(4);  // also what is between on other devices
  for (GroupId g : found_) {
    if ((all || place(g) == from) && can_be(g, to)) set(g, to);
  }
  return true;
}

// What is below (or above) the group on its device, in found_.
void LatencyAnneal::find_cone(GroupId g, bool down) {
  ++marked_;
  found_.assign(1, g);
  mark_[g.index()] = marked_;
  for (std::size_t head = 0; head < found_.size(); ++head) {
    for (GroupId h : next(found_[head], down)) {
      if (mark_[h.index()] == marked_ || place(h) != place(g)) continue;
      mark_[h.index()] = marked_;
      found_.push_back(h);
    }
  }
}

bool LatencyAnneal::move_cone() {
  GroupId g = some_group();
  const double target = dice_.chance();
  const bool down = dice_.one_in(2);
  const std::size_t links = dice_.one_in(4) ? 4 : 1;  // of a chain of moves, each pushing out the next
  Place to = -1;
  if (target < 0.06) to = value_.host();
  if (target >= 0.06 && target < 0.14) to = empty_accelerator();
  std::vector<Place> onward;
  for (std::size_t link = 0; link < links; ++link) {
    const Place from = place(g);
    find_cone(g, down);
    if (to < 0) {
      onward.clear();
      for (GroupId x : found_) {
        for (GroupId y : next(x, down)) {
          if (place(y) != from && place(y) != value_.host()) onward.push_back(place(y));
        }
      }
      if (!onward.empty()) {
        to = onward[dice_.below(onward.size())];
      } else if (link == 0) {
        to = dice_.one_in(3) ? some_accelerator() : empty_accelerator();
      } else {
        break;
      }
    }
    if (to == from) break;
    if (!std::all_of(found_.begin(), found_.end(), [&](GroupId x) { return can_be(x, to); })) break;
    for (GroupId x : found_) set(x, to);
    if (to == value_.host() || link + 1 == links) break;
    double held = 0;
    found_.clear();
    for (std::size_t i = 0; i < place_.size(); ++i) {
      if (place_[i] != to) continue;
      held += instance_.group(GroupId(i)).memory;
      found_.push_back(GroupId(i));
    }
    if (held <= instance_.memory_limit()) break;
    g = found_[dice_.below(found_.size())];
    to = -1;
  }
  return true;
}

bool LatencyAnneal::merge_and_cut() {
  const Place a = some_accelerator(), b = some_accelerator();
  if (a == b) return false;
  std::vector<GroupId> both;
  for (std::size_t i = 0; i < place_.size(); ++i) {
    if (place_[i] == a) set(GroupId(i), b);
    if (place_[i] == b) both.push_back(GroupId(i));
  }
  if (both.size() > 1) {
    find_cone(both[dice_.below(both.size())], dice_.one_in(2));
    for (GroupId g : found_) set(g, a);
  }
  return true;
}

bool LatencyAnneal::move_with_neighbours() {
  const GroupId g = some_group();
  const Place from = place(g);
  Place to = -1;
  for (GroupId h : neighbours(g)) {
    if (place(h) == from) continue;
    to = place(h);
    if (dice_.one_in(2)) break;
  }
  if (to < 0 || !can_be(g, to)) return false;
  set(g, to);
  for (GroupId h : neighbours(g)) {
    if (place(h) == from && dice_.one_in(2) && can_be(h, to)) set(h, to);
  }
  return true;
}

}  // namespace partita
