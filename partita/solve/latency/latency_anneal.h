// SPDX-License-Identifier: Apache-2.0
// Better splits for latency by simulated annealing [Kirkpatrick-Science'83].
//
// What is minimised is latency + a little of all blocks' times added up, which tells apart splits of equal latency, +
// prices for memory above the limits and for blocks in a circle. Moves that make a circle are refused once there is
// none. Every proposal is measured in full (latency_value.h).
//
// Moves, all of groups: one group to a neighbour's place; the hull of a short walk, that is all groups between its
// ends, to an empty accelerator, to a host or to a neighbour; what lies above or below a group on its accelerator, to
// the next one, pushing out what no longer fits; two accelerators made one and cut again elsewhere; a group with some
// of its neighbours. Walks and emptied accelerators are what wide graphs need: on the paper's Inception, without them,
// runs ended 1 to 7 % above the best known split. Tests: tests/solve/latency_search_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "partita/reduce/latency_instance.h"
#include "partita/solve/latency/latency_value.h"
#include "partita/solve/throughput/free/dice.h"
#include "partita/util/bit_matrix.h"
#include "partita/util/budget.h"

namespace partita {

struct LatencyAnnealOptions {
  std::uint64_t proposals = 100'000;
  double scale = 1;                  // about the latency to expect; positive
  double hot = 0.02, cold = 0.0003;  // first and last temperature, in scales
  double price = 0.5;                // in scales, for memory of one limit too much, or a block in a circle
};

// One run at a time, which may be interrupted and continued.
class LatencyAnneal {
 public:
  using Place = LatencyValue::Place;

  LatencyAnneal(const LatencyInstance& instance, Dice& dice);

  // Every group must stand where it can run.
  void start(const std::vector<Place>& place, const LatencyAnnealOptions& options);
  // True once the run has ended.
  bool advance(Budget& slice);

  // The best legal split of this run; infinite latency while there is none.
  double best_latency() const { return best_latency_; }
  const std::vector<Place>& best() const { return best_; }

 private:
  static constexpr std::size_t kMostGroupsForHulls = 8192;

  void find_hulls();
  bool propose();
  double energy(const LatencyValue::Measure& m) const;
  void set(GroupId g, Place to);
  bool can_be(GroupId g, Place to) const;
  Place place(GroupId g) const { return place_[g.index()]; }
  Place some_accelerator() { return static_cast<Place>(dice_.below(static_cast<std::size_t>(value_.host()))); }
  Place empty_accelerator();
  GroupId some_group() { return GroupId(dice_.below(place_.size())); }
  std::span<const GroupId> neighbours(GroupId g) const { return neighbours_[g]; }
  std::span<const GroupId> next(GroupId g, bool down) const;

  bool move_group();
  bool move_hull();
  bool move_cone();
  bool merge_and_cut();
  bool move_with_neighbours();

  void find_hull(GroupId from, GroupId to);
  void find_cone(GroupId g, bool down);
  void clear_out(Place accelerator, bool into_neighbour);

  const LatencyInstance& instance_;
  Dice& dice_;
  LatencyValue value_;
  Csr<GroupId, GroupId> neighbours_;
  BitMatrix below_, above_;  // by group: the groups on paths from it, to it, itself included; empty on large graphs

  LatencyAnnealOptions options_;
  std::vector<Place> place_, best_;
  double energy_ = 0, best_latency_;
  bool in_circle_ = false;
  std::uint64_t done_ = 0;
  std::uint64_t ticks_per_proposal_;

  std::vector<std::pair<GroupId, Place>> undo_;
  std::vector<GroupId> found_;  // what find_hull or find_cone found
  std::vector<std::uint32_t> mark_;
  std::uint32_t marked_ = 0;
  std::vector<std::uint32_t> held_;
};

}  // namespace partita
