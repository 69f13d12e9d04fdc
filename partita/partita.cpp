// SPDX-License-Identifier: Apache-2.0
#include "partita/partita.h"

#include <fmt/format.h>

#include <cmath>

#include "partita/check/certificate.h"
#include "partita/reduce/contradiction.h"
#include "partita/reduce/free_instance.h"
#include "partita/reduce/staged_instance.h"
#include "partita/solve/throughput/free/free.h"
#include "partita/solve/throughput/free/free_certificate.h"
#include "partita/solve/throughput/staged.h"
#include "partita/util/error.h"

namespace partita {
namespace {

constexpr std::uint64_t kStagedStartTicks = 3'000'000;  // most staged optima are found in far less

void require_supported(const Problem& problem) {
  const auto refuse = [](const std::string& option, const char* instead) {
    throw InputError(ErrorKind::Unsupported, option, fmt::format("not available in this version; use {}", instead));
  };
  if (problem.objective != Objective::MaxLoad) refuse(fmt::format("--objective {}", to_string(problem.objective)), "--objective throughput");
  if (problem.shape == Shape::Contiguous) refuse("--shape contiguous", "--shape staged or --shape free");
  if (problem.transfers != TransferMode::Sum) refuse(fmt::format("--transfers {}", to_string(problem.transfers)), "--transfers sum");
}

// `optimal` needs more than the solver's word: the independent check must find the split legal and agree on its value.
void settle_status(const Problem& problem, double claimed_value, double claimed_bound, Plan& plan) {
  Result& result = plan.result;
  plan.report = check(problem, *result.split);
  if (!plan.report.legal()) throw std::logic_error("the solver's split is illegal: " + plan.report.violations[0].message);
  if (std::abs(plan.report.value - claimed_value) > 1e-9 * plan.report.value) {
    throw std::logic_error(fmt::format("the solver's value {} differs from the recomputed {}", claimed_value, plan.report.value));
  }
  result.value = plan.report.value;
  result.bound = std::min(claimed_bound, result.value);
  result.status = result.gap() <= kOptimalGap ? Status::Optimal : Status::Feasible;
}

// True if some constraint rules out every split; the result then says which.
template <class Instance>
bool ruled_out(const Problem& problem, const Instance& instance, Result& result) {
  result.reason = find_contradiction(problem, instance.graph, instance.platform, instance.group_of);
  if (result.reason.empty()) return false;
  result.status = Status::Infeasible;
  result.proof = "a constraint that no split meets";
  return true;
}

void plan_staged(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, Plan& plan) {
  Result& result = plan.result;
  const StagedInstance instance = make_staged_instance(problem);
  for (const std::string& step : instance.steps) {
    if (sink) sink({Progress::Event::Reduced, budget.seconds_used(), kUnlimited, 0, instance.graph.size(), step});
  }
  if (ruled_out(problem, instance, result)) return;
  const StagedOptions staged{options.algorithm != Algorithm::Linear, options.gap, options.seed};
  const StagedOutcome outcome = solve_staged(instance.graph, instance.platform, staged, budget, sink);
  result.bound = outcome.bound;
  result.proof = outcome.proof;
  if (outcome.split) {
    result.split = lift_stages(problem, instance, outcome.split->stages);
    settle_status(problem, outcome.split->value, outcome.bound, plan);
  } else if (outcome.infeasible) {
    result.status = Status::Infeasible;
    result.reason = "memory: no staged split fits the devices (proved by exhaustive search)";
  } else {
    result.reason = "a limit was reached before any split was found";
  }
}

// The staged optimum is a good start, so a little of the budget goes to it first.
std::optional<FreeSplit> staged_start(const Problem& problem, const FreeInstance& free, const PlanOptions& options, Budget& budget) {
  Problem staged_problem = problem;
  staged_problem.shape = Shape::Staged;
  const StagedInstance staged = make_staged_instance(staged_problem);
  Budget slice(budget, kStagedStartTicks);
  const StagedOutcome outcome = solve_staged(staged.graph, staged.platform, {true, 0, options.seed}, slice, {});
  if (!outcome.split) return std::nullopt;
  return to_free(problem, free, lift_stages(staged_problem, staged, outcome.split->stages));
}

void plan_free(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, Plan& plan) {
  Result& result = plan.result;
  const FreeInstance instance = make_free_instance(problem);
  if (ruled_out(problem, instance, result)) return;
  const auto holds = [&](const FreeProof& proof) { return verify(problem, make_certificate(problem, instance, proof)).holds; };
  const FreeOutcome outcome =
      solve_free(instance, staged_start(problem, instance, options, budget), {options.gap, options.seed}, holds, budget, sink);
  result.bound = outcome.bound;
  result.proof = outcome.proof_text;
  if (outcome.proof) plan.certificate = make_certificate(problem, instance, *outcome.proof);
  if (outcome.split) {
    result.split = lift_free(problem, instance, *outcome.split);
    settle_status(problem, outcome.split->value, outcome.bound, plan);
  } else {
    result.reason = "a limit was reached before any split was found";
  }
}

}  // namespace

Plan plan(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink) {
  require_supported(problem);
  Plan plan;
  Result& result = plan.result;
  result.seed = options.seed;

  if (problem.shape == Shape::Staged) {
    plan_staged(problem, options, budget, sink, plan);
  } else {
    plan_free(problem, options, budget, sink, plan);
  }
  result.seconds = budget.seconds_used();
  if (sink) sink({Progress::Event::Done, result.seconds, result.value, result.bound, 0, result.proof});
  return plan;
}

}  // namespace partita
