// SPDX-License-Identifier: Apache-2.0
// What the tests of this folder share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "partita/check/check.h"
#include "tests/support/graph_text.h"

namespace partita::detail {

inline Problem problem_of(Workload workload, Shape shape = Shape::Staged, Objective objective = Objective::MaxLoad) {
  Problem problem;
  problem.workload = std::move(workload);
  problem.shape = shape;
  problem.objective = objective;
  return problem;
}

inline CheckReport check_text(const Problem& problem, std::string_view split) {
  return check(problem, split_from_text(problem.workload, split));
}

// The messages of one kind.
inline std::vector<std::string> messages(const CheckReport& report, Violation::Kind kind) {
  std::vector<std::string> found;
  for (const Violation& violation : report.violations) {
    if (violation.kind == kind) found.push_back(violation.message);
  }
  return found;
}

using Messages = std::vector<std::string>;
using Devices = std::vector<DeviceId>;

}  // namespace partita::detail
