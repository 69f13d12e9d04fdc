// SPDX-License-Identifier: Apache-2.0
#include "app/partita/plan_report.h"

#include <fmt/format.h>

#include "partita/ask/option_names.h"
#include "partita/check/claims.h"
#include "partita/check/cost_sources.h"
#include "partita/check/describe.h"
#include "partita/check/names.h"
#include "partita/check/shared_links.h"
#include "partita/check/speed_up.h"
#include "partita/check/times.h"
#include "partita/check/warnings.h"
#include "partita/util/text_width.h"
#include "partita/util/visible_text.h"

namespace partita::detail::app {
namespace {

const char* stop_text(Stopped stopped) {
  switch (stopped) {
    case Stopped::No: return "";
    case Stopped::Interrupted: return ", interrupted: the best so far";
    case Stopped::OutOfMemory: return ", memory limit reached: the best so far";
    case Stopped::OutOfTime: return ", time limit reached: the best so far";
  }
  return "";
}

bool within_gap(const Result& result, double gap) {
  return result.status == Status::Feasible && gap > 0 && result.gap() <= gap;
}

std::string claim(const Problem& problem, const Result& result, const PlanReportOptions& options) {
  if (!options.searched) return "the solution file's split";
  if (within_gap(result, options.gap))
    return fmt::format("within the gap asked for ({} <= {})", percent_text(result.gap()), percent_text(options.gap));
  return claim_text(problem, result);
}

std::string status_line(const Problem& problem, const Result& result, const PlanReportOptions& options) {
  const auto search = [&](const char* end) {
    return options.searched ? fmt::format(" (search: {:.2f} s{})", result.seconds, end) : std::string();
  };
  if (!result.split) return fmt::format("{}: no split{}\n", to_string(result.status), search(""));
  const std::string& unit = problem.workload->time_unit;
  const bool latency = problem.objective == Objective::Latency;
  const std::string value =
      latency ? time_text(result.value, unit) + (unit.empty() ? " latency (in the file's unit of time)" : " latency")
              : per_sample_text(result.value, unit);
  const bool ended = result.status == Status::Optimal || within_gap(result, options.gap);
  return fmt::format("{}: {}{}\n", claim(problem, result, options), value,
                     search(ended ? "" : stop_text(options.stopped)));
}

// What an optimal value does not say by itself: how far below it the best could be.
std::string bound_line(const Problem& problem, const Result& result) {
  if (!result.split || result.status == Status::Optimal) return "";
  const std::string bound = bound_text(problem, result);
  if (bound.empty()) return "no bound is known: a better split may exist\n";
  return fmt::format("{}: gap {}\n", bound, percent_text(result.gap()));
}

std::string proof_lines(const Result& result, bool technical) {
  std::string text;
  const std::string plain = plain_proof(result);
  if (!plain.empty()) text += fmt::format("proof: {}\n", visible(plain));
  if (technical && !plain.empty()) text += fmt::format("in technical terms: {}\n", visible(result.proof));
  return text;
}

std::string worth_lines(const Problem& problem, const Plan& plan) {
  const Result& result = plan.result;
  std::string text;
  if (!result.split) return text;
  if (const auto gain = speed_up(problem, result.value)) text += speed_up_text(problem, *gain) + "\n";
  if (const auto alone = lone_bottleneck(problem, result.value))
    text += lone_bottleneck_text(problem, *alone, result.value) + "\n";
  if (const std::string link = slowest_link_text(problem, plan.report); !link.empty()) text += link + "\n";
  return text;
}

}  // namespace

std::string plan_report(const Problem& problem, const Plan& plan, const PlanReportOptions& options) {
  const std::size_t width = options.width;
  std::string text = visible(describe_workload(problem)) + "\n";
  const std::string sources = describe_sources(problem.workload);
  if (!sources.empty()) text += fmt::format("costs: {}\n", sources);
  for (const std::string& line : warnings(problem, plan.report)) text += wrapped_text("warning: " + line, width);
  text += status_line(problem, plan.result, options);
  text += bound_line(problem, plan.result);
  text += proof_lines(plan.result, options.technical);
  text += worth_lines(problem, plan);
  if (plan.result.split) {
    text.append("\n").append(describe_table(problem, plan.report, width));
    for (const std::string& more :
         {describe_memory(problem, plan.report, width), in_options(describe_schedule(problem, plan.report, width))}) {
      if (!more.empty()) text.append("\n").append(more);
    }
  }
  return text;
}

}  // namespace partita::detail::app
