// SPDX-License-Identifier: Apache-2.0
// All sets that one device can hold within a limit, as paths through a small layered graph.
//
// The groups are taken in an order in which few nets are open at a time (a net is open between its first and its last
// member). Layer t has one state for each way in which the open nets can stand after t groups: all members so far in
// the set, all out, or mixed. Taking or leaving the next group leads on; the moment a net gets mixed its cost is due.
// So every set is a path, its load is the sum along the path, and sets with equal futures share a state. Neural
// networks are nearly paths themselves: a dozen open nets are many, and the whole trellis has between a hundred and a
// hundred thousand states.
//
// States that no set within the limit passes are left out. Where a layer would get too wide, nets are ignored, the
// cheapest open ones first: the loads get smaller, so every set within the limit is still a path, and bounds stay
// valid.
//
// Numbers are integers (Scaled): times are rounded down after scaling, which again only makes loads smaller.
// Tests: tests/solve/free_bound_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "partita/reduce/net_graph.h"
#include "partita/util/time_watch.h"

namespace partita::detail {

// Loads in units of limit / kUnits.
using Load = std::int64_t;
inline constexpr Load kUnits = Load{1} << 40;

// One class of devices: times and costs are those of the graph's accelerators.
struct Scaled {
  double units_per_time = 0;
  Load limit = 0;
  IdVector<GroupId, Load> time;
  IdVector<GroupId, char> may_hold;  // support and memory
  IdVector<GroupId, Load> memory;    // in units of the device's memory / kUnits; 0 where memory cannot bind
  IdVector<NetId, Load> cost;

  // Hosts pay for no nets, so a group that takes longer than the limit is on none.
  bool on_host(GroupId v) const { return may_hold[v] && time[v] <= limit; }
};
Scaled scale(const NetGraph& graph, double memory, double limit);

class Trellis {
 public:
  static constexpr std::int32_t kNone = -1;
  struct Arc {
    std::int32_t to = kNone;
    Load load = 0;
  };
  struct Layer {
    GroupId group;                         // decided between this layer and the next
    std::vector<std::array<Arc, 2>> arcs;  // by state: leave the group, take it
    std::vector<Load> least_rest;          // by state: least load from here to the end
  };

  // At most `widest` states in a layer. Throws OutOfTime.
  Trellis(const NetGraph& graph, const Scaled& scaled, const std::vector<GroupId>& order, std::size_t widest,
          const Budget* budget = nullptr);

  const std::vector<Layer>& layers() const { return layers_; }  // one per group, and a last one without
  std::size_t state_count() const { return state_count_; }
  const std::vector<NetId>& ignored() const { return ignored_; }

 private:
  void build(const NetGraph& graph, const Scaled& scaled, const std::vector<GroupId>& order, std::size_t widest,
             TimeWatch& watch);
  void prune(Load limit, TimeWatch& watch);

  std::vector<Layer> layers_;
  std::vector<NetId> ignored_;
  std::size_t state_count_ = 0;
};

}  // namespace partita::detail
