// SPDX-License-Identifier: Apache-2.0
// The exact dynamic program over ideals, as a question: is there a staged split with every load at most `limit`?
//
// Level (c, f) holds the ideals that c hosts and f accelerators can hold together. Each level is made from those with
// one device fewer by StageEnumerator, which walks only over stages that fit the limit and the windows. An ideal is
// kept at a level only if no level with at most as many devices of each kind has it. With ideals come their parents, so
// a split is read off backwards. Compared with the published program [the paper, section 5.1.1] there is no table of
// all ideals and no loop over pairs; what is enumerated depends on how tight the limit is, and the limits asked for are
// the tight ones. Tests: tests/solve/ideal_search_test.cpp, tests/property.
#pragma once

#include <optional>
#include <vector>

#include "partita/reduce/windows.h"
#include "partita/solve/staged/ideal_table.h"
#include "partita/solve/staged/stage_source.h"
#include "partita/solve/staged/staged_split.h"
#include "partita/util/budget.h"

namespace partita {

enum class Answer { Yes, No, Unknown };

struct SearchResult {
  Answer answer = Answer::Unknown;
  StagedSplit split;           // if Yes
  bool out_of_memory = false;  // if Unknown: more time would not help
  std::uint64_t ideals = 0;    // kept
  std::uint64_t visited = 0;   // steps of the walks
};

// Precondition: graph.has_closure(). Unknown when the budget (time, ticks or memory) ends first.
SearchResult search_ideals(const StageGraph& graph, const Threshold& question, int window_buckets, Budget& budget);

// The same for whatever load the source knows of. `table` is empty, and the source's own. The question tells the
// devices and their order only; the split's value is the largest load in `graph`.
SearchResult search_ideals(const StageGraph& graph, const Threshold& question, IdealTable& table, StageSource& source,
                           Budget& budget);

}  // namespace partita
