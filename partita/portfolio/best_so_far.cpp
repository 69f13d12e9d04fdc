// SPDX-License-Identifier: Apache-2.0
#include "partita/portfolio/best_so_far.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "partita/check/check.h"
#include "partita/portfolio/settle.h"
#include "partita/solve/exhaustive/every_split.h"
#include "partita/solve/mip/choose_backend.h"
#include "partita/util/statistics.h"

namespace partita::detail {
namespace {

constexpr std::uint64_t kEverySplitTicks = 4'000'000;  // a second or so
constexpr double kEverySplitPart = 0.2;                // of the time that is left
constexpr double kMostBits = 32;           // of all choices together: beyond, most problems take longer than that
constexpr double kRoundingOfSums = 1e-12;  // of sums of loads in another order
constexpr const char* kEverySplitSeen = "every split was looked at";

}  // namespace

bool BestSoFar::done() const {
  if (budget_.exhausted() || plan_.result.status == Status::Infeasible) return true;
  return found() && value() - bound() <= std::max(options_.gap, kClosedGap) * value();
}

bool BestSoFar::offer(Split split) {
  CheckReport report = check(problem_, split);
  if (!report.legal() || (found() && report.value >= value())) return false;
  split.order = report.order;
  plan_.result.split = std::move(split);
  plan_.result.value = report.value;
  plan_.report = std::move(report);
  measured_ = true;
  return true;
}

bool BestSoFar::raise_bound(double bound, std::string proof, bool unverified, std::optional<Certificate> certificate) {
  Result& result = plan_.result;
  const bool firmer = result.unverified && !unverified && bound >= result.bound;
  if (bound <= result.bound && !result.proof.empty() && !firmer) return false;
  result.bound = std::max(result.bound, bound);
  result.proof = std::move(proof);
  result.unverified = unverified;
  plan_.certificate = std::move(certificate);
  return true;
}

void BestSoFar::no_split_exists(std::string proof, std::string reason) {
  plan_.result.status = Status::Infeasible;
  plan_.result.proof = std::move(proof);
  plan_.result.reason = std::move(reason);
}

void BestSoFar::pass_on(const Progress& progress, double value, double bound) const {
  if (!sink_) return;
  Progress news = progress;
  news.value = std::min(value, plan_.result.value);
  news.bound = std::min(std::max(bound, plan_.result.bound), news.value);
  sink_(news);
}

void BestSoFar::tell(Progress::Event event, std::size_t groups, const std::string& detail) const {
  pass_on({event, budget_.seconds_used(), value(), bound(), groups, detail}, value(), bound());
}

bool BestSoFar::few_splits() const {
  const Workload& workload = problem_.workload;
  const double devices = std::max(1.0, static_cast<double>(workload.platform.device_count()));
  return static_cast<double>(workload.graph.nodes.size()) * std::log2(devices) <= kMostBits;
}

void BestSoFar::try_every_split() {
  if (!options_.settings.portfolio.every_split || done() || (found() && !few_splits())) return;
  Technique looking(budget_, "portfolio.every_split", "answers");
  // With several subgraphs on an accelerator, there is more to a split than its devices.
  const bool devices_are_all = problem_.objective != Objective::Latency || problem_.subgraphs == 1;
  bool all_legal = true;
  const Measure measure = [&](const Split& split) {
    const CheckReport report = check(problem_, split);
    all_legal = all_legal && report.legal();
    return report.legal() ? std::optional(report.value) : std::nullopt;
  };
  Budget part(budget_, kEverySplitTicks, kEverySplitPart * budget_.seconds_left());
  EverySplit all = look_at_every_split(problem_, value(), measure, part);
  if (all.split && offer(std::move(*all.split))) tell(Progress::Event::Split, 0, "");
  looking.yield(all.complete);
  if (!all.complete || !(devices_are_all || all_legal)) return;
  if (!found()) return no_split_exists(kEverySplitSeen, why_infeasible(problem_, kEverySplitSeen, budget_));
  if (!devices_are_all) return;
  raise_bound(value() * (1 - kRoundingOfSums), kEverySplitSeen);
  tell(Progress::Event::Bound, 0, kEverySplitSeen);
}

IpOutcome BestSoFar::ask_integer_program() {
  const Workload& workload = problem_.workload;
  const std::size_t size = workload.graph.nodes.size() * workload.platform.device_count();
  // The columns of most programs. Writing a larger one down takes longer than a limit may be, and no solver gets anywhere.
  const std::size_t most = options_.settings.mip.largest_program;
  if (size > most) {
    IpOutcome outcome;
    outcome.unsuitable = true;
    outcome.failure =
        fmt::format("{} nodes on {} devices are more than an integer program is made for (at most {} of both together)",
                    workload.graph.nodes.size(), workload.platform.device_count(), most);
    return outcome;
  }
  const std::unique_ptr<MipBackend> backend = choose_backend(options_.settings.mip);
  const Sink news = [this](const Progress& progress) { pass_on(progress, progress.value, progress.bound); };
  const IpOptions options{.gap = options_.gap,
                          .start = plan_.result.split,
                          .bound = bound(),
                          .measure =
                              [this](const Split& split) {
                                const CheckReport report = check(problem_, split);
                                return report.legal() ? std::optional(report.value) : std::nullopt;
                              },
                          .settings = options_.settings.mip};
  IpOutcome outcome = solve_ip(problem_, *backend, options, budget_, sink_ ? news : Sink());
  if (outcome.unsuitable) return outcome;
  if (outcome.split) offer(*outcome.split);
  // Where our own bound is enough, nobody needs a foreign solver's word.
  const bool settled = found() && value() - bound() <= std::max(options_.gap, kClosedGap) * value();
  if (!settled && outcome.bound > bound()) {
    raise_bound(outcome.bound, outcome.proof, true);
  } else if (!outcome.failure.empty()) {
    plan_.result.proof += (proof().empty() ? "" : "; ") + outcome.failure;
  }
  if (found()) return outcome;
  plan_.result.reason = outcome.failure;
  if (outcome.infeasible) {
    plan_.result.reason = fmt::format("{} claims that no split exists, which nobody has verified", backend->name());
    try_every_split();
  }
  return outcome;
}

void BestSoFar::settle() {
  Result& result = plan_.result;
  if (found()) {
    if (result.unverified && bound() > value() * (1 + kOptimalGap)) withdraw_claim(result);
    if (!measured_) settle_status(problem_, value(), bound(), plan_);
    settle_measured(bound(), plan_);
    result.reason.clear();
  } else if (result.status != Status::Infeasible && result.reason.empty()) {
    result.reason = kNoSplitYet;
  }
}

}  // namespace partita::detail
