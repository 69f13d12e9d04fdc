// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/before_search.h"

#include "partita/reduce/boundary/boundary_presolve.h"

namespace partita::detail {

template <class Graphs>
bool refuted_before_search(Presolved<Graphs>& small, const QuestionOf<Graphs>& question, const LimitOptions& options,
                           Budget& budget) {
  if (some_group_fits_nowhere(small.graph, question)) return true;
  if (!options.hard || !options.settings.boundaries) return false;
  Budget half(budget, budget.limits().ticks / 2);  // the rest is for the search
  presolve_by_boundaries(small, question, options.presolve, {}, half);
  return small.infeasible || some_group_fits_nowhere(small.graph, question);
}
template bool refuted_before_search(Presolved<StageGraph>&, const Threshold&, const LimitOptions&, Budget&);
template bool refuted_before_search(Presolved<PassGraphs>&, const PassQuestion&, const LimitOptions&, Budget&);

}  // namespace partita::detail
