// SPDX-License-Identifier: Apache-2.0
#include "app/partita/plan_report.h"

#include <fmt/format.h>

#include "app/shared/exit_codes.h"
#include "partita/check/describe.h"
#include "partita/check/names.h"

namespace partita::app {
namespace {

const char* unit_of(Objective objective) { return objective == Objective::Latency ? "latency" : "time per sample"; }

const char* stop_text(Stopped stopped) {
  switch (stopped) {
    case Stopped::No: return "";
    case Stopped::Interrupted: return " (interrupted: the best so far)";
    case Stopped::OutOfTime: return " (time limit reached: the best so far)";
  }
  return "";
}

std::string status_line(const Problem& problem, const Result& result, Stopped stopped) {
  if (!result.split) return fmt::format("{}: no split, {:.2f} s\n", to_string(result.status), result.seconds);
  // An optimal value may differ from its bound by rounding, which is not a gap.
  const double gap = result.status == Status::Optimal ? 0 : result.gap();
  return fmt::format("{}: {:.6g} {}, bound {:.6g}, gap {}, {:.2f} s{}\n", to_string(result.status), result.value,
                     unit_of(problem.objective), result.bound, percent_text(gap), result.seconds,
                     result.status == Status::Optimal ? "" : stop_text(stopped));
}

}  // namespace

std::string plan_report(const Problem& problem, const Plan& plan, Stopped stopped, std::size_t width) {
  std::string text = one_line(describe_workload(problem)) + "\n";
  text += status_line(problem, plan.result, stopped);
  if (!plan.result.proof.empty()) text += fmt::format("proof: {}\n", one_line(plan.result.proof));
  if (plan.result.split) {
    text.append("\n").append(describe_table(problem, plan.report, width));
    for (const std::string& more :
         {describe_memory(problem, plan.report, width), describe_schedule(problem, plan.report, width)}) {
      if (!more.empty()) text.append("\n").append(more);
    }
  }
  return text;
}

}  // namespace partita::app
