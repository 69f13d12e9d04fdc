// SPDX-License-Identifier: Apache-2.0
// Hand-made splits whose timelines are known.
#include <gtest/gtest.h>

#include "partita/util/error.h"
#include "tests/schedule/timeline.h"

namespace partita {
namespace {

// Two stages: 2 + 1 to write, and 1 to read + 3.
Problem two_stages(TransferMode mode = TransferMode::Sum) {
  Problem problem = problem_of(graph_from_text("a 2 9; b 3 9; a -> b : 1", 2, kUnlimited, 1));
  problem.transfers = mode;
  return problem;
}

Simulation run(const Problem& problem, std::string_view split, const SimulationOptions& options) {
  return simulate(problem, split_from_text(problem.workload, split), options);
}

TEST(Timelines, Pipeline) {
  const Simulation s = run(two_stages(), "a | b", run_as(ScheduleKind::Pipeline, 3));
  EXPECT_EQ(timeline(s),
            "accelerator 0 | 0 compute 0-2, 0 out 2-3, 1 compute 4-6, 1 out 6-7, 2 compute 8-10, 2 out 10-11\n"
            "accelerator 1 | 0 in 3-4, 0 compute 4-7, 1 in 7-8, 1 compute 8-11, 2 in 11-12, 2 compute 12-15\n");
  EXPECT_EQ(s.makespan, 15);
  EXPECT_EQ(s.latency, 7);
  EXPECT_EQ(s.warm_up_end, 7);
  EXPECT_EQ(s.drain_begin, 8);
  EXPECT_EQ(s.formula, 4);
}

}  // namespace
}  // namespace partita
