// SPDX-License-Identifier: Apache-2.0
// Good free splits over a fleet: the upper bound. Annealing (free/free_anneal.h) from the best split, from others that
// the caller knows, and from random ones, as hot and as long as free/anneal_schedule.h says. Two starts of its own make
// sure that there is something to begin with: groups packed by memory, and a low-frontier order dealt out to the
// devices in turn by what they can do.
//
// Deterministic for a seed and the ticks of the slices. A tick is roughly a quarter of a microsecond. Memory O(pins +
// devices). Tests: tests/portfolio/fleet_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "partita/solve/free/anneal_schedule.h"
#include "partita/solve/free/dendrogram.h"
#include "partita/solve/free/free_anneal.h"
#include "partita/solve/free/pair_search.h"
#include "partita/util/budget.h"
#include "partita/util/dice.h"

namespace partita {

class FleetSearch {
 public:
  // The instance must outlive the search.
  FleetSearch(const FleetInstance& instance, std::uint64_t seed, const Budget* budget = nullptr);

  // A split to begin with, or one found elsewhere meanwhile; ignored unless legal.
  void start_from(const FreeSplit& split);
  // Works until the slice ends or there is nothing left to do; continues where the last call stopped. True if the best
  // got better.
  bool improve(Budget& slice);

  // Legal, with its exact value; the value is infinite while no legal split is known.
  const FreeSplit& best() const { return best_; }
  // Nothing can be gained by going on: there is nothing to choose, or no device holds some group.
  bool finished() const { return finished_; }

 private:
  bool offer(const IdVector<GroupId, DeviceId>& device_of);
  void start_run(const Budget& budget);
  void end_run();
  void try_pair(Budget& slice);
  IdVector<GroupId, DeviceId> random_start();
  IdVector<GroupId, DeviceId> packed_start(const Budget* budget) const;
  IdVector<GroupId, DeviceId> dealt_start(const Budget* budget);
  std::vector<std::vector<std::size_t>> classes_for_groups() const;
  double scale() const;

  const NetGraph& graph_;
  const Fleet& fleet_;
  const std::vector<std::vector<std::size_t>> classes_for_;  // by group: those that may hold it
  Dice dice_;
  FreeSplit best_;
  std::vector<FreeSplit> others_;  // legal splits that came from elsewhere
  bool finished_ = false;

  FleetAnneal annealer_;
  std::vector<Dendrogram> chunks_;
  AnnealSchedule schedule_;
  PairSearch<FleetLoads> pairs_;
  enum class Phase { Nothing, Annealing, Pairs } phase_ = Phase::Nothing;
};

}  // namespace partita
