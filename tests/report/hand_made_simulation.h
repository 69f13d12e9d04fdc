// SPDX-License-Identifier: Apache-2.0
// A pipeline whose every number is known: training on two accelerators, each busy without a break in the middle.
//
// Forward, accelerator 0 computes 1 and writes 0.5, which accelerator 1 reads before it computes 1; backward,
// accelerator 1 computes 2 and writes 0.5, and accelerator 0 reads that and computes 2. Sample s starts at 4s:
//
//   accelerator 0   F(s) 4s .. 4s+1.5                                      B(s) 4s+5.5 .. 4s+8
//   accelerator 1                      F(s) 4s+1.5 .. 4s+3   B(s) 4s+3 .. 4s+5.5
#pragma once

#include <algorithm>
#include <vector>

#include "partita/schedule/simulation.h"
#include "tests/support/graph_text.h"

namespace partita::detail {

struct HandMade {
  Problem problem;
  CheckReport report;
  Simulation simulation;
};

// `unit` scales all times. Of `recorded` samples the intervals are there.
inline HandMade hand_made(std::size_t samples, double unit = 1, std::size_t recorded = 1'000'000) {
  HandMade made;
  made.problem.workload =
      graph_from_text("a 1 -; b 1 -; c 2 - back; d 2 - back; a -> b : 0.5; b -> c; c -> d : 0.5", 2, kUnlimited, 0);
  made.problem.workload.change().name = "by hand";
  made.report = check(made.problem, split_from_text(made.problem.workload, "a d | b c"));

  Simulation& simulation = made.simulation;
  const DeviceId first(0);
  const DeviceId second(1);
  simulation.kind = ScheduleKind::OneF1B;
  simulation.samples = samples;
  simulation.lanes = {{first, "accelerator 0"}, {second, "accelerator 1"}};
  simulation.pieces.pieces = {{first, false, {NodeId(0)}, {1, 0, 0.5}, {}},
                              {second, false, {NodeId(1)}, {1, 0.5, 0}, {PieceId(0)}},
                              {second, true, {NodeId(2)}, {2, 0, 0.5}, {PieceId(1)}},
                              {first, true, {NodeId(3)}, {2, 0.5, 0}, {PieceId(2)}}};
  simulation.pieces.piece_of = {PieceId(0), PieceId(1), PieceId(2), PieceId(3)};

  const double n = static_cast<double>(samples);
  simulation.makespan = unit * (4 * n + 4);
  simulation.latency = unit * 8;
  simulation.warm_up_end = unit * 8;
  simulation.drain_begin = unit * std::max(8.0, 4 * n - 4);
  simulation.time_per_sample = unit * 4;
  simulation.steady = true;
  simulation.formula = unit * 4;
  simulation.devices = {{unit * 3 * n, unit * n / 2, unit * n / 2, 0, unit * 4 * n, samples, 2, 100},
                        {unit * 3 * n, unit * n / 2, unit * n / 2, 0, unit * 4 * n, samples, 1, 50}};
  simulation.memory.resize(2);
  for (std::uint32_t s = 0; s < std::min(samples, recorded); ++s) {
    const auto add = [&](std::size_t lane, std::size_t piece, Phase phase, double start, double finish) {
      simulation.intervals.push_back(
          {LaneId(lane), PieceId(piece), phase, s, unit * (4 * s + start), unit * (4 * s + finish)});
    };
    add(0, 0, Phase::Compute, 0, 1);
    add(0, 0, Phase::Out, 1, 1.5);
    add(1, 1, Phase::In, 1.5, 2);
    add(1, 1, Phase::Compute, 2, 3);
    add(1, 2, Phase::Compute, 3, 5);
    add(1, 2, Phase::Out, 5, 5.5);
    add(0, 3, Phase::In, 5.5, 6);
    add(0, 3, Phase::Compute, 6, 8);
    simulation.memory[first].push_back({unit * 4 * s, s == 0 ? std::size_t{1} : std::size_t{2}, s == 0 ? 50.0 : 100.0});
  }
  std::stable_sort(simulation.intervals.begin(), simulation.intervals.end(),
                   [](const Interval& a, const Interval& b) { return a.start < b.start; });
  return made;
}

}  // namespace partita::detail
