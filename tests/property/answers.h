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

// Whatever the limits: a split that passes the definition at the value claimed, and a bound that no legal split beats.
Complaint dishonest(const Problem& problem, const Plan& answer, std::optional<double> optimum);
// The same, and the optimum has been found.
Complaint wrong(const Problem& problem, const Plan& answer, std::optional<double> optimum);

// The same by the definitions of pipeline_brute_force.h.
Complaint dishonest_setup(const Problem& problem, const Plan& answer, std::optional<double> optimum);
Complaint wrong_setup(const Problem& problem, const Plan& answer, std::optional<double> optimum);

inline bool has(const CheckReport& report, Violation::Kind kind) {
  return std::ranges::any_of(report.violations, [&](const Violation& v) { return v.kind == kind; });
}

}  // namespace partita::detail
