// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/free.h"
#include "partita/portfolio/portfolio.h"
#include "partita/portfolio/settle.h"
#include "partita/portfolio/start.h"
#include "partita/reduce/free_instance.h"
#include "partita/solve/free/free_certificate.h"
#include "partita/util/statistics.h"

namespace partita {
namespace {

constexpr std::uint64_t kStagedStartTicks = 3'000'000;  // most staged optima are found in far less

// The staged optimum is a good start, so a little of the budget goes to it first.
std::optional<FreeSplit> staged_start(const Problem& problem, const FreeInstance& instance, const PlanOptions& options,
                                      Budget& budget) {
  const PortfolioSettings& settings = options.settings.portfolio;
  if (!settings.staged_start) return std::nullopt;
  Technique start(budget, "portfolio.staged_start", "splits");
  Budget slice(budget, kStagedStartTicks, settings.free_start_share * budget.seconds_left());
  const std::optional<Split> split = staged_split(problem, options.seed, options.settings, slice, {});
  start.yield(split.has_value());
  if (!split) return std::nullopt;
  return to_free(problem, instance, *split);
}

}  // namespace

void plan_free(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, Plan& plan) {
  Result& result = plan.result;
  const FreeInstance instance = make_free_instance(problem);
  if (ruled_out(problem, instance.graph, instance.platform, instance.group_of, result)) return;
  const FreeOutcome outcome = solve_free(instance, staged_start(problem, instance, options, budget),
                                         {options.gap, options.seed, options.threads, options.settings.free},
                                         certificate_check(problem, instance), budget, sink);
  result.bound = outcome.bound;
  result.proof = outcome.proof_text;
  if (outcome.proof) plan.certificate = make_certificate(problem, instance, *outcome.proof);
  if (outcome.split) {
    result.split = lift_free(problem, instance, *outcome.split);
    settle_status(problem, outcome.split->value, outcome.bound, plan);
  } else {
    result.reason = kNoSplitYet;
  }
}

}  // namespace partita
