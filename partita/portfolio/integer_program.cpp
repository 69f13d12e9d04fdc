// SPDX-License-Identifier: Apache-2.0
#include "partita/portfolio/best_so_far.h"
#include "partita/portfolio/portfolio.h"
#include "partita/portfolio/settle.h"
#include "partita/portfolio/start.h"
#include "partita/reduce/colours.h"
#include "partita/reduce/device_table.h"
#include "partita/reduce/latency_instance.h"
#include "partita/reduce/stage_order.h"
#include "partita/solve/latency/latency.h"
#include "partita/util/error.h"

namespace partita::detail {
namespace {

constexpr std::uint64_t kProgramStartTicks = 4'000'000;      // a second or so
constexpr std::uint64_t kLatencyStartTicksPerNode = 20'000;  // 10 ms or so
constexpr double kLeastProgramStartSeconds = 1;              // as for the others

// Staged splits keep more groups together, so more can be said against them.
bool ruled_out_by_shape(const Problem& problem, Result& result) {
  const bool staged = problem.objective != Objective::Latency && problem.shape == Shape::Staged;
  return ruled_out(problem,
                   staged ? find_stage_order(problem).group_of : find_colour_classes(problem.workload->graph).class_of,
                   result);
}

// The best split that the solver for latency finds. What it proves is left aside: the integer program is there to say
// the same by other means.
std::optional<Split> latency_start(const Problem& problem, const PlanOptions& options, Budget& budget,
                                   const Sink& sink) {
  const LatencyInstance instance = make_latency_instance(problem);
  const Sink splits_only = [&](const Progress& progress) {
    if (progress.event == Progress::Event::Split)
      sink({progress.event, progress.seconds, progress.value, 0, progress.groups, ""});
  };
  Budget share = share_of(budget, options.settings.portfolio.ip_start_share,
                          kLatencyStartTicksPerNode * instance.size(), kLeastProgramStartSeconds);
  const LatencyOutcome outcome =
      solve_latency(instance, {}, {0, options.seed, 1, options.settings.latency}, share, sink ? splits_only : Sink());
  if (!outcome.split) return std::nullopt;
  return lift_latency(instance, *outcome.split);
}

std::optional<Split> start_for(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink) {
  if (problem.objective == Objective::Latency) return latency_start(problem, options, budget, sink);
  const std::optional<Start> start = find_start(
      problem, {options.settings.portfolio.ip_start_share, kProgramStartTicks, options.seed, options.settings}, budget,
      sink);
  return start ? std::optional(start->split) : std::nullopt;
}

}  // namespace

void plan_ip(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, Plan& plan) {
  refuse_all_but_classes(problem, "the integer programs");
  if (ruled_out_by_shape(problem, plan.result)) return;
  BestSoFar best(problem, options, budget, sink, plan);
  best.raise_bound(0, "loads are not negative");
  if (const std::optional<Split> start = start_for(problem, options, budget, sink)) best.offer(*start);
  const IpOutcome outcome = best.ask_integer_program();
  if (outcome.unsuitable) {
    throw InputError(
        ErrorKind::Unsupported, "PlanOptions::algorithm = ip",
        outcome.failure + "; leave the option out, or write the program with `convert` for another solver");
  }
  best.settle();
}

}  // namespace partita::detail
