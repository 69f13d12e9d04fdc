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
// Where a shape asks for convex sets (convex_order.h), a state also has, for every point that is not decided and next to
// one that is, the interval of labels that are left to it. A group that is taken labels its points 1. One that is left
// labels each of its points 0 or 2, so there may be several arcs: 0 binds only undecided predecessors and 2 only
// undecided successors, and where either kind is missing one of the two suffices. Intervals are narrowed along all paths
// between such points, so that equal futures meet in one state; and a net that is all in is due as soon as a member of
// it is forced out, or the other way round.
//
// Open nets with equal costs and the same undecided members are twins: what is still due of them depends on how many are
// in and how many are out, and not on which. So their standings are sorted, and states that differ in nothing else meet.
// [DenseNet-201: every layer of a block reads all before it, so up to 50 nets are open, of 5 kinds.]
//
// Pairs of groups may be asked for together (a net of two that nobody can afford) or apart.
//
// States that no set within the limit passes are left out. Where a layer would get too wide, nets lose the members that
// are undecided there, the cheapest open nets first (what cuts the others cuts the net), and then points lose their
// place in the order: loads get smaller and sets more, so every set within the limit is still a path, and bounds stay
// valid.
//
// Numbers are integers (Scaled): times are rounded down after scaling, which again only makes loads smaller.
// Tests: tests/solve/free_bound_test.cpp, tests/solve/convex_bound_test.cpp.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "partita/reduce/net_graph.h"
#include "partita/solve/configuration/convex_order.h"
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

// Two groups that share a device, or do not.
struct PairDecision {
  GroupId a, b;
  bool together = false;

  bool operator==(const PairDecision&) const = default;
  // Whether a device may hold one set, as far as these two are concerned. The set must be sorted.
  bool allows(const std::vector<GroupId>& set) const;
};

// A net of which some members alone count.
struct NarrowedNet {
  NetId net;
  std::vector<GroupId> counted;  // fewer than two: it does not count
};

class Trellis {
 public:
  struct Arc {
    std::int32_t to = 0;
    bool take = false;
    Load load = 0;
  };
  // The same, seen from where it leads to.
  struct Entry {
    std::int32_t from = 0;
    bool take = false;
    Load load = 0;
  };
  struct Layer {
    GroupId group;                     // decided between this layer and the next
    std::vector<std::uint32_t> first;  // by state, and one more: its arcs
    std::vector<Arc> arcs = {};
    std::vector<Load> least_rest = {};            // by state: least load from here to the end
    std::vector<std::uint32_t> first_entry = {};  // by state, and one more: arcs that lead here
    std::vector<Entry> entries = {};

    std::size_t states() const { return first.size() - 1; }
    std::span<const Entry> entries_of(std::size_t state) const {
      return std::span(entries).subspan(first_entry[state], first_entry[state + 1] - first_entry[state]);
    }
  };
  // Which sets count, beside what their load says.
  struct Rules {
    const ConvexOrder* order = nullptr;  // null: every set
    std::vector<PairDecision> pairs = {};
  };
  // A layer that is wider forgets something; with more states in all, there is no trellis.
  struct Size {
    std::size_t widest = 0;
    std::size_t most_states = std::numeric_limits<std::size_t>::max();
  };

  // Throws OutOfTime.
  Trellis(const NetGraph& graph, const Scaled& scaled, const std::vector<GroupId>& order, const Size& size,
          const Rules& rules, const Budget* budget = nullptr);

  bool too_large() const { return too_large_; }                 // then there are no layers
  const std::vector<Layer>& layers() const { return layers_; }  // one per group, and a last one without
  std::size_t state_count() const { return state_count_; }      // also of those made before it was too large
  const std::vector<NarrowedNet>& narrowed() const { return narrowed_; }
  const std::vector<PointId>& forgotten() const { return forgotten_; }

 private:
  void narrow_further(std::vector<NarrowedNet> more);
  void prune(Load limit, TimeWatch& watch);
  void list_entries(TimeWatch& watch);

  std::vector<Layer> layers_;
  std::vector<NarrowedNet> narrowed_;
  std::vector<PointId> forgotten_;
  std::size_t state_count_ = 0;
  bool too_large_ = false;
};

}  // namespace partita::detail
