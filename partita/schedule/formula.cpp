// SPDX-License-Identifier: Apache-2.0
#include "partita/schedule/formula.h"

namespace partita {

std::optional<double> formula_of(const Problem& problem, const Split& split, ScheduleKind kind) {
  Problem asked = problem;
  switch (kind) {
    case ScheduleKind::Pipeline:
    case ScheduleKind::OneF1B: asked.objective = Objective::MaxLoad; break;
    case ScheduleKind::GPipe: asked.objective = Objective::GPipe; break;
    case ScheduleKind::Sequential:
      if (problem.objective != Objective::Latency) return std::nullopt;
      break;
  }
  return check(asked, split).value;
}

std::vector<DeviceId> order_of_stages(const Problem& problem, const Split& split, const CheckReport& report) {
  if (!report.order.empty()) return report.order;
  Problem staged = problem;
  staged.objective = Objective::MaxLoad;
  staged.shape = Shape::Staged;
  return check(staged, split).order;
}

}  // namespace partita
