// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/sets_climber.h"

#include "partita/reduce/shrink.h"
#include "partita/util/statistics.h"

namespace partita::detail {

void SetsClimber::Way::begin(double next) {
  limit = next;
  dose = removed = 0;
  bound.reset();
}

// Cases are for limits that the LP allows.
SetsClimber::Way& SetsClimber::next_way() {
  if (by_lp_.ladder.exhausted()) return by_cases_;
  if (by_cases_.ladder.exhausted() || !by_lp_.met_its_end) return by_lp_;
  cases_next_ = !cases_next_;
  return cases_next_ ? by_cases_ : by_lp_;
}

double SetsClimber::climb(const StageGraph& graph, double value, double bound, std::uint64_t ticks, Budget& budget) {
  Way& way = next_way();
  const double limit = way.ladder.next(value, bound, ticks);
  if (!(limit > 0)) return 0;
  Technique technique(budget, way.by_cases ? "staged.sets_by_cases" : "staged.convex_sets", "limits refuted");
  if (limit != way.limit) way.begin(limit);
  Budget slice(budget, ticks);
  const Refutation answer = ask(way, graph, slice);
  technique.yield(answer == Refutation::Refuted);
  switch (answer) {
    case Refutation::Refuted: way.ladder.refuted(); return limit;
    case Refutation::LpFeasible:
      way.ladder.impossible();
      way.met_its_end = true;
      break;
    case Refutation::Undecided: way.ladder.undecided(false); break;
  }
  return 0;
}

// Dose after dose, until one refutes the limit or the budget ends. Allowed only where the smallest dose allows it.
Refutation SetsClimber::ask(Way& way, const StageGraph& graph, Budget& budget) const {
  for (; way.dose < std::size(kShrinkDoses); ++way.dose, way.bound.reset()) {
    if (!way.bound) {
      const Refutation answer = prepare(way, graph, budget);
      if (answer == Refutation::Refuted) return answer;
      if (answer == Refutation::LpFeasible) continue;
    }
    const Refutation answer = way.by_cases ? way.bound->refute_by_cases(way.limit, budget)  //
                                           : way.bound->refute(way.limit, budget);
    if (answer != Refutation::LpFeasible) return answer;
  }
  return Refutation::LpFeasible;
}

// The graph of the dose, or what can be said without the LP. Refuted: by presolve. LpFeasible: the dose is the same as the
// last one. Undecided: ask the LP.
Refutation SetsClimber::prepare(Way& way, const StageGraph& graph, Budget& budget) const {
  const Threshold question{platform_, way.limit};
  const Shrunk<StageGraph> shrunk = shrink(graph, question, kShrinkDoses[way.dose], budget);
  if (way.dose > 0 && shrunk.removed.size() == way.removed) return Refutation::LpFeasible;
  way.removed = shrunk.removed.size();
  way.small = presolve(shrunk.changed() ? shrunk.graph : graph, question, options_.presolve, budget);
  if (way.small.infeasible || refuted_before_search(way.small, question, options_, budget)) return Refutation::Refuted;
  way.bound = std::make_unique<ConvexBound>(way.small.graph, platform_);
  return Refutation::Undecided;
}

}  // namespace partita::detail
