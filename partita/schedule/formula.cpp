// SPDX-License-Identifier: Apache-2.0
#include "partita/schedule/formula.h"

#include <algorithm>

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

std::vector<DeviceId> order_of_stages(const Problem& problem, const Split& split, const CheckReport& report,
                                      const Pieces& pieces) {
  if (!report.order.empty()) return report.order;
  Problem staged = problem;
  staged.objective = Objective::MaxLoad;
  staged.shape = Shape::Staged;
  std::vector<DeviceId> order = check(staged, split).order;
  if (!order.empty()) return order;
  const auto add = [&](DeviceId d) {
    if (std::find(order.begin(), order.end(), d) == order.end()) order.push_back(d);
  };
  for (const Piece& piece : pieces.pieces) {
    if (!piece.nodes.empty()) add(piece.device);
  }
  return order;
}

}  // namespace partita
