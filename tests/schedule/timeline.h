// SPDX-License-Identifier: Apache-2.0
// Timelines as text, so that a test shows what runs when.
#pragma once

#include <fmt/format.h>

#include <string>

#include "partita/schedule/simulation.h"
#include "tests/check/setup_fixture.h"

namespace partita::detail {

// Each lane on a line, its intervals by start: "accelerator 0: 0 compute 0-2, 0 out 2-3, 1 compute 3-5". The backward
// pass has a ' behind the sample.
inline std::string timeline(const Simulation& simulation) {
  std::string text;
  for (LaneId lane : simulation.lanes.all()) {
    text += simulation.lanes[lane].name + " |";
    const char* separator = "";
    for (const Interval& i : simulation.intervals) {
      if (i.lane != lane) continue;
      text += fmt::format("{} {}{} {} {:.6g}-{:.6g}", separator, i.sample,
                          simulation.pieces.pieces[i.piece].backward ? "'" : "", to_string(i.phase), i.start, i.finish);
      separator = ",";
    }
    text += "\n";
  }
  return text;
}

inline SimulationOptions run_as(ScheduleKind kind, std::size_t samples, std::size_t microbatches = 8) {
  SimulationOptions options;
  options.kind = kind;
  options.samples = samples;
  options.microbatches = microbatches;
  return options;
}

// A split whose first stage accelerators 0 and 2 share: after each sample they exchange the 4 bytes of its first node,
// which takes 1.
struct SharedFirstStage {
  Problem problem;
  Split split;

  SharedFirstStage(std::string_view graph, std::string_view text)
      : problem(problem_of(graph_from_text(graph, 3, kUnlimited, 0))) {
    problem.replicas = 2;
    problem.workload.change().platform.sync_bandwidth = 4;
    problem.workload.change().graph.nodes[NodeId(0)].parts.weights = 4;
    split = split_from_text(problem.workload, text);
    split.copy_of = copies({0, 1, 0});
  }
};

}  // namespace partita::detail
