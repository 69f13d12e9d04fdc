// SPDX-License-Identifier: Apache-2.0
#include "partita/portfolio/staged.h"

#include "partita/portfolio/portfolio.h"
#include "partita/portfolio/settle.h"
#include "partita/reduce/pass_graphs.h"
#include "partita/solve/staged/gpipe_staged.h"

namespace partita::detail {

void plan_by_stages(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, Plan& plan,
                    const StagedSolve& solve) {
  Result& result = plan.result;
  const StagedInstance instance = make_staged_instance(problem);
  for (const std::string& step : instance.steps) {
    if (sink) sink({Progress::Event::Reduced, budget.seconds_used(), kUnlimited, 0, instance.graph.size(), step});
  }
  if (ruled_out(problem, instance.graph, instance.platform, instance.group_of, result)) return;
  const StagedOutcome outcome = solve(instance, {options.algorithm != Algorithm::Linear, options.gap, options.seed});
  result.bound = outcome.bound;
  result.proof = outcome.proof;
  if (outcome.split) {
    result.split = lift_stages(problem, instance, outcome.split->stages);
    settle_status(problem, outcome.split->value, outcome.bound, plan);
  } else if (outcome.infeasible) {
    result.status = Status::Infeasible;
    result.reason = why_infeasible(problem, "proved by exhaustive search", budget);
  } else {
    result.reason = kNoSplitYet;
  }
}

void plan_staged(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, Plan& plan) {
  plan_by_stages(problem, options, budget, sink, plan,
                 [&](const StagedInstance& instance, const StagedOptions& staged) {
                   return solve_staged(instance.graph, instance.platform, staged, budget, sink);
                 });
}

void plan_staged_gpipe(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink,
                       Plan& plan) {
  plan_by_stages(problem, options, budget, sink, plan,
                 [&](const StagedInstance& instance, const StagedOptions& staged) {
                   const PassGraphs graphs = make_pass_graphs(problem, instance.graph, instance.group_of);
                   return solve_staged_gpipe(graphs, instance.platform, staged, budget, sink);
                 });
}

}  // namespace partita::detail
