// SPDX-License-Identifier: Apache-2.0
#include "partita/report/page/sections.h"

namespace partita::detail {
namespace {

std::vector<const Progress*> where_something_moved(const std::vector<Progress>& progress) {
  std::vector<const Progress*> moves;
  for (const Progress& point : progress) {
    const bool moved = moves.empty() || point.value != moves.back()->value || point.bound != moves.back()->bound;
    if (moved || &point == &progress.back()) moves.push_back(&point);
  }
  return moves;
}

std::vector<const Progress*> thinned(const std::vector<const Progress*>& points) {
  if (points.size() <= kMostConvergencePoints) return points;
  std::vector<const Progress*> kept;
  for (std::size_t i = 0; i < kMostConvergencePoints; ++i)
    kept.push_back(points[i * (points.size() - 1) / (kMostConvergencePoints - 1)]);
  return kept;
}

}  // namespace

void write_convergence(const std::vector<Progress>& progress, JsonWriter& json) {
  json.array(thinned(where_something_moved(progress)), [&](const Progress* point) {
    json.object([&] {
      json.field("seconds", point->seconds);
      json.field("value", point->value);
      json.field("bound", point->bound);
    });
  });
}

}  // namespace partita::detail
