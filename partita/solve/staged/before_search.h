// SPDX-License-Identifier: Apache-2.0
// What looks at a presolved graph before the search over ideals does, the cheap ones first: the boundaries of stages
// (reduce/boundary/), so far. Each may refute the limit or make the graph smaller; the graph may be the one that was
// asked about or a shrunk one, whole or in a host case. All of it is dearer than a search that ends soon, so it comes
// only once a search did not, and for as long as it does something (SearchHistory).
#pragma once

#include "partita/model/settings/presolve.h"
#include "partita/model/settings/staged.h"
#include "partita/reduce/presolve.h"
#include "partita/util/budget.h"

namespace partita::detail {

// What the questions asked so far have shown; one solver's questions share it.
struct SearchHistory {
  bool undecided = false;  // a search was
  int looks_in_vain = 0;   // at boundaries, in a row
};

struct LimitOptions {
  StagedSettings settings = {};
  PresolveSettings presolve = {};
  SearchHistory* history = nullptr;  // without one, boundaries are not looked at
};

// True: no split of the graph is within the limits. Never says so just because the budget ended. Joins keep the promise
// of presolve, and `small.lift` follows them.
template <class Graphs>  // StageGraph or PassGraphs
bool refuted_before_search(Presolved<Graphs>& small, const QuestionOf<Graphs>& question, const LimitOptions& options,
                           Budget& budget);

}  // namespace partita::detail
