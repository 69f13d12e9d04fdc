// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/latency_anneal.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "partita/reduce/never.h"
#include "partita/util/time_watch.h"

namespace partita::detail {
namespace {

constexpr double kTotalWeight = 0.003;
constexpr std::uint64_t kProposalsPerLook = 64;  // between looks at the budget and at the temperature
constexpr std::size_t kMoveWorkPerTick = 32;
constexpr std::size_t kManyGroups = 600;  // groups: from here on, moves begin near borders and keep small
constexpr std::size_t kLongestWalk = 32;
constexpr std::size_t kSmallestLimit = 8;  // of a cone on a large graph

}  // namespace

LatencyAnneal::LatencyAnneal(const LatencyInstance& instance, Dice& dice)
    : instance_(instance),
      dice_(dice),
      places_(instance),
      best_latency_(kNever),
      mark_(instance.group_count(), 0),
      node_mark_(instance.size(), 0) {
  rank_.resize(instance.size());
  for (std::size_t i = 0; i < instance.order.size(); ++i) rank_[instance.order[i]] = i;
  if (instance.group_count() <= kMostGroupsForHulls) find_hulls();
}

void LatencyAnneal::find_hulls() {
  const std::size_t n = instance_.group_count();
  std::vector<GroupId> by_item;
  for (GroupId g : instance_.groups.all()) by_item.push_back(g);
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

void LatencyAnneal::start(const IdVector<NodeId, Place>& place, const LatencyAnnealOptions& options) {
  options_ = options;
  done_ = 0;
  best_latency_ = kNever;
  places_.start(place);
  const LatencyValue::Measure& m = places_.measure();
  energy_ = energy(m);
  in_circle_ = m.waiting > 0;
  if (m.waiting == 0 && m.excess == 0) remember_best(m.latency);
}

void LatencyAnneal::remember_best(double latency) {
  best_latency_ = latency;
  best_ = places_.all();
}

double LatencyAnneal::energy(const LatencyValue::Measure& m) const {
  return m.latency + kTotalWeight * m.total +
         options_.scale * options_.price * (m.excess + static_cast<double>(m.waiting));
}

bool LatencyAnneal::advance(Budget& slice) {
  if (instance_.group_count() == 0) return true;
  while (done_ < options_.proposals) {
    if (slice.exhausted()) return false;
    const double progress = static_cast<double>(done_) / static_cast<double>(options_.proposals);
    const double temperature = options_.scale * options_.hot * std::pow(options_.cold / options_.hot, progress);
    const TimeWatch watch(&slice);
    const std::uint64_t work_before = value().work();
    for (std::uint64_t i = 0; i < kProposalsPerLook; ++i) {
      watch.look();  // on large graphs a single move may take a millisecond
      const bool whole = propose();
      bool accepted = false;
      if (whole && places_.changed()) {
        const LatencyValue::Measure& m = places_.measure();
        const double after = energy(m);
        const double rise = after - energy_;
        accepted = (m.waiting == 0 || in_circle_) && (rise <= 0 || dice_.chance() < std::exp(-rise / temperature));
        if (m.waiting == 0 && m.excess == 0 && m.latency < best_latency_) remember_best(m.latency);
        if (accepted) {
          energy_ = after;
          in_circle_ = m.waiting > 0;
          places_.keep();
        }
      }
      if (places_.changed() && !accepted) places_.take_back();
    }
    done_ += kProposalsPerLook;
    slice.spend(1 + (value().work() - work_before) / kMoveWorkPerTick + kProposalsPerLook / 4);
  }
  return true;
}

// False if the move cannot be made; a part of it may have been made then.
bool LatencyAnneal::propose() {
  if (value().accelerators() == 0) return false;  // nothing to choose
  if (value().slots() > 1 && !options_.one_slot) {
    const double kind = dice_.chance();
    if (kind < 0.15) return move_between_slots();
    if (kind < 0.17) return swap_slots();
    if (kind < 0.22) return scatter_group();
  }
  const double kind = dice_.chance();
  if (kind < 0.28) return move_group();
  if (kind < 0.60) return move_hull();
  if (kind < 0.90) return move_cone();
  if (kind < 0.94) return instance_.group_count() < kManyGroups || dice_.one_in(16) ? merge_and_cut() : move_cone();
  return move_with_neighbours();
}

// On large graphs mostly a few steps from a border.
GroupId LatencyAnneal::some_group() {
  if (instance_.group_count() < kManyGroups || border().empty() || dice_.one_in(8))
    return GroupId(dice_.below(instance_.group_count()));
  GroupId g = border()[dice_.below(border().size())];
  for (std::size_t steps = dice_.below(1 + dice_.below(kLongestWalk)); steps > 0; --steps) {
    const auto near = neighbours(g);
    g = near[dice_.below(near.size())];
  }
  return g;
}

// On large graphs large ones are seldom worth their time.
std::size_t LatencyAnneal::most_in_cone() {
  if (instance_.group_count() < kManyGroups) return instance_.group_count();
  return kSmallestLimit << dice_.below(static_cast<std::size_t>(std::bit_width(instance_.group_count())));
}

LatencyAnneal::Place LatencyAnneal::some_slot() {
  if (options_.one_slot)
    return static_cast<Place>(dice_.below(static_cast<std::size_t>(value().accelerators()))) * value().slots();
  return static_cast<Place>(dice_.below(static_cast<std::size_t>(value().host())));
}

// A slot that holds nothing, or any if there is none.
LatencyAnneal::Place LatencyAnneal::empty_slot() {
  const Place first = some_slot(), step = options_.one_slot ? value().slots() : 1;
  for (Place i = 0; i < value().host(); i += step) {
    const Place p = (first + i) % value().host();
    if (value().empty(p)) return p;
  }
  return first;
}

// Of the same accelerator.
LatencyAnneal::Place LatencyAnneal::other_slot(Place from) {
  const Place slots = value().slots(), first = from / slots * slots;
  const auto further = static_cast<Place>(1 + dice_.below(static_cast<std::size_t>(slots) - 1));
  return first + (from - first + further) % slots;
}

std::span<const GroupId> LatencyAnneal::next(GroupId g, bool down) const {
  return down ? instance_.group_successors[g] : instance_.group_predecessors[g];
}

bool LatencyAnneal::move_group() {
  const GroupId g = some_group();
  const auto near = neighbours(g);
  Place to = near.empty() ? (dice_.one_in(4) ? value().host() : some_slot()) : place(near[dice_.below(near.size())]);
  const double other = dice_.chance();
  if (other < 0.08) {
    to = value().host();
  } else if (other < 0.10) {
    to = empty_slot();
  } else if (other < 0.13) {
    to = some_slot();
  }
  if (!places_.can_be(g, to)) return false;
  places_.set(g, to);
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

// Makes room in a slot: what is in it goes to hosts, or to where some neighbour is.
void LatencyAnneal::clear_out(Place slot, bool into_neighbour) {
  taken_.clear();
  for (GroupId g : places_.groups_on(slot)) {
    if (place(g) == slot) taken_.push_back(g);
  }
  Place to = value().host();
  for (std::size_t i = 0; i < taken_.size() && into_neighbour && to == value().host(); ++i) {
    for (GroupId h : neighbours(taken_[i])) {
      if (place(h) != slot && dice_.one_in(2)) {
        to = place(h);
        break;
      }
    }
  }
  for (GroupId g : taken_) {
    if (places_.can_be(g, to)) places_.set(g, to);
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
  Place to = value().host();
  const double target = dice_.chance();
  if (target < 0.45) {
    to = empty_slot();
    if (to == from) return false;
    if (!value().empty(to)) clear_out(to, dice_.one_in(3));
  } else if (target >= 0.60) {
    const bool before = dice_.one_in(2);
    const auto near = next(before ? first : last, !before);
    if (near.empty()) return false;
    to = place(near[dice_.below(near.size())]);
  }
  if (to == from) return false;
  const bool all = dice_.one_in(4);  // also what is between on other devices
  for (GroupId g : found_) {
    if ((all || place(g) == from) && places_.can_be(g, to)) places_.set(g, to);
  }
  return true;
}

// What is below (or above) the group in its slot, in found_. False if that is more than a limit drawn for it.
bool LatencyAnneal::find_cone(GroupId g, bool down) {
  const std::size_t most = most_in_cone();
  ++marked_;
  found_.assign(1, g);
  mark_[g.index()] = marked_;
  for (std::size_t head = 0; head < found_.size(); ++head) {
    for (GroupId h : next(found_[head], down)) {
      if (mark_[h.index()] == marked_ || place(h) != place(g)) continue;
      mark_[h.index()] = marked_;
      found_.push_back(h);
    }
    if (found_.size() > most) return false;
  }
  return true;
}

bool LatencyAnneal::move_cone() {
  GroupId g = some_group();
  const double target = dice_.chance();
  const bool down = dice_.one_in(2);
  const std::size_t links = dice_.one_in(4) ? 4 : 1;  // of a chain of moves, each pushing out the next
  Place to = -1;
  if (target < 0.06) to = value().host();
  if (target >= 0.06 && target < 0.14) to = empty_slot();
  if (target >= 0.14 && target < 0.19 && value().slots() > 1 && !options_.one_slot && !places_.on_host(g))
    to = other_slot(place(g));
  std::vector<Place> onward;
  for (std::size_t link = 0; link < links; ++link) {
    const Place from = place(g);
    if (!find_cone(g, down)) return false;
    if (to < 0) {
      onward.clear();
      for (GroupId x : found_) {
        for (GroupId y : next(x, down)) {
          if (place(y) != from && place(y) != value().host()) onward.push_back(place(y));
        }
      }
      if (!onward.empty()) {
        to = onward[dice_.below(onward.size())];
      } else if (link == 0) {
        to = dice_.one_in(3) ? some_slot() : empty_slot();
      } else {
        break;
      }
    }
    if (to == from) break;
    if (!std::all_of(found_.begin(), found_.end(), [&](GroupId x) { return places_.can_be(x, to); })) break;
    for (GroupId x : found_) places_.set(x, to);
    if (to == value().host() || link + 1 == links) break;
    const int there = value().accelerator(to);
    if (value().memory_used(there) <= value().memory_limit(there)) break;
    g = places_.groups_on(to)[dice_.below(places_.groups_on(to).size())];
    to = -1;
  }
  return true;
}

bool LatencyAnneal::merge_and_cut() {
  const Place a = some_slot(), b = some_slot();
  if (a == b) return false;
  taken_.clear();
  for (const Place from : {a, b}) {
    for (GroupId g : places_.groups_on(from)) {
      if (place(g) == from) taken_.push_back(g);
    }
  }
  for (GroupId g : taken_) {
    if (!places_.can_be(g, b)) return false;
    places_.set(g, b);
  }
  if (taken_.size() > 1 && find_cone(taken_[dice_.below(taken_.size())], dice_.one_in(2))) {
    for (GroupId g : found_) {
      if (!places_.can_be(g, a)) return false;
      places_.set(g, a);
    }
  }
  return true;
}

// A later slot takes what is below, an earlier one what is above.
bool LatencyAnneal::move_between_slots() {
  const NodeId first(dice_.below(instance_.size()));
  const Place from = value().place(first);
  if (from == value().host()) return false;
  const Place to = other_slot(from);
  const bool backward = instance_.nodes[first].backward;
  const auto& onward = (to > from) != backward ? instance_.successors : instance_.predecessors;
  ++marked_;
  found_nodes_.assign(1, first);
  node_mark_[first.index()] = marked_;
  const bool alone = dice_.one_in(4);
  for (std::size_t head = 0; head < found_nodes_.size() && !alone; ++head) {
    for (NodeId w : onward[found_nodes_[head]]) {
      const bool here = value().place(w) == from && instance_.nodes[w].backward == backward;
      if (!here || node_mark_[w.index()] == marked_) continue;
      node_mark_[w.index()] = marked_;
      found_nodes_.push_back(w);
    }
  }
  for (NodeId v : found_nodes_) places_.move_node(v, to);
  return true;
}

bool LatencyAnneal::scatter_group() {
  const GroupId g = some_group();
  if (instance_.members[g].size() < 2) return false;
  const auto near = neighbours(g);
  Place low = near.empty() || dice_.one_in(4) ? some_slot() : place(near[dice_.below(near.size())]);
  if (low == value().host() || !places_.can_be(g, low)) return false;
  Place high = other_slot(low);
  if (high < low) std::swap(low, high);
  places_.set(g, low);
  found_nodes_.assign(instance_.members[g].begin(), instance_.members[g].end());
  std::sort(found_nodes_.begin(), found_nodes_.end(), [&](NodeId a, NodeId b) { return rank_[a] < rank_[b]; });
  // Forward, the low slot runs first; backward, the high one.
  const std::size_t forward_cut = dice_.below(found_nodes_.size() + 1);
  const std::size_t backward_cut = dice_.below(found_nodes_.size() + 1);
  for (std::size_t i = 0; i < found_nodes_.size(); ++i) {
    const NodeId v = found_nodes_[i];
    if (instance_.nodes[v].backward ? i < backward_cut : i >= forward_cut) places_.move_node(v, high);
  }
  return true;
}

bool LatencyAnneal::swap_slots() {
  const Place a = some_slot(), b = other_slot(a);
  taken_ = places_.groups_on(a);
  for (GroupId g : taken_) {
    for (NodeId v : instance_.members[g]) {
      const Place from = value().place(v);
      if (from == a || from == b) places_.move_node(v, from == a ? b : a);
    }
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
  if (to < 0 || !places_.can_be(g, to)) return false;
  places_.set(g, to);
  for (GroupId h : neighbours(g)) {
    if (place(h) == from && dice_.one_in(2) && places_.can_be(h, to)) places_.set(h, to);
  }
  return true;
}

}  // namespace partita::detail
