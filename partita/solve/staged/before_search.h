// SPDX-License-Identifier: Apache-2.0
// What looks at a presolved graph before the search over ideals does, the cheap ones first: the boundaries of stages
// (reduce/boundary/), so far. Each may refute the limit or make the graph smaller; the graph may be the one that was
// asked about or a shrunk one, whole or in a host case. All of it is dearer than a search that ends soon, so it comes
// only once a search did not, and for as long as it does something (SearchHistory).
#pragma once

#include <cstddef>
#include <map>

#include "partita/model/settings/presolve.h"
#include "partita/model/settings/staged.h"
#include "partita/reduce/presolve.h"
#include "partita/util/budget.h"

namespace partita::detail {

// Looks at the boundaries of graphs of one kind. With each one more that was in vain in a row, twice as many graphs are
// passed over before the next. [bart, training, an encoder and a decoder: small graphs lose a quarter of their groups, and
// larger ones, whose looks took half of a minute, none.]
class BoundaryLooks {
 public:
  bool next_is_due();
  void tell(bool in_vain);

 private:
  int in_vain_ = 0, passed_over_ = 0;
};

// What the questions asked so far have shown; one solver's questions share it.
struct SearchHistory {
  bool undecided = false;                           // a search was
  std::map<std::size_t, BoundaryLooks> looks = {};  // by the kind of graph: how it was made
};

struct LimitOptions {
  StagedSettings settings = {};
  PresolveSettings presolve = {};
  SearchHistory* history = nullptr;  // without one, boundaries are not looked at
};

// True: no split of the graph is within the limits. Never says so just because the budget ended. Joins keep the promise
// of presolve, and `small.lift` follows them.
template <class Graphs>  // StageGraph or PassGraphs
bool refuted_before_search(Presolved<Graphs>& small, std::size_t kind, const QuestionOf<Graphs>& question,
                           const LimitOptions& options, Budget& budget);

}  // namespace partita::detail
