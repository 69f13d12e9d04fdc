// SPDX-License-Identifier: Apache-2.0
#include "partita/report/split_at_work.h"

#include <algorithm>

#include "partita/report/page.h"
#include "partita/schedule/simulate_pieces.h"

namespace partita::detail {
namespace {

constexpr std::size_t kUsualMicrobatches = 8;  // where the question does not say
constexpr std::size_t kBatchesShown = 6;       // enough to see that they repeat each other
constexpr std::size_t kIntervalsOfPiece = 3;   // in, compute, out; more are not recorded than the page shows

SimulationOptions one_sample() {
  SimulationOptions options;
  options.kind = ScheduleKind::Sequential;
  options.samples = options.record = 1;
  return options;
}

// Throughput: enough samples to see how the pipeline fills, how it runs, and how it drains.
SimulationOptions enough_samples(const Problem& problem, std::size_t pieces) {
  SimulationOptions options;
  options.kind = default_schedule(problem);
  options.microbatches = problem.microbatches > 0 ? static_cast<std::size_t>(problem.microbatches) : kUsualMicrobatches;
  options.samples = options.kind == ScheduleKind::GPipe ? kBatchesShown * options.microbatches : 3 * pieces + 12;
  const std::size_t steps = (kIntervalsOfPiece + 1) * std::max<std::size_t>(pieces, 1);  // at most, with exchanges
  options.samples = std::clamp<std::size_t>(kMostTasks / steps, 1, options.samples);
  const std::size_t room = kMostIntervals / (kIntervalsOfPiece * std::max<std::size_t>(pieces, 1));
  options.record = std::clamp<std::size_t>(room, 1, options.samples);
  return options;
}

}  // namespace

Simulation split_at_work(const Problem& problem, const Split& split, const CheckReport& report) {
  if (problem.objective == Objective::Latency) return simulate(problem, split, one_sample());
  const Pieces pieces = cut_into_pieces(problem, split, report);
  return simulate_pieces(problem, split, report, pieces, enough_samples(problem, pieces.pieces.size()));
}

}  // namespace partita::detail
