// SPDX-License-Identifier: Apache-2.0
#include "partita/portfolio/staged.h"

#include "partita/portfolio/portfolio.h"
#include "partita/portfolio/settle.h"
#include "partita/portfolio/staged_certificate.h"
#include "partita/portfolio/start.h"
#include "partita/reduce/pass_graphs.h"
#include "partita/solve/staged/gpipe_staged.h"

namespace partita::detail {

void plan_by_stages(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, Plan& plan,
                    const StagedSolve& solve) {
  const StagedInstance instance = make_staged_instance(problem);
  tell_steps(instance.steps, instance.graph.size(), budget, sink);
  if (ruled_out(problem, instance.graph, instance.platform, instance.group_of, plan.result)) return;
  const StagedOutcome outcome = solve(instance, {options.algorithm != Algorithm::Linear, options.gap, options.seed,
                                                 options.settings.staged, options.settings.presolve});
  settle(
      problem, outcome, [&](const StagedSplit& split) { return lift_stages(problem, instance, split.stages); },
      [&] { return why_infeasible(problem, "proved by exhaustive search", budget); }, plan);
  if (!options.certificate || !plan.result.split) return;
  plan.certificate = certify_staged(problem, instance, plan.result, {.seed = options.seed}, budget, sink);
  if (plan.certificate) plan.result.proof += words_for(*plan.certificate, plan.result);
}

void plan_staged(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, Plan& plan) {
  plan_by_stages(problem, options, budget, sink, plan,
                 [&](const StagedInstance& instance, const StagedOptions& staged) {
                   Budget part = before_certificate(options.certificate, budget);
                   return solve_staged(instance.graph, instance.platform, staged, part, sink);
                 });
}

void plan_staged_gpipe(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink,
                       Plan& plan) {
  plan_by_stages(problem, options, budget, sink, plan,
                 [&](const StagedInstance& instance, const StagedOptions& staged) {
                   const PassGraphs graphs = make_pass_graphs(problem, instance.graph, instance.group_of);
                   // Its certificate is one of the largest load, which no value is below.
                   Budget part = before_certificate(options.certificate, budget);
                   return solve_staged_gpipe(graphs, instance.platform, staged, part, sink);
                 });
}

}  // namespace partita::detail
