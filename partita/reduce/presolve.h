// SPDX-License-Identifier: Apache-2.0
// Makes the graph smaller without losing a split within the limits: joins groups that some best split keeps together.
// The rules are in presolve/, one file each, with its proof. Every one is a contraction, so undoing is a look-up.
//
// `Graphs` is a StageGraph, with one limit, or PassGraphs, with a limit on each pass and on both together. The rules
// that speak of every split within a limit (unaffordable pairs and cuts, windows) look at each view by itself: a split
// within all limits is within each. The one rule that argues by exchange (cheap neighbour) joins only where its test
// holds in each pass, so that an exchange raises no load in any, nor in both together.
// Tests: tests/reduce/presolve_test.cpp, tests/solve/gpipe_search_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "partita/model/settings/presolve.h"
#include "partita/reduce/windows.h"
#include "partita/util/budget.h"

namespace partita::detail {

// What one rule removed, for people to read.
struct RuleCount {
  std::string rule;
  std::size_t groups_removed = 0;
};

// What a call takes, for who takes turns with something else: about as long as so many ticks of a search.
inline constexpr std::uint64_t kPresolveTicksPerGroup = 300;

template <class Graphs>
struct Presolved {
  Graphs graph;             // with capped costs
  Lift lift;                // from the graph given
  bool infeasible = false;  // proved: no split within the limits
  std::vector<RuleCount> rules;
  // Windows of the finest buckets, where the last look through them joined nothing: then they are windows of `graph`.
  ViewPlaces<Graphs> places;
};

// If a split of `graph` within the limits exists, so does one of the result, and the lift of that one is within the
// limits. Ends early, with what it has, when the budget does.
template <class Graphs>
Presolved<Graphs> presolve(const Graphs& graph, const QuestionOf<Graphs>& question, const PresolveSettings& options,
                           const Budget& budget);

}  // namespace partita::detail
