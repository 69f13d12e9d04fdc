// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/sets_climber.h"

#include "partita/reduce/shrink.h"
#include "partita/util/statistics.h"

namespace partita::detail {

double SetsClimber::climb(const StageGraph& graph, double value, double bound, std::uint64_t ticks, Budget& budget) {
  const double limit = ladder_.next(value, bound, ticks);
  if (!(limit > 0)) return 0;
  Technique technique(budget, "staged.convex_sets", "limits refuted");
  if (limit != at_.limit) at_ = {.limit = limit, .small = {}, .lp = {}};
  Budget slice(budget, ticks);
  const Refutation answer = ask(graph, slice);
  technique.yield(answer == Refutation::Refuted);
  switch (answer) {
    case Refutation::Refuted: ladder_.refuted(); return limit;
    case Refutation::LpFeasible: ladder_.impossible(); break;
    case Refutation::Undecided: ladder_.undecided(false); break;
  }
  return 0;
}

// Dose after dose, until one refutes the limit or the budget ends. Allowed only where the graph without any loss allows it.
Refutation SetsClimber::ask(const StageGraph& graph, Budget& budget) {
  for (; at_.dose < std::size(kShrinkDoses); ++at_.dose, at_.lp.reset()) {
    if (!at_.lp) {
      const Refutation answer = prepare(graph, budget);
      if (answer == Refutation::Refuted) return answer;
      if (answer == Refutation::LpFeasible) continue;
    }
    const Refutation answer = at_.lp->refute(at_.limit, budget);
    if (answer != Refutation::LpFeasible) return answer;
  }
  return Refutation::LpFeasible;
}

// The graph of the dose, or what can be said without the LP. Refuted: by presolve. LpFeasible: the dose is the same as the
// last one. Undecided: ask the LP.
Refutation SetsClimber::prepare(const StageGraph& graph, Budget& budget) {
  const Threshold question{platform_, at_.limit};
  const Shrunk<StageGraph> shrunk = shrink(graph, question, kShrinkDoses[at_.dose], budget);
  if (at_.dose > 0 && shrunk.removed.size() == at_.removed) return Refutation::LpFeasible;
  at_.removed = shrunk.removed.size();
  at_.small = presolve(shrunk.graph, question, options_.presolve, budget);
  if (at_.small.infeasible || some_group_fits_nowhere(at_.small.graph, question)) return Refutation::Refuted;
  at_.lp = std::make_unique<ConvexBound>(at_.small.graph, platform_);
  return Refutation::Undecided;
}

}  // namespace partita::detail
