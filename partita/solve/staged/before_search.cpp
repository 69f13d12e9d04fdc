// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/before_search.h"

#include <algorithm>

#include "partita/reduce/boundary/boundary_presolve.h"

namespace partita::detail {
namespace {

constexpr int kFreeLooks = 2, kMostDoublings = 20;
constexpr std::size_t kWorthALook = 25;  // in vain if it took away less than one group in so many

}  // namespace

bool BoundaryLooks::next_is_due() {
  const int doublings = std::min(in_vain_ - kFreeLooks, kMostDoublings);
  if (doublings < 0 || passed_over_ >= 1 << doublings) return true;
  ++passed_over_;
  return false;
}

void BoundaryLooks::tell(bool in_vain) {
  in_vain_ = in_vain ? in_vain_ + 1 : 0;
  passed_over_ = 0;
}

template <class Graphs>
bool refuted_before_search(Presolved<Graphs>& small, std::size_t kind, const QuestionOf<Graphs>& question,
                           const LimitOptions& options, Budget& budget) {
  if (some_group_fits_nowhere(small.graph, question)) return true;
  if (!options.settings.boundaries || !options.history || !options.history->undecided) return false;
  BoundaryLooks& looks = options.history->looks[kind];
  if (!looks.next_is_due()) return false;
  const std::size_t before = small.graph.size();
  Budget half(budget, budget.limits().ticks / 2);  // the rest is for the search
  presolve_by_boundaries(small, question, options.presolve, {}, half);
  if (small.infeasible || some_group_fits_nowhere(small.graph, question)) return true;
  looks.tell(small.graph.size() > before - before / kWorthALook);
  return false;
}
template bool refuted_before_search(Presolved<StageGraph>&, std::size_t, const Threshold&, const LimitOptions&,
                                    Budget&);
template bool refuted_before_search(Presolved<PassGraphs>&, std::size_t, const PassQuestion&, const LimitOptions&,
                                    Budget&);

}  // namespace partita::detail
