// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cassert>

#include "partita/schedule/simulation.h"

namespace partita {
namespace {

constexpr std::array kKinds = {ScheduleKind::Pipeline, ScheduleKind::OneF1B, ScheduleKind::GPipe,
                               ScheduleKind::Sequential};

}  // namespace

const char* to_string(ScheduleKind kind) {
  switch (kind) {
    case ScheduleKind::Pipeline: return "pipeline";
    case ScheduleKind::OneF1B: return "1f1b";
    case ScheduleKind::GPipe: return "gpipe";
    case ScheduleKind::Sequential: return "sequential";
  }
  assert(false && "no such schedule");
  return "";
}

std::optional<ScheduleKind> parse_schedule_kind(std::string_view text) {
  for (const ScheduleKind kind : kKinds) {
    if (text == to_string(kind)) return kind;
  }
  return std::nullopt;
}

ScheduleKind default_schedule(const Problem& problem) {
  if (problem.objective == Objective::Latency) return ScheduleKind::Sequential;
  if (problem.objective == Objective::GPipe) return ScheduleKind::GPipe;
  return problem.workload->graph.has_backward() ? ScheduleKind::OneF1B : ScheduleKind::Pipeline;
}

}  // namespace partita
