// SPDX-License-Identifier: Apache-2.0
#include "partita/portfolio/settle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "partita/portfolio/start.h"
#include "partita/reduce/contradiction.h"

namespace partita::detail {
namespace {

constexpr std::uint64_t kLookTicks = 200'000;

bool contradicted(std::string why, Result& result) {
  result.reason = std::move(why);
  if (result.reason.empty()) return false;
  result.status = Status::Infeasible;
  result.proof = "a constraint that no split meets";
  return true;
}

}  // namespace

void settle_status(const Problem& problem, double claimed_bound, Plan& plan) {
  plan.report = check(problem, *plan.result.split);
  settle_measured(claimed_bound, plan);
}

void settle_measured(double claimed_bound, Plan& plan) {
  Result& result = plan.result;
  if (!plan.report.legal())
    throw std::logic_error("the solver's split is illegal: " + plan.report.violations[0].message);
  result.value = plan.report.value;
  result.bound = std::min(claimed_bound, result.value);
  result.status = result.gap() <= kOptimalGap ? Status::Optimal : Status::Feasible;
}

void settle_status(const Problem& problem, double claimed_value, double claimed_bound, Plan& plan) {
  settle_status(problem, claimed_bound, plan);
  if (std::abs(plan.report.value - claimed_value) > 1e-9 * plan.report.value) {
    throw std::logic_error(
        fmt::format("the solver's value {} differs from the recomputed {}", claimed_value, plan.report.value));
  }
}

bool ruled_out(const Problem& problem, const NetGraph& graph, const StagePlatform& platform,
               const IdVector<NodeId, GroupId>& group_of, Result& result) {
  return contradicted(find_contradiction(problem, graph, platform, group_of), result);
}

bool ruled_out(const Problem& problem, const IdVector<NodeId, GroupId>& group_of, Result& result) {
  return contradicted(find_contradiction(problem, group_of), result);
}

std::string nothing_fits(const Problem& problem, const char* found_by) {
  const bool limited = std::ranges::any_of(problem.workload->platform.classes,
                                           [](const DeviceClass& c) { return c.count > 0 && c.memory < kUnlimited; });
  return fmt::format("no {} split meets all of these together: {}the devices that nodes can run on, and the shape ({})",
                     to_string(problem.shape), limited ? "memory, " : "", found_by);
}

std::string why_infeasible(const Problem& problem, const char* found_by, Budget& budget) {
  if (problem.objective == Objective::Latency) {
    return fmt::format("memory, and subgraphs that must run uninterrupted: no split fits the devices ({})", found_by);
  }
  Problem roomy = problem;
  for (DeviceClass& c : roomy.workload.change().platform.classes) c.memory = kUnlimited;
  if (!find_start(roomy, {.most_ticks = kLookTicks}, budget, {})) return nothing_fits(problem, found_by);
  return fmt::format("memory: {} splits exist, but each needs more than some device has ({})", to_string(problem.shape),
                     found_by);
}

void withdraw_claim(Result& result) {
  result.bound = 0;
  result.unverified = false;
  result.proof = "loads are not negative; a foreign solver's bound was refuted by a split";
  if (result.status == Status::Optimal && result.gap() > kOptimalGap) result.status = Status::Feasible;
}

}  // namespace partita::detail
