// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/latency_fan.h"

#include <algorithm>

#include "partita/util/time_watch.h"

namespace partita::detail {
namespace {

constexpr std::size_t kMostBranches = 8;
constexpr std::size_t kMostToRetreat = 64;  // groups
constexpr std::size_t kMostToLeave = 16;    // groups, besides sources
constexpr std::size_t kTries = 4;           // with each group

}  // namespace

LatencyFan::LatencyFan(const LatencyInstance& instance) : instance_(instance), places_(instance) {}

void LatencyFan::begin(double latency, const Places& start) {
  latency_ = latency;
  best_.reset();
  next_ = 0;
  places_.start(start);
  const Place host = places_.value().host();
  std::vector<std::pair<std::size_t, Place>> spare;
  for (Place p = 0; p < host; ++p) {
    const std::vector<GroupId>& there = places_.groups_on(p);
    const bool may_go = std::all_of(there.begin(), there.end(), [&](GroupId g) { return places_.can_be(g, host); });
    if (may_go) spare.emplace_back(there.size(), p);
  }
  std::stable_sort(spare.begin(), spare.end());
  spare_.clear();
  for (const auto& [groups, p] : spare) spare_.push_back(p);
}

bool LatencyFan::advance(Budget& slice) {
  const TimeWatch watch(&slice);
  // Not counted in ticks: all tries with a split take less than a thousandth of the run before them.
  for (; next_ < kTries * instance_.group_count(); ++next_) {
    if (slice.exhausted()) return false;
    watch.look();
    const GroupId g(next_ / kTries);
    const bool down = next_ % 2 == 0;
    if (next_ % kTries < 2 ? spread(g, down) : leave(g, down)) {
      const LatencyValue::Measure& m = places_.measure();
      if (m.waiting == 0 && m.excess == 0 && m.latency < latency_) {
        latency_ = m.latency;
        best_ = places_.all();
      }
    }
    if (places_.changed()) places_.take_back();
  }
  return true;
}

// False if there is nothing to spread, or no room; something may have moved then.
bool LatencyFan::spread(GroupId end, bool down) {
  const auto onward = next(end, down);
  if (onward.size() < 2 || spare_.size() < 2) return false;
  const auto on_accelerator = [&](GroupId g) { return !places_.on_host(g); };
  const auto first = std::find_if(onward.begin(), onward.end(), on_accelerator);
  if (first == onward.end()) return false;
  const Place from = places_.place(*first);
  const std::vector<Branch> branches = branches_of(end, down, from);
  if (branches.size() < 2 || branches.size() > kMostBranches) return false;
  if (places_.place(end) == from && !retreat(end, down, from)) return false;
  const Place stays = places_.place(end);
  auto slot = spare_.begin();
  for (const Branch& branch : branches) {
    while (slot != spare_.end() && (*slot == from || *slot == stays)) ++slot;
    if (slot == spare_.end()) return false;
    const std::vector<GroupId> there = places_.groups_on(*slot);
    for (GroupId g : there) places_.set(g, places_.value().host());
    for (GroupId g : branch) {
      if (!places_.can_be(g, *slot)) return false;
      places_.set(g, *slot);
    }
    ++slot;
  }
  return true;
}

std::vector<LatencyFan::Branch> LatencyFan::branches_of(GroupId end, bool down, Place from) const {
  // What comes in from elsewhere, besides sources.
  const auto comes_in = [&](GroupId g, GroupId expected) {
    return std::any_of(next(g, !down).begin(), next(g, !down).end(),
                       [&](GroupId h) { return h != expected && !is_source(h, down); });
  };
  std::vector<Branch> branches;
  for (GroupId g : next(end, down)) {
    Branch branch;
    GroupId last = end;
    while (places_.place(g) == from && !comes_in(g, last)) {
      branch.push_back(g);
      for (GroupId h : next(g, !down)) {
        if (h != last && places_.place(h) == from && next(h, down).size() == 1) branch.push_back(h);
      }
      last = g;
      const auto onward = next(g, down);
      if (onward.size() != 1) break;
      g = onward[0];
    }
    if (!branch.empty()) branches.push_back(std::move(branch));
  }
  return branches;
}

// To hosts: this group and what lies behind it in its block, with the sources that nobody else reads. As with spread().
bool LatencyFan::leave(GroupId first, bool down) {
  const Place from = places_.place(first), host = places_.value().host();
  if (from == host) return false;
  std::vector<GroupId> leaves = {first};
  const auto is_there = [&](GroupId h) { return std::find(leaves.begin(), leaves.end(), h) != leaves.end(); };
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    for (GroupId h : next(leaves[i], down)) {
      if (places_.place(h) != from || is_there(h)) continue;
      leaves.push_back(h);
      if (leaves.size() > kMostToLeave) return false;
    }
  }
  for (std::size_t i = 0, count = leaves.size(); i < count; ++i) {
    for (GroupId h : next(leaves[i], !down)) {
      const auto readers = next(h, down);
      if (places_.place(h) == from && is_source(h, down) && !is_there(h) &&
          std::all_of(readers.begin(), readers.end(), is_there))
        leaves.push_back(h);
    }
  }
  for (GroupId g : leaves) {
    if (!places_.can_be(g, host)) return false;
    places_.set(g, host);
  }
  return true;
}

// Moves the end out of the block of its branches, with what lies before it there, to where that comes from.
bool LatencyFan::retreat(GroupId end, bool down, Place from) {
  std::vector<GroupId> leaves = {end};
  Place to = places_.value().host();
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    for (GroupId h : next(leaves[i], !down)) {
      if (places_.place(h) != from) {
        if (to == places_.value().host()) to = places_.place(h);
        continue;
      }
      if (std::find(leaves.begin(), leaves.end(), h) == leaves.end()) leaves.push_back(h);
      if (leaves.size() > kMostToRetreat) return false;
    }
  }
  if (to == places_.value().host()) return false;
  for (GroupId g : leaves) {
    if (!places_.can_be(g, to)) return false;
    places_.set(g, to);
  }
  return true;
}

}  // namespace partita::detail
