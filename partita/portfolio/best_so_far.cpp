// SPDX-License-Identifier: Apache-2.0
#include "partita/portfolio/best_so_far.h"

#include <algorithm>

#include "partita/check/check.h"
#include "partita/portfolio/settle.h"
#include "partita/solve/mip/cbc_backend.h"
#include "partita/solve/mip/solve_ip.h"

namespace partita {

bool BestSoFar::done() const {
  if (budget_.exhausted() || plan_.result.status == Status::Infeasible) return true;
  return found() && value() - bound() <= std::max(options_.gap, kClosedGap) * value();
}

bool BestSoFar::offer(Split split) {
  const CheckReport report = check(problem_, split);
  if (!report.legal() || (found() && report.value >= value())) return false;
  split.order = report.order;
  plan_.result.split = std::move(split);
  plan_.result.value = report.value;
  return true;
}

bool BestSoFar::raise_bound(double bound, std::string proof) {
  Result& result = plan_.result;
  if (bound <= result.bound && !result.proof.empty()) return false;
  result.bound = std::max(result.bound, bound);
  result.proof = std::move(proof);
  plan_.certificate.reset();
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

void BestSoFar::ask_integer_program() {
  CbcBackend backend;
  const Sink news = [this](const Progress& progress) { pass_on(progress, progress.value, progress.bound); };
  const IpOutcome outcome =
      solve_ip(problem_, backend, {.gap = options_.gap, .start = plan_.result.split, .bound = bound()}, budget_,
               sink_ ? news : Sink());
  raise_bound(outcome.bound, outcome.proof);
  if (outcome.split) offer(*outcome.split);
  if (outcome.infeasible && !found())
    no_split_exists(outcome.proof, why_infeasible(problem_, "found by the integer program", budget_));
}

void BestSoFar::settle() {
  if (found()) {
    settle_status(problem_, value(), bound(), plan_);
  } else if (plan_.result.status != Status::Infeasible) {
    plan_.result.reason = kNoSplitYet;
  }
}

}  // namespace partita
