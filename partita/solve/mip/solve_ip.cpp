// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/mip/solve_ip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "partita/solve/mip/formulation.h"

namespace partita {
namespace {

constexpr double kUsualObjective = 1000;  // what solvers' absolute tolerances are made for
constexpr double kLimitSlack = 1e-6;      // so that rounding does not shut out the start
// Of a decoded split in its formulation. Memory rows add up to 1000, so this is the slack that memory limits have
// anyway.
constexpr double kSplitTolerance = 1e-9;

// All the work, spread evenly: the size of a load, give or take.
double typical_load(const Problem& problem) {
  double total = 0;
  for (const Node& node : problem.workload.graph.nodes) {
    double least = kCannotRun;
    for (const double time : node.time) least = std::min(least, time);
    if (std::isfinite(least)) total += least;
  }
  return total / static_cast<double>(std::max<std::size_t>(problem.workload.platform.device_count(), 1));
}

class Search {
 public:
  Search(const Formulation& formulation, const Budget& budget, const Sink& sink)
      : formulation_(formulation), budget_(budget), sink_(sink) {}

  const IpOutcome& outcome() const { return outcome_; }

  // Takes the split if it is legal and the best so far. Returns its solution.
  std::vector<double> offer(const Split& split) {
    const LinearModel& model = formulation_.model();
    std::vector<double> x = formulation_.encode(split);
    const double value = model.objective(x) * formulation_.time_unit();
    if (model.largest_violation(x) > kSplitTolerance || (outcome_.split && value >= outcome_.value)) return x;
    outcome_.split = split;
    outcome_.value = value;
    told_value_ = std::min(told_value_, value);
    tell(Progress::Event::Split);
    return x;
  }

  void hear(double objective, double bound) {
    const double value = objective * formulation_.time_unit();
    const bool better = value < told_value_ * (1 - kBoundMargin);
    const double raised = lowered(bound);
    if (!better && !(raised > outcome_.bound)) return;
    if (better) told_value_ = value;
    outcome_.bound = std::max(outcome_.bound, raised);
    tell(better ? Progress::Event::Split : Progress::Event::Bound);
  }

  void close(const MipOutcome& found, const char* solver) {
    if (found.solution) offer(formulation_.decode(*found.solution));
    outcome_.bound = std::max(outcome_.bound, lowered(found.bound));
    if (outcome_.split) outcome_.bound = std::min(outcome_.bound, outcome_.value);
    outcome_.infeasible = found.infeasible && !outcome_.split;
    if (outcome_.bound > 0 || outcome_.infeasible) {
      outcome_.proof =
          fmt::format("integer program, by {}: floating point, {:.0e} of its bound taken off", solver, kBoundMargin);
    } else {
      outcome_.proof = "loads are not negative";
    }
  }

 private:
  double lowered(double bound) const {
    return std::isfinite(bound) ? std::max(0.0, bound * formulation_.time_unit() * (1 - kBoundMargin)) : 0;
  }

  void tell(Progress::Event event) const {
    if (!sink_) return;
    sink_({event, budget_.seconds_used(), told_value_, std::min(outcome_.bound, told_value_),
           formulation_.model().integer_count(), "integer program"});
  }

  const Formulation& formulation_;
  const Budget& budget_;
  const Sink& sink_;
  IpOutcome outcome_;
  double told_value_ = kNoLimit;  // the solver's word for splits that have not been decoded yet
};

}  // namespace

IpOutcome solve_ip(const Problem& problem, MipBackend& backend, const IpOptions& options, Budget& budget,
                   const Sink& sink) {
  double size = typical_load(problem);
  if (options.start) {
    const auto plain = formulate(problem);
    size = plain->model().objective(plain->encode(*options.start));
    if (budget.exhausted()) {
      Search search(*plain, budget, sink);
      search.offer(*options.start);
      search.close({}, backend.name());
      return search.outcome();
    }
  }
  const double unit = size > 0 ? size / kUsualObjective : 1;
  const auto formulation = formulate(problem, {unit, options.start ? size * (1 + kLimitSlack) : kNoLimit});
  const LinearModel& model = formulation->model();
  if (sink) {
    sink({Progress::Event::Reduced, budget.seconds_used(), kNoLimit, 0, model.integer_count(),
          fmt::format("integer program: {} columns ({} whole), {} rows, {} entries", model.columns().size(),
                      model.integer_count(), model.rows().size(), model.entry_count())});
  }
  Search search(*formulation, budget, sink);
  MipRequest request{.model = model,
                     .gap = options.gap,
                     .known_bound = options.bound / unit,
                     .progress = [&](double objective, double bound) { search.hear(objective, bound); }};
  if (options.start) request.start = search.offer(*options.start);
  search.close(backend.solve(request, budget), backend.name());
  return search.outcome();
}

}  // namespace partita
