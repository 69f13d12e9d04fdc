// SPDX-License-Identifier: Apache-2.0
// Good splits for latency: the upper bound. First segments of random orders (latency_segments.h), then annealing
// (latency_anneal.h), over and over: mostly from the best split, one run in four from one of the good segmentations;
// runs are short at first and grow, and their first temperatures take turns, since a graph may want either. Where
// accelerators may run several subgraphs, one run in four uses one each, half of those from the best such split.
//
// Deterministic for a seed and the ticks of the slices; no decision looks at a clock. Tests:
// tests/solve/latency_search_test.cpp.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "partita/model/settings/latency.h"
#include "partita/reduce/latency_instance.h"
#include "partita/solve/latency/latency_anneal.h"
#include "partita/solve/latency/latency_fan.h"
#include "partita/solve/latency/latency_segments.h"
#include "partita/util/budget.h"
#include "partita/util/dice.h"

namespace partita::detail {

class LatencySearch {
 public:
  using Place = LatencyValue::Place;

  // The instance must outlive the search.
  LatencySearch(const LatencyInstance& instance, std::uint64_t seed, const LatencySettings& settings = {});

  // Works until the slice ends or there is nothing left to do; continues where the last call stopped. True if the best
  // got better. Runs over the end of the slice by at most one order.
  bool improve(Budget& slice);
  // A split found elsewhere; taken if it is legal and better. Its value is not looked at.
  bool offer(const LatencySplit& split);
  // One that may be neither, but is worth to begin with: the next run does.
  bool suggest(const LatencySplit& split, Budget& budget);

  // Legal, with its exact value; the value is infinite while no legal split is known.
  const LatencySplit& best() const { return best_; }
  // False if there are so many that it leaves some empty.
  bool uses_all_accelerators() const { return value_.accelerators() == instance_.accelerators(); }
  // There is nothing to choose.
  bool finished() const { return finished_; }

 private:
  using Places = IdVector<NodeId, Place>;
  struct Seed {
    double latency;
    Places place;
  };

  std::optional<Places> places(const LatencySplit& split) const;
  bool take(const Places& place);
  void try_simple_splits();
  LatencySplit mostly_on(std::size_t device_class) const;
  void try_order(Budget& slice);
  void anneal(Budget& slice);
  void start_annealing();
  void end_annealing();
  bool improve_suggestion(Places place, Budget& budget);
  void spread_branches(Budget& slice);
  void begin_to_spread();
  double scale() const;

  const LatencyInstance& instance_;
  const LatencySettings settings_;
  Dice dice_;
  LatencyValue value_;
  LatencySegments segments_;
  LatencyAnneal annealer_;
  LatencyFan fan_;
  bool spreading_ = false;
  double spread_ = std::numeric_limits<double>::infinity();  // the value of the split whose branches were spread last
  LatencySplit best_;
  Places best_place_, best_in_one_slot_;
  double best_value_in_one_slot_;
  std::vector<Seed> seeds_;  // the best few segmentations, best first
  Places suggested_;         // to begin the next run with, unless empty
  Places rough_start_;       // where memory stands in the way of segments
  bool finished_ = false, annealing_ = false, in_one_slot_ = false;
  std::size_t orders_ = 0, runs_ = 0;
  std::uint64_t order_ticks_ = 0, run_length_;
  double price_ = 0.5;
};

}  // namespace partita::detail
