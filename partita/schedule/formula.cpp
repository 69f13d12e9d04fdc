// SPDX-License-Identifier: Apache-2.0
#include "partita/schedule/formula.h"

#include <algorithm>

namespace partita::detail {
namespace {

// A forward piece may also read what only the backward nodes of its device need, from devices that no forward edge
// leads to it from.
bool takes_forward_pieces_forward(const std::vector<DeviceId>& order, const Pieces& pieces) {
  const auto place = [&](PieceId p) { return std::find(order.begin(), order.end(), pieces.pieces[p].device); };
  const auto is_forward = [&](PieceId p) { return !pieces.pieces[p].backward && !pieces.pieces[p].nodes.empty(); };
  for (PieceId p : pieces.pieces.all()) {
    if (!is_forward(p)) continue;
    for (PieceId q : pieces.pieces[p].after) {
      if (is_forward(q) && place(q) > place(p)) return false;
    }
  }
  return !order.empty();
}

}  // namespace

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
  if (takes_forward_pieces_forward(report.order, pieces)) return report.order;
  Problem staged = problem;
  staged.objective = Objective::MaxLoad;
  staged.shape = Shape::Staged;
  std::vector<DeviceId> order = check(staged, split).order;
  if (takes_forward_pieces_forward(order, pieces)) return order;
  order.clear();
  const auto add = [&](DeviceId d) {
    if (std::find(order.begin(), order.end(), d) == order.end()) order.push_back(d);
  };
  for (const Piece& piece : pieces.pieces) {
    if (!piece.nodes.empty()) add(piece.device);
  }
  return order;
}

}  // namespace partita::detail
