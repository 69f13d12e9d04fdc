// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/before_search.h"

#include "partita/reduce/boundary/boundary_presolve.h"

namespace partita::detail {
namespace {

constexpr int kMostLooksInVain = 12;
constexpr std::size_t kWorthALook = 25;  // in vain if it took away less than one group in so many

}  // namespace

template <class Graphs>
bool refuted_before_search(Presolved<Graphs>& small, const QuestionOf<Graphs>& question, const LimitOptions& options,
                           Budget& budget) {
  if (some_group_fits_nowhere(small.graph, question)) return true;
  SearchHistory* const history = options.history;
  if (!options.settings.boundaries || !history || !history->undecided || history->looks_in_vain >= kMostLooksInVain)
    return false;
  const std::size_t before = small.graph.size();
  Budget half(budget, budget.limits().ticks / 2);  // the rest is for the search
  presolve_by_boundaries(small, question, options.presolve, {}, half);
  if (small.infeasible || some_group_fits_nowhere(small.graph, question)) return true;
  const bool in_vain = small.graph.size() > before - before / kWorthALook;
  history->looks_in_vain = in_vain ? history->looks_in_vain + 1 : 0;
  return false;
}
template bool refuted_before_search(Presolved<StageGraph>&, const Threshold&, const LimitOptions&, Budget&);
template bool refuted_before_search(Presolved<PassGraphs>&, const PassQuestion&, const LimitOptions&, Budget&);

}  // namespace partita::detail
