// SPDX-License-Identifier: Apache-2.0
// Answers of `plan`, and whether they say what they should of the optimum.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "partita/partita.h"
#include "tests/property/property.h"

namespace partita::detail {

inline Plan plan_within(const Problem& problem, std::uint64_t ticks, const PlanOptions& options = {}) {
  Budget::Limits limits;
  limits.ticks = ticks;
  Budget budget(limits);
  return plan(problem, options, budget);
}

inline Plan plan_fully(const Problem& problem, const PlanOptions& options = {}) {
  return plan_within(problem, Budget::Limits{}.ticks, options);
}

// Optimal where there is a split, infeasible where there is none; a complaint if it is neither.
inline Complaint other_status(const Plan& answer, std::optional<double> optimum) {
  const Status expected = optimum ? Status::Optimal : Status::Infeasible;
  if (answer.result.status == expected) return {};
  return fmt::format("status {} instead of {}: value {}, bound {}, optimum {}", to_string(answer.result.status),
                     to_string(expected), answer.result.value, answer.result.bound, optimum.value_or(-1));
}

inline bool has(const CheckReport& report, Violation::Kind kind) {
  return std::ranges::any_of(report.violations, [&](const Violation& v) { return v.kind == kind; });
}

}  // namespace partita::detail
