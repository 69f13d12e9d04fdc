// SPDX-License-Identifier: Apache-2.0
#include "partita/model/comparison.h"

#include <algorithm>
#include <cmath>

namespace partita {

double AlgorithmRun::gap() const {
  if (!std::isfinite(value)) return 1;
  return value <= 0 ? 0 : (value - bound) / value;
}

double Comparison::best() const {
  double best = std::numeric_limits<double>::infinity();
  for (const AlgorithmRun& run : runs) {
    if (run.legal) best = std::min(best, run.value);
  }
  return best;
}

std::optional<double> Comparison::ratio(const AlgorithmRun& run) const {
  const double reference = best();
  if (!std::isfinite(run.value) || !std::isfinite(reference)) return std::nullopt;
  if (run.value == reference) return 1;
  if (reference <= 0) return std::nullopt;
  return run.value / reference;
}

Result Comparison::answer() const {
  Result answer;
  for (const AlgorithmRun& run : runs) {
    answer.seconds += run.seconds;
    if (run.legal && run.split && run.value < answer.value) {
      answer.split = run.split;
      answer.value = run.value;
    }
    const bool holds = !run.bound_shape || implies(shape, *run.bound_shape);
    if (holds && (run.bound > answer.bound || (run.bound == answer.bound && answer.unverified))) {
      answer.bound = run.bound;
      answer.proof = run.proof;
      answer.unverified = run.unverified;
    }
    if (run.outcome == AlgorithmRun::Outcome::Infeasible && answer.reason.empty()) answer.reason = run.reason;
  }
  if (answer.split) {
    answer.status = answer.gap() <= kOptimalGap ? Status::Optimal : Status::Feasible;
    answer.reason.clear();
  } else if (infeasible()) {
    answer.status = Status::Infeasible;
  } else {
    answer.reason = "no algorithm found a legal split";
  }
  return answer;
}

bool Comparison::infeasible() const {
  return std::ranges::any_of(runs,
                             [](const AlgorithmRun& r) { return r.outcome == AlgorithmRun::Outcome::Infeasible; });
}

std::optional<MeanRatio> mean_ratio(const std::vector<Comparison>& comparisons, const std::string& algorithm) {
  MeanRatio mean;
  double logarithms = 0;
  for (const Comparison& comparison : comparisons) {
    for (const AlgorithmRun& run : comparison.runs) {
      if (run.algorithm != algorithm) continue;
      const std::optional<double> ratio = comparison.ratio(run);
      if (!ratio) continue;
      logarithms += std::log(*ratio);
      ++mean.workloads;
      mean.legal = mean.legal && run.legal;
    }
  }
  if (mean.workloads == 0 || !std::isfinite(logarithms)) return std::nullopt;
  mean.ratio = std::exp(logarithms / static_cast<double>(mean.workloads));
  return mean;
}

bool implies(Shape a, Shape b) {
  const auto width = [](Shape shape) { return shape == Shape::Staged ? 0 : shape == Shape::Contiguous ? 1 : 2; };
  return width(a) <= width(b);
}

const char* to_string(AlgorithmRun::Outcome outcome) {
  switch (outcome) {
    case AlgorithmRun::Outcome::Split: return "split";
    case AlgorithmRun::Outcome::NoSplit: return "no-split";
    case AlgorithmRun::Outcome::Infeasible: return "infeasible";
    case AlgorithmRun::Outcome::NotApplicable: return "not-applicable";
    case AlgorithmRun::Outcome::Interrupted: return "interrupted";
  }
  return "";
}

}  // namespace partita
