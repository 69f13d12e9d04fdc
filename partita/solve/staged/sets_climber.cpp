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
constexpr double kLosesLittle = 0.99;    // of the limits that the LP allows
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

std::array<double, SetsClimber::kGraphs> SetsClimber::Way::no_limits() {
  std::array<double, kGraphs> none;
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
  const Refutation answer = ask(way, graph, ticks, budget);
  technique.yield(answer == Refutation::Refuted);
  switch (answer) {
    case Refutation::Refuted:
      way.ladder.refuted(way.bound ? likely_limit_above(limit, way.bound->shortfall()) : 0);
      return limit;
    case Refutation::LpFeasible:
      way.ladder.impossible();
      way.met_its_end = way.met_its_end || !way.ended_too_wide();
      break;
    case Refutation::Undecided:
      way.ladder.undecided(false, way.by_cases || !way.bound ? 0 : next_likely(limit, way.bound->shortfall()));
      break;
  }
  return 0;
}

// Graph after graph, until one refutes the limit or the LP's ticks end. Allowed only where the last one allows it. What
// makes the graphs has ticks of its own: on graphs of thousands of groups it takes those of a turn, which left the LP
// without a single round, turn after turn. [t5, training.]
Refutation SetsClimber::ask(Way& way, const StageGraph& graph, std::uint64_t ticks, Budget& budget) const {
  Budget making(budget, ticks);
  for (; way.dose < kGraphs; ++way.dose, way.bound.reset()) {
    double& allowed_from = way.allowed_from[way.dose];
    if (way.limit >= allowed_from || (way.by_cases && loses_too_much(way.dose))) continue;
    if (!way.bound) {
      if (making.exhausted()) return Refutation::Undecided;  // what is made in haste is larger than it need be
      const Refutation answer = prepare(way, graph, making);
      if (answer == Refutation::Refuted) return answer;
      if (answer == Refutation::LpFeasible) continue;
      if (has_split_within(way.small.graph, way.limit, making)) {
        allowed_from = way.limit;
        continue;
      }
    }
    const bool hurried = takes_of_spine(way.dose);
    Budget turn(budget, hurried ? std::min(kSpineTicks, ticks) : ticks);
    const Refutation answer = way.by_cases ? way.bound->refute_by_cases(way.limit, turn)  //
                                           : way.bound->refute(way.limit, turn);
    ticks -= std::min(ticks, turn.ticks_used());
    const bool over = !hurried || ticks == 0 || budget.exhausted();
    if (answer == Refutation::Refuted || (answer == Refutation::Undecided && over)) return answer;
    allowed_from = way.limit;
    way.too_wide[way.dose] = way.bound->too_large();
    if (way.too_wide[way.dose] && takes_views_alone(way.dose)) break;  // so is the whole graph
  }
  return Refutation::LpFeasible;
}

// A tree of cases refutes what the LP nearly does. What the LP refutes of a graph that loses less is better asked there.
// [dlrm-training: where views are removed the LP allows limits from 0.563 on, and cases say nothing of 0.58; of the graph
// as it is the LP refutes 0.585.]
bool SetsClimber::loses_too_much(std::size_t dose) const {
  double most = 0;
  for (std::size_t i = 0; i < kGraphs; ++i) {
    const double allowed = by_lp_.allowed_from[i];
    if (allowed < std::numeric_limits<double>::infinity() && !by_lp_.too_wide[i]) most = std::max(most, allowed);
  }
  return by_lp_.allowed_from[dose] < most * kLosesLittle;
}

// The graph of the dose, or what can be said without the LP. Refuted: by presolve. LpFeasible: the graph is the same as the
// last one. Undecided: ask the LP.
Refutation SetsClimber::prepare(Way& way, const StageGraph& graph, Budget& budget) const {
  const Threshold question{platform_, way.limit};
  Shrunk<StageGraph> shrunk;
  if (way.dose < kWhole) shrunk = shrink(graph, question, kConvexDoses[way.dose], budget);
  const StageGraph& large = shrunk.changed() ? shrunk.graph : graph;
  const std::pair made(shrunk.removed.size(), large.net_count());
  if (way.made == made || (takes_of_spine(way.dose) && !worth_its_spine(graph, question, shrunk, budget)))
    return Refutation::LpFeasible;
  way.made = made;
  budget.spend(kPresolveTicksPerGroup * large.size());
  way.small = presolve(large, question, options_.presolve, budget);
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
