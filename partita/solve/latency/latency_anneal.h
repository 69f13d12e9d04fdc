// SPDX-License-Identifier: Apache-2.0
// Better splits for latency by simulated annealing [Kirkpatrick-Science'83].
//
// What is minimised is latency + a little of all blocks' times added up, which tells apart splits of equal latency, +
// prices for memory above the limits and for blocks in a circle. Moves that make a circle are refused once there is
// none. A proposal costs about what it changes (latency_value.h).
//
// Moves of groups, from one slot or the hosts to another: one group to a neighbour's place; the hull of a short walk,
// that is all groups between its ends, to an empty accelerator, to a host or to a neighbour; what lies above or below a
// group on its accelerator, to the next one, pushing out what no longer fits; two slots made one and cut again
// elsewhere; a group with some of its neighbours. Where accelerators run several subgraphs: what lies above or below a
// node in its subgraph goes to another slot of the accelerator, whatever becomes of its group; a group goes to two
// slots of an accelerator, its first nodes to the one that runs first; two slots change places. Walks and emptied
// accelerators are what wide graphs need: on the paper's Inception, without them, runs ended 1 to 7 % above the best
// known split. Tests: tests/solve/latency_search_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "partita/reduce/latency_instance.h"
#include "partita/solve/latency/latency_places.h"
#include "partita/util/bit_matrix.h"
#include "partita/util/budget.h"
#include "partita/util/dice.h"

namespace partita::detail {

struct LatencyAnnealOptions {
  std::uint64_t proposals = 100'000;
  double scale = 1;                  // about the latency to expect; positive
  double hot = 0.02, cold = 0.0003;  // first and last temperature, in scales
  double price = 0.5;                // in scales, for memory of one limit too much, or a block in a circle
  bool one_slot = false;             // of each accelerator; the start uses no other
};

// One run at a time, which may be interrupted and continued.
class LatencyAnneal {
 public:
  using Place = LatencyValue::Place;

  LatencyAnneal(const LatencyInstance& instance, Dice& dice);

  // Every node must stand where it can run, the nodes of a group on one device.
  void start(const IdVector<NodeId, Place>& place, const LatencyAnnealOptions& options);
  // True once the run has ended.
  bool advance(Budget& slice);

  // The best legal split of this run; infinite latency while there is none.
  double best_latency() const { return best_latency_; }
  const IdVector<NodeId, Place>& best() const { return best_; }

 private:
  static constexpr std::size_t kMostGroupsForHulls = 8192;

  void find_hulls();
  bool propose();
  double energy(const LatencyValue::Measure& m) const;
  void remember_best(double latency);
  const LatencyValue& value() const { return places_.value(); }
  Place place(GroupId g) const { return places_.place(g); }
  const std::vector<GroupId>& border() const { return places_.border(); }
  Place some_slot();
  Place empty_slot();
  Place other_slot(Place from);
  GroupId some_group();
  std::size_t most_in_cone();
  std::span<const GroupId> neighbours(GroupId g) const { return places_.neighbours(g); }
  std::span<const GroupId> next(GroupId g, bool down) const;

  bool move_group();
  bool move_hull();
  bool move_cone();
  bool merge_and_cut();
  bool move_with_neighbours();
  bool move_between_slots();
  bool scatter_group();
  bool swap_slots();

  void find_hull(GroupId from, GroupId to);
  bool find_cone(GroupId g, bool down);
  void clear_out(Place slot, bool into_neighbour);

  const LatencyInstance& instance_;
  Dice& dice_;
  LatencyPlaces places_;
  IdVector<NodeId, std::size_t> rank_;  // in a topological order
  BitMatrix below_, above_;  // by group: the groups on paths from it, to it, itself included; empty on large graphs

  LatencyAnnealOptions options_;
  IdVector<NodeId, Place> best_;
  double energy_ = 0, best_latency_;
  bool in_circle_ = false;
  std::uint64_t done_ = 0;

  std::vector<GroupId> found_;  // what find_hull or find_cone found
  std::vector<GroupId> taken_;
  std::vector<NodeId> found_nodes_;
  std::vector<std::uint32_t> mark_, node_mark_;
  std::uint32_t marked_ = 0;
};

}  // namespace partita::detail
