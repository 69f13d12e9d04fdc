// SPDX-License-Identifier: Apache-2.0
// Which devices hold members of which nets, kept up while groups move between devices: what all kinds of loads
// (sum_loads.h, part_loads.h) need to know of a split.
//
// Nets of two members, which most are, need no count: the other member's device tells all. Larger nets keep one counter
// per device where that takes no more than kRowPerMember counters per member, and are counted by looking at their
// members otherwise; so memory stays in proportion to the pins however many devices there are.
//
// The nets that are cut are kept as a list, too: on large graphs they are few, and the groups at them are the ones
// worth moving. Everything that a move needs is inline, for moves are most of the work of annealing. Tests:
// tests/solve/sum_loads_test.cpp, tests/solve/part_loads_test.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "partita/reduce/net_graph.h"

namespace partita::detail {

// Calls visit(device) once for each device that holds some but not all members of a net; `holders` is scratch.
template <class Visit>
void for_each_cutter(std::span<const GroupId> members, const IdVector<GroupId, DeviceId>& device_of,
                     std::vector<DeviceId>& holders, Visit visit) {
  holders.clear();
  for (GroupId v : members) holders.push_back(device_of[v]);
  std::sort(holders.begin(), holders.end());
  holders.erase(std::unique(holders.begin(), holders.end()), holders.end());
  if (holders.size() < 2) return;
  for (DeviceId d : holders) visit(d);
}

class NetHolders {
 public:
  // The graph must outlive it.
  NetHolders(const NetGraph& graph, std::size_t devices);

  // Starts from this assignment. O(pins + counters).
  void reset(const IdVector<GroupId, DeviceId>& device_of);

  DeviceId device_of(GroupId v) const { return device_of_[v]; }
  const IdVector<GroupId, DeviceId>& device_of() const { return device_of_; }
  std::span<const NetId> cut_nets() const { return cut_; }  // in no particular order

  // A move takes three steps: shift() for each net of the group that has more than two members, list_cut() or
  // unlist_cut() for each that is cut from now on or no longer, and place().
  struct Counts {
    std::size_t from, to;
  };
  // How many members of e the two devices hold before one moves; counts it as moved.
  Counts shift(NetId e, std::span<const GroupId> members, DeviceId from, DeviceId to) {
    if (row_[e] != kNoRow) {
      std::uint32_t* held = &held_[row_[e]];
      return {held[from.index()]--, held[to.index()]++};
    }
    Counts counts{0, 0};
    for (GroupId w : members) {
      counts.from += device_of_[w] == from;
      counts.to += device_of_[w] == to;
    }
    return counts;
  }
  void list_cut(NetId e) {
    cut_at_[e] = cut_.size();
    cut_.push_back(e);
  }
  void unlist_cut(NetId e) {
    cut_at_[cut_.back()] = cut_at_[e];
    cut_[cut_at_[e]] = cut_.back();
    cut_.pop_back();
  }
  void place(GroupId v, DeviceId to) { device_of_[v] = to; }

 private:
  static constexpr std::size_t kRowPerMember = 16;
  static constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);

  const NetGraph& graph_;
  IdVector<NetId, std::size_t> row_;  // where a net's counters begin, or kNoRow
  std::vector<std::uint32_t> held_;
  IdVector<GroupId, DeviceId> device_of_;
  std::vector<NetId> cut_;
  IdVector<NetId, std::size_t> cut_at_;  // where a cut net stands in cut_
};

}  // namespace partita::detail
