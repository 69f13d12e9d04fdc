// SPDX-License-Identifier: Apache-2.0
#include "partita/portfolio/portfolio.h"
#include "partita/portfolio/settle.h"
#include "partita/reduce/contradiction.h"
#include "partita/reduce/setup_instance.h"
#include "partita/solve/throughput/setups/device_counts.h"
#include "partita/solve/throughput/setups/solve_setups.h"
#include "partita/util/error.h"

namespace partita {
namespace {

// How many samples are in flight at a stage depends on the devices behind it, and a cluster does not tell how many of
// its own are in use.
void refuse_samples_in_clusters(const Problem& problem) {
  if (!problem.workload.platform.clusters || problem.memory_model != MemoryModel::OneF1B) return;
  throw InputError(
      ErrorKind::Unsupported, "--memory-model",
      "1f1b is not solved for platforms with clusters; use --memory-model gpipe with --microbatches as many "
      "as are in flight at most, or a platform without clusters");
}

}  // namespace

void plan_setups(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, Plan& plan) {
  refuse_samples_in_clusters(problem);
  Result& result = plan.result;
  const SetupInstance instance = make_setup_instance(problem);
  refuse_too_many_vectors(instance.rules);
  for (const std::string& step : instance.steps) {
    if (sink) sink({Progress::Event::Reduced, budget.seconds_used(), kUnlimited, 0, instance.graph.size(), step});
  }
  // What memory a group takes at least is known beforehand in the flat model alone.
  if (problem.memory_model == MemoryModel::Flat) result.reason = find_contradiction(problem, instance.group_of);
  if (!result.reason.empty()) {
    result.status = Status::Infeasible;
    result.proof = "a constraint that no split meets";
    return;
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
