// SPDX-License-Identifier: Apache-2.0
// How the next run of annealing should be: how hot, and how long.
//
// Which temperature is right differs from graph to graph, so ranges of them compete. Each is tried twice; then half of
// the runs go to the range whose runs ended best, the rest are shared out evenly. Runs are short at first and grow.
// More groups are lighter ones, so with them temperatures go down and powers up. Tests:
// tests/solve/free_search_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "partita/solve/free/free_anneal.h"
#include "partita/util/dice.h"

namespace partita::detail {

class AnnealSchedule {
 public:
  explicit AnnealSchedule(std::size_t groups);

  // Decides on the range for the next run.
  void choose(Dice& dice);
  // The run, with a temperature from the range.
  FreeAnnealOptions options(double scale, Dice& dice) const;
  // The run has ended with this value, infinite if nothing legal was met.
  void ended(double value);

  std::size_t runs() const { return runs_; }                // that have ended
  std::uint64_t run_length() const { return run_length_; }  // proposals
  bool coldest() const { return arm_ == 0; }                // too cold to get anywhere from a random start
  bool too_short_for_random() const;                        // and so are short runs
  double cooling() const;

 private:
  // A range of first temperatures and how well its runs did.
  struct Arm {
    double coolest, hottest;
    double score;
  };

  const std::size_t groups_;
  std::vector<Arm> arms_;
  std::size_t arm_ = 0, runs_ = 0;
  std::uint64_t run_length_;
  double memory_price_ = 2;
};

}  // namespace partita::detail
