// SPDX-License-Identifier: Apache-2.0
// Good free splits: the upper bound. Combines, over and over,
//  1. orders in which few nets are open at a time: on a plain platform cut by the linearised dynamic program
//  (linear.h),
//     which is at once good and optimal on some graphs; elsewhere dealt out to the devices in turn by what they can do;
//  2. annealing (free_anneal.h) from the best split, from others, or at random, as hot and as long as
//     anneal_schedule.h says;
//  3. re-splitting pairs of devices (pair_search.h), on the best split and on the one that annealing ended with, for a
//     fixed share of the time.
//
// On the paper's operator graphs steps 1 and 2 find the optimum; on its layer graphs, where nets are light and the
// question is rather one of packing, step 3 finds what annealing does not. What a load is, only Loads knows
// (sum_loads.h, part_loads.h).
//
// Deterministic for a seed and the ticks of the slices; no decision looks at a clock. A tick is roughly a quarter of a
// microsecond. Memory O(pins + devices) and the labels of step 3. Tests: tests/solve/free_search_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "partita/model/settings/free.h"
#include "partita/solve/free/anneal_schedule.h"
#include "partita/solve/free/dendrogram.h"
#include "partita/solve/free/free_anneal.h"
#include "partita/solve/free/pair_search.h"
#include "partita/util/budget.h"
#include "partita/util/dice.h"

namespace partita::detail {

template <class Loads>
class FreeSearch {
 public:
  // The instance must outlive the search.
  FreeSearch(const FreeInstance& instance, std::uint64_t seed, const FreeSettings& settings = {});

  // A split to begin with, or one found elsewhere meanwhile; ignored unless legal. Its value is computed here.
  void start_from(const FreeSplit& split);
  // Works until the slice ends or there is nothing left to do; continues where the last call stopped. True if the best
  // got better. Runs over the end of the slice by at most one order or pair.
  bool improve(Budget& slice);

  // Legal, with its exact value; the value is infinite while no legal split is known.
  const FreeSplit& best() const { return best_; }
  // Nothing can be gained by going on: no split exists, or the best meets a simple bound.
  bool finished() const { return finished_; }

 private:
  enum class Phase { Orders, Annealing, Pairs };
  enum class From { Other, Best, Random };

  bool offer(const IdVector<GroupId, DeviceId>& device_of);
  void settle_simple_cases();
  void make_simple_starts(const Budget& budget);
  void try_order(Budget& slice);
  void start_annealing(const Budget& budget);
  void anneal(Budget& slice);
  void end_annealing();
  void start_pairs();
  void try_pair(Budget& slice);
  From choose_start();
  const FreeSplit* other_split();
  IdVector<GroupId, DeviceId> random_start();
  IdVector<GroupId, DeviceId> packed_start(const Budget& budget) const;
  IdVector<GroupId, DeviceId> dealt_start(const Budget& budget);
  double scale() const;

  const FreeInstance& instance_;
  const NetGraph& graph_;
  const bool plain_;
  const FreeSettings settings_;
  std::vector<std::vector<std::size_t>> classes_for_;  // by group: those that may hold it
  Dice dice_;
  FreeSplit best_;
  FreeSplit best_linear_;          // the best of step 1 on a plain platform
  std::vector<FreeSplit> others_;  // legal splits that came from elsewhere
  bool finished_ = false;
  double simple_bound_ = 0;

  Phase phase_ = Phase::Orders;
  std::uint64_t order_ticks_ = 0;
  std::size_t orders_ = 0;

  FreeAnneal<Loads> annealer_;
  std::vector<Dendrogram> chunks_;
  AnnealSchedule schedule_;

  PairSearch<Loads> pairs_;
};

}  // namespace partita::detail
