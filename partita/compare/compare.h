// SPDX-License-Identifier: Apache-2.0
// Several algorithms on one problem, one after the other.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "partita/compare/algorithms.h"
#include "partita/model/comparison.h"
#include "partita/util/budget.h"

namespace partita {

struct CompareOptions {
  AlgorithmOptions algorithm;
  std::vector<std::string> algorithms;                       // by name, in this order; empty: all that apply
  double seconds = std::numeric_limits<double>::infinity();  // for each algorithm
};

// What a comparison tells while it runs.
struct CompareWatcher {
  std::function<void(const AlgorithmEntry& algorithm, std::size_t place, std::size_t count)> begins;
  Sink progress;  // of the algorithm that runs; its seconds are those of the whole budget
  std::function<void(const AlgorithmRun& run)> ended;
};

// One run for each algorithm; where none are named, those for the objective that are left out come last, as not
// applicable. Algorithms not begun when the budget ends are Interrupted. Throws InputError(Usage) for a name that is
// none, and std::logic_error where a legal split is below a bound that another algorithm proved: one of the two is
// wrong.
Comparison compare(const Problem& problem, const CompareOptions& options, Budget& budget,
                   const CompareWatcher& watcher = {});

}  // namespace partita
