// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/latency.h"
#include "partita/portfolio/latency_certificate.h"
#include "partita/portfolio/portfolio.h"
#include "partita/portfolio/settle.h"
#include "partita/portfolio/staged_certificate.h"
#include "partita/portfolio/start.h"
#include "partita/reduce/latency_instance.h"
#include "partita/solve/shared/greedy.h"
#include "partita/util/statistics.h"

namespace partita::detail {
namespace {

constexpr std::uint64_t kStagedStartTicks = 100'000;

// The greedy split, and the best staged one for throughput that a short search finds. Both are fast on large graphs,
// where the search for latency is slow to begin; on small ones it needs neither.
std::vector<LatencySplit> find_starts(const Problem& problem, const LatencyInstance& instance,
                                      const PlanOptions& options, Budget& budget) {
  std::vector<LatencySplit> starts;
  if (const auto greedy = greedy_split(problem)) starts.push_back(to_latency(problem, instance, *greedy));
  const PortfolioSettings& settings = options.settings.portfolio;
  if (!settings.staged_start || !is_plain(problem.workload->platform)) return starts;
  Technique start(budget, "portfolio.staged_start", "splits");
  Budget slice(budget, kStagedStartTicks, settings.latency_start_share * budget.seconds_left());
  if (const auto staged = staged_split(problem, options.seed, options.settings, slice, {})) {
    starts.push_back(to_latency(problem, instance, *staged));
    start.yield(1);
  }
  return starts;
}

}  // namespace

void plan_latency(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, Plan& plan) {
  const LatencyInstance instance = make_latency_instance(problem);
  if (ruled_out(problem, instance.group_of, plan.result)) return;
  Budget part = before_certificate(options.certificate, budget);
  const LatencyOutcome outcome =
      solve_latency(instance, find_starts(problem, instance, options, part),
                    {options.gap, options.seed, options.threads, options.settings.latency}, part, sink);
  // Which of two host nodes is first may depend on rounding where they must wait for cores, so there the value is
  // whatever `check` says.
  settle(
      problem, outcome, [&](const LatencySplit& split) { return lift_latency(instance, split); },
      [&] { return why_infeasible(problem, outcome.proof.c_str(), budget); }, plan, problem.strict_host_cores);
  if (!options.certificate || !plan.result.split) return;
  plan.certificate = certify_latency(problem, plan.result, budget, sink);
  if (plan.certificate) plan.result.proof += words_for(*plan.certificate, plan.result);
}

}  // namespace partita::detail
