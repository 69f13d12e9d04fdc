// SPDX-License-Identifier: Apache-2.0
#include "partita/compare/run_algorithm.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "partita/check/check.h"
#include "partita/check/names.h"
#include "partita/solve/baseline/subgraphs.h"
#include "partita/util/error.h"
#include "partita/util/within_limits.h"

namespace partita::detail {
namespace {

constexpr std::size_t kViolationsKept = 20;

// The narrowest shape that the split has.
Shape shape_of(const Problem& problem, const Split& split) {
  for (const Shape shape : {Shape::Staged, Shape::Contiguous}) {
    Problem shaped = problem;
    shaped.shape = shape;
    const CheckReport report = check(shaped, split);
    const bool broken = std::ranges::any_of(
        report.violations, [](const Violation& violation) { return violation.kind == Violation::Kind::Shape; });
    if (!broken) return shape;
  }
  return Shape::Free;
}

// By how much the fullest device is too full.
double memory_excess(const Platform& platform, const CheckReport& report) {
  double excess = 0;
  for (DeviceId d : report.devices.all())
    excess = std::max(excess, report.devices[d].memory - platform.classes[platform.class_of(d)].memory);
  return excess;
}

std::string fault_text(const Problem& problem, Violation::Kind kind, std::size_t count, const CheckReport& report) {
  switch (kind) {
    case Violation::Kind::Memory:
      return fmt::format("over memory by {}{}", human_bytes(memory_excess(problem.workload->platform, report)),
                         count > 1 ? fmt::format(" at most, on {}", counted(count, "device")) : "");
    case Violation::Kind::Colour: return fmt::format("{} torn apart", counted(count, "colour class"));
    case Violation::Kind::Support: return fmt::format("nodes where they cannot run, on {}", counted(count, "device"));
    case Violation::Kind::Subgraph: return "too many subgraphs";
    case Violation::Kind::Shape:
      return problem.objective == Objective::Latency ? "subgraphs wait for each other"
                                                     : fmt::format("not {}", to_string(problem.shape));
    default: return to_string(kind);
  }
}

// Each kind of violation once, in the order of their first ones.
std::string fault_in_short(const Problem& problem, const CheckReport& report) {
  std::vector<Violation::Kind> told;
  std::string text;
  for (const Violation& violation : report.violations) {
    if (std::ranges::find(told, violation.kind) != told.end()) continue;
    told.push_back(violation.kind);
    const auto count =
        static_cast<std::size_t>(std::ranges::count(report.violations, violation.kind, &Violation::kind));
    text += (text.empty() ? "" : "; ") + fault_text(problem, violation.kind, count, report);
  }
  return text;
}

// A split whose subgraphs wait for each other is shown with the time that it takes in pieces.
void measure(const Problem& problem, const Split& split, AlgorithmRun& run) {
  const CheckReport report = check(problem, split);
  run.outcome = AlgorithmRun::Outcome::Split;
  run.value = report.value;
  run.legal = report.legal();
  run.fault = fault_in_short(problem, report);
  if (problem.objective == Objective::Latency && !std::isfinite(run.value)) {
    const SubgraphCut cut = cut_into_subgraphs(problem, split);
    Problem roomy = problem;
    roomy.subgraphs = cut.most;
    run.value = check(roomy, cut.split).value;
    run.fault += fmt::format("; cut into up to {} subgraphs on an accelerator", cut.most);
  }
  run.violation_count = report.violations.size();
  for (std::size_t i = 0; i < std::min(run.violation_count, kViolationsKept); ++i)
    run.violations.push_back(report.violations[i].message);
  if (problem.objective != Objective::Latency) run.shape = shape_of(problem, split);
}

void take_over(const AlgorithmEntry& algorithm, const Problem& problem, const Result& result, AlgorithmRun& run) {
  run.split = result.split;
  if (result.split) {
    measure(problem, *result.split, run);
  } else {
    const bool proved = result.status == Status::Infeasible && !algorithm.baseline;
    run.outcome = proved ? AlgorithmRun::Outcome::Infeasible : AlgorithmRun::Outcome::NoSplit;
    run.reason = result.reason;
  }
  run.proof = result.proof;
  if (algorithm.baseline) return;
  run.bound = result.bound;
  run.unverified = result.unverified;
  run.optimal = result.status == Status::Optimal;
  if (problem.objective != Objective::Latency) run.bound_shape = algorithm.shape.value_or(problem.shape);
  // That no staged split exists does not rule out a free one.
  if (run.outcome == AlgorithmRun::Outcome::Infeasible && run.bound_shape && !implies(problem.shape, *run.bound_shape))
    run.outcome = AlgorithmRun::Outcome::NoSplit;
}

// For want of memory. A split that could not be measured is none.
void give_up(AlgorithmRun& run) {
  run.outcome = AlgorithmRun::Outcome::NoSplit;
  run.reason = "out of memory";
  run.legal = false;
  run.split.reset();
}

}  // namespace

AlgorithmRun run_algorithm(const AlgorithmEntry& algorithm, const Problem& problem, const AlgorithmOptions& options,
                           Budget& budget, const Sink& sink) {
  AlgorithmRun run;
  run.algorithm = algorithm.name;
  run.baseline = algorithm.baseline;
  run.reason = refusal(algorithm, problem, options);
  if (!run.reason.empty()) return run;
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  try {
    const bool enough = within_limits(budget, [&] {
      const Result result = algorithm.run(problem, options, budget, sink);
      run.seconds = std::chrono::duration<double>(Clock::now() - start).count();
      take_over(algorithm, problem, result, run);
    });
    if (!enough) give_up(run);
  } catch (const InputError& error) {
    if (error.kind() != ErrorKind::Unsupported) throw;
    run.reason = error.problem();
  }
  return run;
}

}  // namespace partita::detail
