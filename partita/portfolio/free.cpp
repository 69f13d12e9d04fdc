// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/throughput/free/free.h"
#include "partita/portfolio/portfolio.h"
#include "partita/portfolio/settle.h"
#include "partita/reduce/free_instance.h"
#include "partita/reduce/staged_instance.h"
#include "partita/solve/throughput/free/free_certificate.h"
#include "partita/solve/throughput/staged.h"

namespace partita {
namespace {

constexpr std::uint64_t kStagedStartTicks = 3'000'000;  // most staged optima are found in far less

// The staged optimum is a good start, so a little of the budget goes to it first.
std::optional<FreeSplit> staged_start(const Problem& problem, const FreeInstance& free, const PlanOptions& options,
                                      Budget& budget) {
  Problem staged_problem = problem;
  staged_problem.shape = Shape::Staged;
  const StagedInstance staged = make_staged_instance(staged_problem);
  Budget slice(budget, kStagedStartTicks);
  const StagedOutcome outcome = solve_staged(staged.graph, staged.platform, {true, 0, options.seed}, slice, {});
  if (!outcome.split) return std::nullopt;
  return to_free(problem, free, lift_stages(staged_problem, staged, outcome.split->stages));
}

}  // namespace

void plan_free(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, Plan& plan) {
  Result& result = plan.result;
  const FreeInstance instance = make_free_instance(problem);
  if (ruled_out(problem, instance.graph, instance.platform, instance.group_of, result)) return;
  const FreeOutcome outcome =
      solve_free(instance, staged_start(problem, instance, options, budget),
                 {options.gap, options.seed, options.threads}, certificate_check(problem, instance), budget, sink);
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

}  // namespace partita
