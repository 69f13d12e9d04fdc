// SPDX-License-Identifier: Apache-2.0
#include "partita/partita.h"

#include <fmt/format.h>

#include <cmath>

#include "partita/reduce/staged_instance.h"
#include "partita/solve/throughput/staged.h"
#include "partita/util/error.h"

namespace partita {
namespace {

void require_supported(const Problem& problem) {
  const auto refuse = [](const std::string& option, const char* instead) {
    throw InputError(ErrorKind::Unsupported, option, fmt::format("not available in this version; use {}", instead));
  };
  if (problem.objective != Objective::MaxLoad)
    refuse(fmt::format("--objective {}", to_string(problem.objective)), "--objective throughput");
  if (problem.shape != Shape::Staged) refuse(fmt::format("--shape {}", to_string(problem.shape)), "--shape staged");
  if (problem.transfers != TransferMode::Sum)
    refuse(fmt::format("--transfers {}", to_string(problem.transfers)), "--transfers sum");
}

// `optimal` needs more than the solver's word: the independent check must find the split legal and agree on its value.
void settle_status(const Problem& problem, const StagedOutcome& outcome, Plan& plan) {
  Result& result = plan.result;
  plan.report = check(problem, *result.split);
  const bool agrees =
      plan.report.legal() && std::abs(plan.report.value - outcome.split->value) <= 1e-9 * plan.report.value;
  if (!agrees) {
    throw std::logic_error(plan.report.legal() ? fmt::format("the solver's value {} differs from the recomputed {}",
                                                             outcome.split->value, plan.report.value)
                                               : "the solver's split is illegal: " + plan.report.violations[0].message);
  }
  result.value = plan.report.value;
  result.bound = std::min(outcome.bound, result.value);
  result.status = result.gap() <= kOptimalGap ? Status::Optimal : Status::Feasible;
}

}  // namespace

Plan plan(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink) {
  require_supported(problem);
  Plan plan;
  Result& result = plan.result;
  result.seed = options.seed;

  const StagedInstance instance = make_staged_instance(problem);
  for (const std::string& step : instance.steps) {
    if (sink) sink({Progress::Event::Reduced, budget.seconds_used(), kUnlimited, 0, instance.graph.size(), step});
  }
  result.reason = find_contradiction(problem, instance);
  if (!result.reason.empty()) {
    result.status = Status::Infeasible;
    result.proof = "a constraint that no split meets";
  } else {
    const StagedOptions staged{options.algorithm != Algorithm::Linear, options.gap, options.seed};
    const StagedOutcome outcome = solve_staged(instance.graph, instance.platform, staged, budget, sink);
    result.bound = outcome.bound;
    result.proof = outcome.proof;
    if (outcome.split) {
      result.split = lift_stages(problem, instance, outcome.split->stages);
      settle_status(problem, outcome, plan);
    } else if (outcome.infeasible) {
      result.status = Status::Infeasible;
      result.reason = "memory: no staged split fits the devices (proved by exhaustive search)";
    } else {
      result.reason = "a limit was reached before any split was found";
    }
  }
  result.seconds = budget.seconds_used();
  if (sink) sink({Progress::Event::Done, result.seconds, result.value, result.bound, 0, result.proof});
  return plan;
}

}  // namespace partita
