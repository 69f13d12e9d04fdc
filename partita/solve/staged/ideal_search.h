// SPDX-License-Identifier: Apache-2.0
// The exact dynamic program over ideals, as a question: is there a staged split with every load within the limits?
//
// Level (c, f) holds the ideals that c hosts and f accelerators can hold together. Each level is made from those with
// one device fewer by StageEnumerator, which walks only over stages that fit the limits and the windows; the search
// itself knows of no loads, so it is the same for one limit and for a limit on each pass. An ideal is kept at a level
// only if no level with at most as many devices of each kind has it. With ideals come their parents, so a split is read
// off backwards. Compared with the published program [the paper, section 5.1.1] there is no table of all ideals and no
// loop over pairs; what is enumerated depends on how tight the limit is, and the limits asked for are the tight ones.
// Tests: tests/solve/ideal_search_test.cpp, tests/solve/gpipe_search_test.cpp, tests/property.
#pragma once

#include "partita/reduce/windows.h"
#include "partita/solve/staged/staged_split.h"
#include "partita/util/budget.h"

namespace partita::detail {

enum class Answer { Yes, No, Unknown };

struct SearchResult {
  Answer answer = Answer::Unknown;
  StagedSplit split;           // if Yes; its value is the largest load of the whole
  bool out_of_memory = false;  // if Unknown: more time would not help
  std::uint64_t ideals = 0;    // kept
  std::uint64_t visited = 0;   // steps of the walks
};

// `Graphs` is a StageGraph or PassGraphs. Preconditions: they have a closure; costs should be capped (cap_costs).
// `known` are windows of the graphs that somebody has built for this question already; the others are built here.
// Unknown when the budget (time, ticks or memory) ends first.
template <class Graphs>
SearchResult search_ideals(const Graphs& graphs, const QuestionOf<Graphs>& question, int window_buckets,
                           ViewPlaces<Graphs> known, Budget& budget);

// The same from scratch: caps costs and builds all windows.
template <class Graphs>
SearchResult search_ideals(Graphs graphs, const QuestionOf<Graphs>& question, int window_buckets, Budget& budget) {
  cap_costs(graphs, question);
  return search_ideals(graphs, question, window_buckets, ViewPlaces<Graphs>{}, budget);
}

}  // namespace partita::detail
