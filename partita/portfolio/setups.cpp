// SPDX-License-Identifier: Apache-2.0
#include "partita/portfolio/portfolio.h"
#include "partita/portfolio/settle.h"
#include "partita/reduce/setup_instance.h"
#include "partita/solve/throughput/setups/solve_setups.h"

namespace partita {

void plan_setups(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, Plan& plan) {
  Result& result = plan.result;
  const SetupInstance instance = make_setup_instance(problem);
  for (const std::string& step : instance.steps) {
    if (sink) sink({Progress::Event::Reduced, budget.seconds_used(), kUnlimited, 0, instance.graph.size(), step});
  }
  const SetupOutcome outcome =
      solve_setups(instance, {options.algorithm != Algorithm::Linear, options.gap, options.seed}, budget, sink);
  result.bound = outcome.bound;
  result.proof = outcome.proof;
  if (outcome.pipeline) {
    result.split = lift_parts(problem, instance, outcome.pipeline->parts);
    settle_status(problem, outcome.pipeline->value, outcome.bound, plan);
  } else if (outcome.infeasible) {
    result.status = Status::Infeasible;
    result.reason = "memory, or the devices that nodes can run on: no staged split fits (proved by exhaustive search)";
  } else {
    result.reason = kNoSplitYet;
  }
}

}  // namespace partita
