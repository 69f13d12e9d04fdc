// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/latency.h"
#include "partita/portfolio/portfolio.h"
#include "partita/portfolio/settle.h"
#include "partita/reduce/latency_instance.h"

namespace partita {

void plan_latency(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, Plan& plan) {
  Result& result = plan.result;
  const LatencyInstance instance = make_latency_instance(problem);
  const FreeInstance& classes = instance.classes;
  if (ruled_out(problem, classes.graph, classes.platform, classes.group_of, result)) return;
  const LatencyOutcome outcome = solve_latency(instance, {options.gap, options.seed}, budget, sink);
  result.bound = outcome.bound;
  result.proof = outcome.proof;
  if (outcome.split) {
    result.split = lift_latency(problem, instance, *outcome.split);
    settle_status(problem, outcome.split->value, outcome.bound, plan);
  } else if (outcome.infeasible) {
    result.status = Status::Infeasible;
    result.reason =
        "memory, and subgraphs that must run uninterrupted: no split fits the devices (" + outcome.proof + ")";
  } else {
    result.reason = kNoSplitYet;
  }
}

}  // namespace partita
