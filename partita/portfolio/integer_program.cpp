// SPDX-License-Identifier: Apache-2.0
#include "partita/portfolio/portfolio.h"
#include "partita/portfolio/settle.h"
#include "partita/portfolio/start.h"
#include "partita/reduce/free_instance.h"
#include "partita/reduce/staged_instance.h"
#include "partita/solve/mip/cbc_backend.h"
#include "partita/solve/mip/solve_ip.h"

namespace partita {
namespace {

constexpr double kStartPart = 0.25;
constexpr std::uint64_t kStartTicks = 4'000'000;  // a second or so

// Staged splits keep more groups together, so more can be said against them.
bool ruled_out(const Problem& problem, Result& result) {
  if (problem.shape == Shape::Staged) {
    const StagedInstance instance = make_staged_instance(problem);
    return ruled_out(problem, instance.graph, instance.platform, instance.group_of, result);
  }
  const FreeInstance instance = make_free_instance(problem);
  return ruled_out(problem, instance.graph, instance.platform, instance.group_of, result);
}

}  // namespace

void plan_ip(const Problem& problem, const PlanOptions& options, Budget& budget, const Sink& sink, Plan& plan) {
  Result& result = plan.result;
  if (ruled_out(problem, result)) return;
  const std::optional<Start> start = find_start(problem, {kStartPart, kStartTicks, options.seed}, budget, sink);
  IpOptions ip{.gap = options.gap};
  if (start) ip.start = start->split;
  CbcBackend backend;
  const IpOutcome outcome = solve_ip(problem, backend, ip, budget, sink);
  result.bound = outcome.bound;
  result.proof = outcome.proof;
  if (outcome.split) {
    result.split = outcome.split;
    settle_status(problem, outcome.value, outcome.bound, plan);
  } else if (outcome.infeasible) {
    result.status = Status::Infeasible;
    result.reason = why_infeasible(problem, "found by the integer program", budget);
  } else {
    result.reason = kNoSplitYet;
  }
}

}  // namespace partita
