// SPDX-License-Identifier: Apache-2.0
// Good splits for latency: the upper bound. First segments of random orders (latency_segments.h), then annealing
// (latency_anneal.h), over and over: mostly from the best split, one run in four from one of the good segmentations;
// runs are short at first and grow, and their first temperatures take turns, since a graph may want either.
//
// Deterministic for a seed and the ticks of the slices; no decision looks at a clock. Tests:
// tests/solve/latency_search_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "partita/reduce/latency_instance.h"
#include "partita/solve/latency/latency_anneal.h"
#include "partita/solve/latency/latency_segments.h"
#include "partita/solve/throughput/free/dice.h"
#include "partita/util/budget.h"

namespace partita {

class LatencySearch {
 public:
  using Place = LatencyValue::Place;

  // The instance must outlive the search.
  LatencySearch(const LatencyInstance& instance, std::uint64_t seed);

  // Works until the slice ends or there is nothing left to do; continues where the last call stopped. True if the best
  // got better. Runs over the end of the slice by at most one order.
  bool improve(Budget& slice);
  // A split found elsewhere; taken if it is legal and better.
  bool offer(const std::vector<Place>& place);

  // Legal, with its exact value; the value is infinite while no legal split is known.
  const LatencySplit& best() const { return best_; }
  // There is nothing to choose.
  bool finished() const { return finished_; }

 private:
  struct Seed {
    double latency;
    std::vector<Place> place;
  };

  void try_simple_splits();
  void try_order(Budget& slice);
  void start_annealing();
  void end_annealing();
  double scale() const;

  const LatencyInstance& instance_;
  Dice dice_;
  LatencyValue value_;
  LatencySegments segments_;
  LatencyAnneal annealer_;
  LatencySplit best_;
  std::vector<Place> best_place_;
  std::vector<Seed> seeds_;         // the best few segmentations, best first
  std::vector<Place> rough_start_;  // where memory stands in the way of segments
  bool finished_ = false, annealing_ = false;
  std::size_t orders_ = 0, runs_ = 0;
  std::uint64_t order_ticks_ = 0, run_length_;
  double price_ = 0.5;
};

}  // namespace partita
