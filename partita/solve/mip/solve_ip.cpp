// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/mip/solve_ip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "partita/solve/mip/formulation.h"

namespace partita::detail {
namespace {

constexpr double kUsualObjective = 1000;  // what solvers' absolute tolerances are made for
constexpr double kLimitSlack = 1e-6;      // so that rounding does not shut out the start
constexpr double kNegligible = kUsualObjective / kMostCoefficientRatio;
// Of a split in its formulation. Memory rows add up to 1000, so this is the slack that memory limits have anyway.
constexpr double kSplitTolerance = 1e-9;
// Of the columns of a solver's solution: more is none. Its rows may be further off, as the columns that are not whole
// are found again from the split.
constexpr double kSolutionTolerance = 1e-2;

// All the work, spread evenly: the size of a load, give or take.
double typical_load(const Problem& problem) {
  double total = 0;
  for (const Node& node : problem.workload->graph.nodes) {
    double least = kCannotRun;
    for (const double time : node.time) least = std::min(least, time);
    if (std::isfinite(least)) total += least;
  }
  return total / static_cast<double>(std::max<std::size_t>(problem.workload->platform.device_count(), 1));
}

class Search {
 public:
  Search(const Formulation& formulation, const IpOptions& options, const char* solver, const Budget& budget,
         const Sink& sink)
      : formulation_(formulation), options_(options), solver_(solver), budget_(budget), sink_(sink) {}

  const IpOutcome& outcome() const { return outcome_; }

  // Takes the split if it is legal and the best so far. Returns its solution. Precondition: it is legal, but perhaps
  // for limits that rounding breaks.
  std::vector<double> offer(const Split& split, std::optional<double> value) {
    const LinearModel& model = formulation_.model();
    std::vector<double> x = formulation_.encode(split);
    if (!value && model.largest_violation(x) > kSplitTolerance) return x;
    const double cost = value.value_or(model.objective(x) * formulation_.time_unit());
    if (outcome_.split && cost >= outcome_.value) return x;
    outcome_.split = split;
    outcome_.value = cost;
    tell(Progress::Event::Split);
    return x;
  }
  std::vector<double> offer(const Split& split) {
    return offer(split, options_.measure ? options_.measure(split) : std::nullopt);
  }

  void hear_solution(std::span<const double> x) {
    if (formulation_.model().largest_column_violation(x) > kSolutionTolerance) return;
    const Split split = formulation_.decode(x);
    if (!options_.measure) {
      offer(split, std::nullopt);
    } else if (const std::optional<double> value = options_.measure(split)) {
      offer(split, value);
    }
  }

  void hear_bound(double bound) {
    const double raised = lowered(bound);
    if (raised <= outcome_.bound) return;
    outcome_.bound = raised;
    tell(Progress::Event::Bound);
  }

  void close(const MipOutcome& found) {
    if (found.solution) hear_solution(*found.solution);
    outcome_.bound = std::max(outcome_.bound, lowered(found.bound));
    outcome_.failure = found.failure;
    outcome_.infeasible = found.infeasible && !outcome_.split;
    if (outcome_.split) {
      const double claim = outcome_.bound;
      if (found.infeasible || claim > outcome_.value * (1 + kLimitSlack)) {
        outcome_.bound = 0;
        outcome_.failure = fmt::format(
            "{} claims that {}, which a split of value {:.6g} refutes", solver_,
            found.infeasible ? "no split exists" : fmt::format("none is below {:.6g}", claim), outcome_.value);
      }
      outcome_.bound = std::min(outcome_.bound, outcome_.value);
    }
    say_proof();
  }

  void refuse(double ratio) {
    outcome_.unsuitable = true;
    outcome_.failure = fmt::format(
        "numbers of the integer program differ by a factor of {:.0e}, and {} can be trusted up to {:.0e} only", ratio,
        solver_, kMostCoefficientRatio);
    say_proof();
  }

 private:
  void say_proof() {
    if (outcome_.bound > 0) {
      outcome_.proof = fmt::format("integer program: claimed by {} in floating point, not verified; {:.0e} taken off",
                                   solver_, kBoundMargin);
    } else {
      outcome_.proof = "loads are not negative";
    }
    if (!outcome_.failure.empty()) outcome_.proof += "; " + outcome_.failure;
  }

  double lowered(double bound) const {
    return std::isfinite(bound) ? std::max(0.0, bound * formulation_.time_unit() * (1 - kBoundMargin)) : 0;
  }

  void tell(Progress::Event event) const {
    if (!sink_) return;
    const double value = outcome_.split ? outcome_.value : kNoLimit;
    sink_({event, budget_.seconds_used(), value, std::min(outcome_.bound, value), formulation_.model().integer_count(),
           "integer program"});
  }

  const Formulation& formulation_;
  const IpOptions& options_;
  const char* solver_;
  const Budget& budget_;
  const Sink& sink_;
  IpOutcome outcome_;
};

}  // namespace

IpOutcome solve_ip(const Problem& problem, MipBackend& backend, const IpOptions& options, Budget& budget,
                   const Sink& sink) {
  double size = typical_load(problem);
  if (options.start) {
    const auto plain = formulate(problem);
    size = plain->model().objective(plain->encode(*options.start));
    if (budget.exhausted()) {
      Search search(*plain, options, backend.name(), budget, sink);
      search.offer(*options.start);
      search.close({});
      return search.outcome();
    }
  }
  const double unit = size > 0 ? size / kUsualObjective : 1;
  const auto formulation = formulate(problem, {unit, options.start ? size * (1 + kLimitSlack) : kNoLimit, kNegligible});
  const LinearModel& model = formulation->model();
  if (sink) {
    sink({Progress::Event::Reduced, budget.seconds_used(), kNoLimit, 0, model.integer_count(),
          fmt::format("integer program: {} columns ({} whole), {} rows, {} entries", model.columns().size(),
                      model.integer_count(), model.rows().size(), model.entry_count())});
  }
  Search search(*formulation, options, backend.name(), budget, sink);
  MipRequest request{.model = model,
                     .gap = options.gap,
                     .known_bound = options.bound / unit,
                     .found = [&](std::span<const double> x) { search.hear_solution(x); },
                     .raised = [&](double bound) { search.hear_bound(bound); }};
  if (options.start) request.start = search.offer(*options.start);
  const double ratio = model.coefficient_ratio();
  if (ratio > kMostCoefficientRatio * (1 + kLimitSlack)) {
    search.refuse(ratio);
    return search.outcome();
  }
  search.close(backend.solve(request, budget));
  return search.outcome();
}

}  // namespace partita::detail
