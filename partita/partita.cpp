// SPDX-License-Identifier: Apache-2.0
#include "partita/partita.h"

#include <fmt/format.h>

#include <cmath>

#include "partita/check/certificate.h"
#include "partita/reduce/contradiction.h"
#include "partita/reduce/free_instance.h"
#include "partita/reduce/staged_instance.h"
#include "partita/solve/mip/cbc_backend.h"
#include "partita/solve/mip/formulation.h"
#include "partita/solve/mip/read_solution.h"
#include "partita/solve/mip/solve_ip.h"
#include "partita/solve/throughput/free/free.h"
#include "partita/solve/throughput/free/free_certificate.h"
#include "partita/solve/throughput/staged.h"
#include "partita/util/error.h"

namespace partita {
namespace {

constexpr std::uint64_t kStagedStartTicks = 3'000'000;  // most staged optima are found in far less

// The dynamic programs answer for staged splits and max-load, the free solver for free splits and max-load; all else of
// throughput is left to the integer programs.
bool needs_ip(const Problem& problem) {
  return problem.shape == Shape::Contiguous || problem.objective != Objective::MaxLoad || problem.transfers != TransferMode::Sum;
}

void require_supported(const Problem& problem, Algorithm algorithm) {
  if (problem.objective == Objective::Latency) {
    throw InputError(ErrorKind::Unsupported, "--objective latency", "not available in this version; use --objective throughput");
  }
  const bool staged_only = algorithm == Algorithm::Exact || algorithm == Algorithm::Linear;
  if (staged_only && (needs_ip(problem) || problem.shape != Shape::Staged)) {
    throw InputError(ErrorKind::Unsupported, "--algorithm",
                     fmt::format("the dynamic programs find staged splits for max-load with --transfers sum, not {} splits for {} with "
                                 "--transfers {}; leave --algorithm out, or use --algorithm ip",
                                 to_string(problem.shape), to_string(problem.objective), to_string(problem.transfers)));
  }
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

void plan_ip(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, Plan& plan) {
  Result& result = plan.result;
  CbcBackend backend;
  const IpOutcome outcome = solve_ip(problem, backend, {.gap = options.gap, .seed = options.seed}, budget, sink);
  result.bound = outcome.bound;
  result.proof = outcome.proof;
  if (outcome.split) {
    result.split = outcome.split;
    settle_status(problem, outcome.value, outcome.bound, plan);
  } else if (outcome.infeasible) {
    result.status = Status::Infeasible;
    result.reason = fmt::format("no {} split meets the limits of memory and the devices each node can run on", to_string(problem.shape));
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
  } else if (problem.shape == Shape::Staged) {
    plan_staged(problem, options, budget, sink, plan);
  } else {
    plan_free(problem, options, budget, sink, plan);
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
  std::string comment = fmt::format("{}: {} split, {}, transfers {}{}\n", problem.workload.name, to_string(problem.shape),
                                    to_string(problem.objective), to_string(problem.transfers),
                                    problem.backward_shape ? ", backward shape" : "");
  comment += problem.shape == Shape::Staged ? "y_V_S = 1: group V is on seat S or before it; seats a0 a1 ... and, before aN, hN_0 hN_1 ...\n"
                                            : "x_V_D = 1: group V is on device D; devices a0 a1 ... h0 h1 ...\n";
  return model_text(formulation->model(), format, comment);
}

Split read_integer_solution(const Problem& problem, std::string_view text, const std::string& where) {
  const auto formulation = formulate(problem);
  return formulation->decode(read_solution(formulation->model(), text, where));
}

}  // namespace partita
