// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/latency.h"
#include "partita/portfolio/portfolio.h"
#include "partita/portfolio/settle.h"
#include "partita/portfolio/start.h"
#include "partita/reduce/latency_instance.h"
#include "partita/solve/shared/greedy.h"

namespace partita::detail {
namespace {

constexpr std::uint64_t kStagedStartTicks = 100'000;
constexpr double kStagedStartShare = 0.05;  // of the time, at most

// The greedy split, and the best staged one for throughput that a short search finds. Both are fast on large graphs,
// where the search for latency is slow to begin; on small ones it needs neither.
std::vector<LatencySplit> find_starts(const Problem& problem, const LatencyInstance& instance, std::uint64_t seed,
                                      Budget& budget) {
  std::vector<LatencySplit> starts;
  if (const auto greedy = greedy_split(problem)) starts.push_back(to_latency(problem, instance, *greedy));
  if (!is_plain(problem.workload->platform)) return starts;
  Budget slice(budget, kStagedStartTicks, kStagedStartShare * budget.seconds_left());
  if (const auto staged = staged_split(problem, seed, slice, {}))
    starts.push_back(to_latency(problem, instance, *staged));
  return starts;
}

}  // namespace

void plan_latency(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, Plan& plan) {
  Result& result = plan.result;
  const LatencyInstance instance = make_latency_instance(problem);
  if (ruled_out(problem, instance.group_of, result)) return;
  const LatencyOutcome outcome = solve_latency(instance, find_starts(problem, instance, options.seed, budget),
                                               {options.gap, options.seed, options.threads}, budget, sink);
  result.bound = outcome.bound;
  result.proof = outcome.proof;
  if (outcome.split) {
    result.split = lift_latency(instance, *outcome.split);
    // Which of two host nodes is first may depend on rounding where they must wait for cores, so there the value is
    // whatever `check` says.
    const double value = problem.strict_host_cores ? check(problem, *result.split).value : outcome.split->value;
    settle_status(problem, value, outcome.bound, plan);
  } else if (outcome.infeasible) {
    result.status = Status::Infeasible;
    result.reason =
        "memory, and subgraphs that must run uninterrupted: no split fits the devices (" + outcome.proof + ")";
  } else {
    result.reason = kNoSplitYet;
  }
}

}  // namespace partita::detail
