// SPDX-License-Identifier: Apache-2.0
#include "partita/partita.h"

#include <fmt/format.h>

#include <cmath>

#include "partita/reduce/staged_instance.h"
#include "partita/solve/mip/cbc_backend.h"
#include "partita/solve/mip/formulation.h"
#include "partita/solve/mip/read_solution.h"
#include "partita/solve/mip/solve_ip.h"
#include "partita/solve/throughput/staged.h"
#include "partita/util/error.h"

namespace partita {
namespace {

// The dynamic programs answer for staged splits and max-load. All else of throughput is left to the integer programs.
bool needs_ip(const Problem& problem) {
  return problem.shape != Shape::Staged || problem.objective != Objective::MaxLoad ||
         problem.transfers != TransferMode::Sum;
}

void require_supported(const Problem& problem, Algorithm algorithm) {
  if (problem.objective == Objective::Latency) {
    throw InputError(ErrorKind::Unsupported, "--objective latency",
                     "not available in this version; use --objective throughput");
  }
  const bool staged_only = algorithm == Algorithm::Exact || algorithm == Algorithm::Linear;
  if (staged_only && needs_ip(problem)) {
    throw InputError(
        ErrorKind::Unsupported, "--algorithm",
        fmt::format(
            "the dynamic programs find staged splits for max-load with --transfers sum, not {} splits for {} with "
            "--transfers {}; use --algorithm ip",
            to_string(problem.shape), to_string(problem.objective), to_string(problem.transfers)));
  }
}

// `optimal` needs more than the solver's word: the independent check must find the split legal and agree on its value.
void settle_status(const Problem& problem, double value, Plan& plan) {
  Result& result = plan.result;
  plan.report = check(problem, *result.split);
  const bool agrees = plan.report.legal() && std::abs(plan.report.value - value) <= 1e-9 * plan.report.value;
  if (!agrees) {
    throw std::logic_error(plan.report.legal() ? fmt::format("the solver's value {} differs from the recomputed {}",
                                                             value, plan.report.value)
                                               : "the solver's split is illegal: " + plan.report.violations[0].message);
  }
  result.value = plan.report.value;
  result.bound = std::min(result.bound, result.value);
  result.status = result.gap() <= kOptimalGap ? Status::Optimal : Status::Feasible;
}

void plan_staged(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, Plan& plan) {
  Result& result = plan.result;
  const StagedInstance instance = make_staged_instance(problem);
  for (const std::string& step : instance.steps) {
    if (sink) sink({Progress::Event::Reduced, budget.seconds_used(), kUnlimited, 0, instance.graph.size(), step});
  }
  result.reason = find_contradiction(problem, instance);
  if (!result.reason.empty()) {
    result.status = Status::Infeasible;
    result.proof = "a constraint that no split meets";
    return;
  }
  const StagedOptions staged{options.algorithm != Algorithm::Linear, options.gap, options.seed};
  const StagedOutcome outcome = solve_staged(instance.graph, instance.platform, staged, budget, sink);
  result.bound = outcome.bound;
  result.proof = outcome.proof;
  if (outcome.split) {
    result.split = lift_stages(problem, instance, outcome.split->stages);
    settle_status(problem, outcome.split->value, plan);
  } else if (outcome.infeasible) {
    result.status = Status::Infeasible;
    result.reason = "memory: no staged split fits the devices (proved by exhaustive search)";
  } else {
    result.reason = "a limit was reached before any split was found";
  }
}

void plan_ip(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, Plan& plan) {
  Result& result = plan.result;
  CbcBackend backend;
  const IpOutcome outcome = solve_ip(problem, backend, {.gap = options.gap, .seed = options.seed}, budget, sink);
  result.bound = outcome.bound;
  result.proof = outcome.proof;
  if (outcome.split) {
    result.split = outcome.split;
    settle_status(problem, outcome.value, plan);
  } else if (outcome.infeasible) {
    result.status = Status::Infeasible;
    result.reason = fmt::format("no {} split meets the limits of memory and the devices each node can run on",
                                to_string(problem.shape));
  } else {
    result.reason = "a limit was reached before any split was found";
  }
}

}  // namespace

Plan plan(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink) {
  require_supported(problem, options.algorithm);
  Plan plan;
  Result& result = plan.result;
  result.seed = options.seed;
  if (options.algorithm == Algorithm::Ip || needs_ip(problem)) {
    plan_ip(problem, options, budget, sink, plan);
  } else {
    plan_staged(problem, options, budget, sink, plan);
  }
  result.seconds = budget.seconds_used();
  if (sink) sink({Progress::Event::Done, result.seconds, result.value, result.bound, 0, result.proof});
  return plan;
}

Plan adopt(const Problem& problem, const Split& split) {
  Plan plan;
  plan.report = check(problem, split);
  plan.result.proof = "loads are not negative";
  if (!plan.report.legal()) {
    plan.result.reason = "the split is illegal: " + plan.report.violations[0].message;
    return plan;
  }
  plan.result.status = plan.report.value == 0 ? Status::Optimal : Status::Feasible;
  plan.result.split = split;
  plan.result.value = plan.report.value;
  return plan;
}

std::string integer_program(const Problem& problem, ModelFormat format) {
  const auto formulation = formulate(problem);
  std::string comment = fmt::format("{}: {} split, {}, transfers {}{}\n", problem.workload.name,
                                    to_string(problem.shape), to_string(problem.objective),
                                    to_string(problem.transfers), problem.backward_shape ? ", backward shape" : "");
  comment += problem.shape == Shape::Staged
                 ? "y_V_S = 1: group V is on seat S or before it; seats a0 a1 ... and, before aN, hN_0 hN_1 ...\n"
                 : "x_V_D = 1: group V is on device D; devices a0 a1 ... h0 h1 ...\n";
  return model_text(formulation->model(), format, comment);
}

Split read_integer_solution(const Problem& problem, std::string_view text, const std::string& where) {
  const auto formulation = formulate(problem);
  return formulation->decode(read_solution(formulation->model(), text, where));
}

}  // namespace partita
