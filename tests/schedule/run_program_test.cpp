// SPDX-License-Identifier: Apache-2.0
// Programs that no schedule writes.
#include <gtest/gtest.h>

#include <stdexcept>

#include "partita/schedule/program.h"

namespace partita::detail {
namespace {

// Two steps on a lane each; the second waits for the first.
Steps two_steps() {
  Steps steps;
  for (std::size_t i = 0; i < 2; ++i) {
    steps.lanes.push_back({DeviceId(i), ""});
    Step step;
    step.duration = 1;
    step.lanes = {LaneId(i)};
    if (i > 0) step.after = {StepId(0)};
    steps.steps.push_back(step);
  }
  return steps;
}

Program in_order(std::size_t samples) {
  Program program;
  program.samples = samples;
  program.order.resize(2);
  for (std::uint32_t n = 0; n < samples; ++n) {
    program.order[LaneId(0)].push_back({StepId(0), n});
    program.order[LaneId(1)].push_back({StepId(1), n});
  }
  return program;
}

TEST(RunProgram, RunsEachStepAsSoonAsItCan) {
  const Timing timing = run_program(two_steps(), in_order(3));
  EXPECT_EQ(timing.start(StepId(0), 2), 2);
  EXPECT_EQ(timing.finish(StepId(1), 2), 4);
}

TEST(RunProgram, WaitsForEarlierSamplesFromTheFirstThatThereIs) {
  Program program = in_order(3);
  program.earlier.resize(2);
  program.earlier[StepId(0)] = {{StepId(1), 1}};
  const Timing timing = run_program(two_steps(), program);
  EXPECT_EQ(timing.start(StepId(0), 0), 0);
  EXPECT_EQ(timing.start(StepId(0), 1), 2);
  EXPECT_EQ(timing.start(StepId(0), 2), 4);
}

TEST(RunProgram, WaitsAtGates) {
  Program program = in_order(3);
  program.gates = {{0, 0, 2}};
  program.gate_of = {0, Program::kNoGate};
  const Timing timing = run_program(two_steps(), program);
  EXPECT_EQ(timing.start(StepId(0), 1), 1);
  EXPECT_EQ(timing.start(StepId(0), 2), 3);
}

// In release builds too: a time of 0 would look like a fast run.
TEST(RunProgram, ThatWaitsForItselfIsReported) {
  Program program = in_order(2);
  std::swap(program.order[LaneId(1)][0], program.order[LaneId(1)][1]);
  program.earlier.resize(2);
  program.earlier[StepId(0)] = {{StepId(1), 1}};
  EXPECT_THROW(run_program(two_steps(), program), std::logic_error);
  program = in_order(2);
  program.order[LaneId(1)].pop_back();
  EXPECT_THROW(run_program(two_steps(), program), std::logic_error);
}

}  // namespace
}  // namespace partita::detail
