// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/sets_climber.h"

#include <algorithm>
#include <limits>

#include "partita/solve/staged/linear.h"
#include "partita/solve/staged/orders.h"
#include "partita/util/statistics.h"

namespace partita::detail {
namespace {

// Graphs without light groups of the spine decide soon, if at all, or are not worth having.
constexpr std::uint64_t kSpineTicks = 1'500'000;
constexpr double kMuchSmaller = 0.7;
constexpr double kWorthRemaking = 0.85;  // of the limit that a graph was made for; lower ones have much smaller graphs
constexpr double kNearlyRefutes = 0.9, kALittleLower = 0.999;  // the ladder doubles the step

// Prices that nearly refute a limit refute one that is a little lower.
double next_likely(double limit, double shortfall) {
  return shortfall > kNearlyRefutes && shortfall <= 1 ? limit * kALittleLower : likely_limit(limit, shortfall);
}

// Whether much more is removed than without the spine.
bool worth_its_spine(const StageGraph& graph, const Threshold& question, const Shrunk<StageGraph>& shrunk,
                     Budget& budget) {
  const Shrunk<StageGraph> with_spine = shrink(graph, question, {kConvexDoses[0].floaters}, budget);
  return static_cast<double>(shrunk.graph.size()) < kMuchSmaller * static_cast<double>(with_spine.graph.size());
}

}  // namespace

void SetsClimber::Way::begin(double next) {
  const bool smaller_dose_may_do = std::any_of(
      allowed_from.begin(), allowed_from.begin() + static_cast<std::ptrdiff_t>(std::min(dose, allowed_from.size())),
      [&](double allowed) { return next < allowed; });
  const bool keep = next <= made_for && next > made_for * kWorthRemaking && !smaller_dose_may_do;
  const bool same_graph = bound && (keep || (ladder.is_likely() && next < limit));
  limit = next;
  if (same_graph) return;
  dose = 0;
  made.reset();
  bound.reset();
}

std::array<double, std::size(kConvexDoses)> SetsClimber::Way::no_limits() {
  std::array<double, std::size(kConvexDoses)> none;
  none.fill(std::numeric_limits<double>::infinity());
  return none;
}

// Cases are for limits that the LP allows.
SetsClimber::Way& SetsClimber::next_way(double value, double bound) {
  if (by_lp_.ladder.exhausted(value, bound)) return by_cases_;
  if (by_cases_.ladder.exhausted(value, bound) || !by_lp_.met_its_end) return by_lp_;
  cases_next_ = !cases_next_;
  return cases_next_ ? by_cases_ : by_lp_;
}

double SetsClimber::climb(const StageGraph& graph, double value, double bound, std::uint64_t ticks, Budget& budget) {
  Way& way = next_way(value, bound);
  const double limit = way.ladder.next(value, bound, ticks);
  if (!(limit > 0)) return 0;
  Technique technique(budget, way.by_cases ? "staged.sets_by_cases" : "staged.convex_sets", "limits refuted");
  if (limit != way.limit) way.begin(limit);
  Budget slice(budget, ticks);
  const Refutation answer = ask(way, graph, slice);
  technique.yield(answer == Refutation::Refuted);
  switch (answer) {
    case Refutation::Refuted:
      way.ladder.refuted(way.bound ? likely_limit_above(limit, way.bound->shortfall()) : 0);
      return limit;
    case Refutation::LpFeasible:
      way.ladder.impossible();
      way.met_its_end = true;
      break;
    case Refutation::Undecided:
      way.ladder.undecided(false, way.by_cases || !way.bound ? 0 : next_likely(limit, way.bound->shortfall()));
      break;
  }
  return 0;
}

// Dose after dose, until one refutes the limit or the budget ends. Allowed only where the smallest dose allows it.
Refutation SetsClimber::ask(Way& way, const StageGraph& graph, Budget& budget) const {
  for (; way.dose < std::size(kConvexDoses); ++way.dose, way.bound.reset()) {
    double& allowed_from = way.allowed_from[way.dose];
    if (way.limit >= allowed_from) continue;
    if (!way.bound) {
      const Refutation answer = prepare(way, graph, budget);
      if (answer == Refutation::Refuted) return answer;
      if (answer == Refutation::LpFeasible) continue;
      if (has_split_within(way.small.graph, way.limit, budget)) {
        allowed_from = way.limit;
        continue;
      }
    }
    const bool hurried = kConvexDoses[way.dose].takes_of_spine();
    Budget turn(budget, hurried ? kSpineTicks : budget.limits().ticks);
    const Refutation answer = way.by_cases ? way.bound->refute_by_cases(way.limit, turn)  //
                                           : way.bound->refute(way.limit, turn);
    if (answer == Refutation::Refuted || (answer == Refutation::Undecided && (!hurried || budget.exhausted())))
      return answer;
    allowed_from = way.limit;
  }
  return Refutation::LpFeasible;
}

// The graph of the dose, or what can be said without the LP. Refuted: by presolve. LpFeasible: the dose is the same as the
// last one. Undecided: ask the LP.
Refutation SetsClimber::prepare(Way& way, const StageGraph& graph, Budget& budget) const {
  const Threshold question{platform_, way.limit};
  const ShrinkDose& dose = kConvexDoses[way.dose];
  const Shrunk<StageGraph> shrunk = shrink(graph, question, dose, budget);
  const std::pair made(shrunk.removed.size(), shrunk.graph.net_count());
  if (way.made == made || (dose.takes_of_spine() && !worth_its_spine(graph, question, shrunk, budget)))
    return Refutation::LpFeasible;
  way.made = made;
  budget.spend(kPresolveTicksPerGroup * shrunk.graph.size());
  way.small = presolve(shrunk.changed() ? shrunk.graph : graph, question, options_.presolve, budget);
  if (way.small.infeasible || refuted_before_search(way.small, way.dose, question, options_, budget))
    return Refutation::Refuted;
  way.made_for = way.limit;
  way.bound = std::make_unique<ConvexBound>(way.small.graph, platform_);
  way.bound->suggest_orders({file_order(way.small.graph), late_order(way.small.graph)});
  return Refutation::Undecided;
}

// As far as the linearised DP can tell at once. A shrunk graph may lose so much that no bound of it reaches the limit.
bool SetsClimber::has_split_within(const StageGraph& graph, double limit, Budget& budget) const {
  for (const std::vector<GroupId>& order : {file_order(graph), late_order(graph)}) {
    std::uint64_t steps = 0;
    const bool found = linear_split(graph, platform_, order, {.below = limit, .steps = &steps}, budget).has_value();
    budget.spend(steps / kIntervalStepsPerTick);
    if (found) return true;
  }
  return false;
}

}  // namespace partita::detail
