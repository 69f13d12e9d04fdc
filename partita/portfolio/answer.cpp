// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "partita/portfolio/portfolio.h"
#include "partita/portfolio/safe_range.h"
#include "partita/portfolio/settle.h"
#include "partita/reduce/device_table.h"
#include "partita/reduce/layers.h"
#include "partita/solve/mip/latency_program.h"
#include "partita/util/error.h"

namespace partita {
namespace {

// Whether a stage can run in more ways than on one accelerator or one host, at the plain sum of what it does.
bool needs_setups(const Problem& problem) {
  const Platform& platform = problem.workload.platform;
  return !is_plain(platform) || platform.clusters || problem.transfers != TransferMode::Sum || problem.replicas > 1 ||
         problem.memory_model != MemoryModel::Flat;
}

// Free and contiguous splits have a portfolio for every platform of single devices and every transfer mode.
bool is_for_fleet(const Problem& problem) {
  return problem.objective == Objective::MaxLoad && problem.shape != Shape::Staged &&
         (problem.transfers != TransferMode::Sum || !is_plain(problem.workload.platform));
}

// What only staged splits have.
void refuse_stages(const Problem& problem) {
  if (problem.objective == Objective::Latency || problem.shape == Shape::Staged) return;
  const auto refuse = [&](const char* option, const char* what) {
    throw InputError(
        ErrorKind::Unsupported, option,
        fmt::format("{} splits are found without {}; --shape staged can do it", to_string(problem.shape), what));
  };
  if (problem.workload.platform.clusters) refuse("platform", "clusters of devices");
  if (problem.replicas > 1) refuse("--replicate", "copies of stages");
  if (problem.memory_model != MemoryModel::Flat)
    refuse("--memory-model", "samples in flight, which need an order of stages");
}

void require_supported(const Problem& problem, Algorithm algorithm) {
  if (problem.objective == Objective::Latency) {
    if (algorithm == Algorithm::Auto) return;
    if (algorithm == Algorithm::Ip) return refuse_strict_host_cores(problem);
    throw InputError(ErrorKind::Unsupported, "--algorithm",
                     "the dynamic programs are for throughput, not for --objective latency; leave --algorithm out, or "
                     "use --algorithm ip");
  }
  const bool staged_only = algorithm == Algorithm::Exact || algorithm == Algorithm::Linear;
  if (staged_only && problem.shape != Shape::Staged) {
    throw InputError(
        ErrorKind::Unsupported, "--algorithm",
        fmt::format("the dynamic programs find staged splits, not {} splits; leave --algorithm out, or use "
                    "--algorithm ip",
                    to_string(problem.shape)));
  }
}

// The coarser problem's plan as a plan of the problem itself: the split keeps its value, and `check` says so again.
Plan plan_layers(const Problem& problem, PlanOptions options, Budget& budget, const Sink& sink) {
  const LayeredProblem layered = keep_layers_together(problem);
  if (sink) {
    sink({Progress::Event::Reduced, budget.seconds_used(), kUnlimited, 0, problem.workload.graph.nodes.size(),
          layered.step});
  }
  options.contract_layers = false;
  Plan plan = answer(layered.problem, options, budget, sink);
  plan.certificate.reset();  // it speaks of the coarser problem, which no file holds
  Result& result = plan.result;
  if (!result.proof.empty()) result.proof = "with layers kept together: " + result.proof;
  if (!result.reason.empty()) result.reason = "with layers kept together: " + result.reason;
  if (!result.split) return plan;
  result.split = lift_layers(problem, *result.split);
  settle_status(problem, result.value, result.bound, plan);
  return plan;
}

}  // namespace

Plan answer(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink) {
  require_supported(problem, options.algorithm);
  refuse_stages(problem);
  if (const int exponent = exponent_to_safe_range(problem); exponent != 0) {
    Plan plan = answer(with_times_scaled(problem, exponent), options, budget, scaled_back(sink, exponent));
    scale_back(problem, exponent, plan);
    return plan;
  }
  if (options.contract_layers) return plan_layers(problem, options, budget, sink);
  if (problem.objective == Objective::GPipe && !problem.workload.graph.has_backward()) {
    // Without a backward pass, the largest forward load is all there is.
    Problem same = problem;
    same.objective = Objective::MaxLoad;
    return answer(same, options, budget, sink);
  }
  Plan plan;
  Result& result = plan.result;
  result.seed = options.seed;

  if (options.algorithm == Algorithm::Ip) {
    plan_ip(problem, options, budget, sink, plan);
  } else if (problem.objective == Objective::Latency) {
    plan_latency(problem, options, budget, sink, plan);
  } else if (problem.objective == Objective::MaxLoad && problem.shape == Shape::Staged && needs_setups(problem)) {
    plan_setups(problem, options, budget, sink, plan);
  } else if (is_for_fleet(problem)) {
    plan_fleet(problem, options, budget, sink, plan);
  } else if (problem.objective == Objective::GPipe && needs_setups(problem)) {
    plan_gpipe_fleet(problem, options, budget, sink, plan);
  } else if (problem.objective == Objective::GPipe) {
    plan_gpipe(problem, options, budget, sink, plan);
  } else if (problem.shape == Shape::Staged) {
    plan_staged(problem, options, budget, sink, plan);
  } else if (problem.shape == Shape::Contiguous) {
    plan_contiguous(problem, options, budget, sink, plan);
  } else {
    plan_free(problem, options, budget, sink, plan);
  }
  result.seconds = budget.seconds_used();
  if (sink) sink({Progress::Event::Done, result.seconds, result.value, result.bound, 0, result.proof});
  return plan;
}

}  // namespace partita
