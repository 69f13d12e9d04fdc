// SPDX-License-Identifier: Apache-2.0
// What is measured of a trace. Traces of simulations are read back in tests/cli/test_simulate.py.
#include "partita/schedule/measured_run.h"

#include <gtest/gtest.h>

#include "partita/util/error.h"
#include "tests/schedule/timeline.h"

namespace partita::detail {
namespace {

// Stage 0: 2, and 1 to write; stage 1: 1 to read, and 3. In milliseconds.
struct Pipeline {
  Problem problem = problem_of(graph_from_text("a 2 9; b 3 9; a -> b : 1", 3, kUnlimited, 1));
  Split split = split_from_text(problem.workload, "a | b");
  CheckReport report = check(problem, split);

  Simulation predicted(std::size_t samples) const {
    return simulate(problem, split, run_as(ScheduleKind::Pipeline, samples, 8));
  }
};

// What a simulation did, as a trace says it: everything `slower` times as long.
RunTrace trace_of(const Problem& problem, const Simulation& simulation, double slower = 1) {
  RunTrace trace;
  trace.source = "run.json";
  for (const Lane& lane : simulation.lanes)
    trace.lanes.push_back({problem.workload->platform.device_name(lane.device), 0, lane.name, false});
  for (const Interval& i : simulation.intervals) {
    const bool backward = simulation.pieces.pieces[i.piece].backward;
    trace.slices.push_back({static_cast<std::uint32_t>(i.lane.index()), i.sample, i.phase, backward, std::nullopt,
                            1e-3 * slower * i.start, 1e-3 * slower * i.finish});
  }
  trace.samples = simulation.samples;
  return trace;
}

TEST(MeasuredRun, AsSimulated) {
  const Pipeline pipeline;
  for (const std::size_t samples : {1u, 3u, 40u}) {
    const Simulation predicted = pipeline.predicted(samples);
    const Simulation run =
        measured_run(pipeline.problem, pipeline.report, predicted, trace_of(pipeline.problem, predicted));
    EXPECT_EQ(timeline(run), timeline(predicted));
    EXPECT_EQ(run.samples, samples);
    EXPECT_EQ(run.steady, predicted.steady);
    EXPECT_NEAR(run.time_per_sample, predicted.time_per_sample, 1e-9);
    EXPECT_NEAR(run.latency, predicted.latency, 1e-9);
    EXPECT_NEAR(run.warm_up_end, predicted.warm_up_end, 1e-9);
    EXPECT_NEAR(run.drain_begin, predicted.drain_begin, 1e-9);
    EXPECT_NEAR(run.makespan, predicted.makespan, 1e-9);
    for (DeviceId d : run.devices.all()) {
      EXPECT_NEAR(run.devices[d].compute, predicted.devices[d].compute, 1e-9);
      EXPECT_NEAR(run.devices[d].in, predicted.devices[d].in, 1e-9);
      EXPECT_NEAR(run.devices[d].out, predicted.devices[d].out, 1e-9);
      EXPECT_NEAR(run.devices[d].busy, predicted.devices[d].busy, 1e-9);
      EXPECT_EQ(run.devices[d].samples, predicted.devices[d].samples);
      EXPECT_EQ(run.devices[d].most_in_flight, predicted.devices[d].most_in_flight);
    }
  }
}

TEST(MeasuredRun, InTheWorkloadsUnit) {
  Pipeline pipeline;
  pipeline.problem.workload.change().time_unit = "us";
  const Simulation predicted = pipeline.predicted(40);
  const Simulation run =
      measured_run(pipeline.problem, pipeline.report, predicted, trace_of(pipeline.problem, predicted));
  EXPECT_NEAR(run.makespan, 1000 * predicted.makespan, 1e-6);
}

// Samples that leave in no pattern, and one long pause: the median of blocks is near the pace of the rest.
TEST(MeasuredRun, ThePaceOfANoisyRun) {
  const Pipeline pipeline;
  const Simulation predicted = pipeline.predicted(100);
  RunTrace trace = trace_of(pipeline.problem, predicted, 1.5);
  double late = 0;
  std::uint32_t dice = 1;
  for (RunTrace::Slice& slice : trace.slices) {
    if (slice.lane == 1 && slice.phase == Phase::In) {
      dice = dice * 1664525u + 1013904223u;
      late += 1e-6 * (dice >> 24) * 0.1;    // up to 26 us more from sample to sample
      if (slice.sample == 60) late += 0.5;  // half a second
    }
    if (slice.lane == 1) {
      slice.start += late;
      slice.finish += late;
    }
  }
  const Simulation run = measured_run(pipeline.problem, pipeline.report, predicted, trace);
  EXPECT_TRUE(run.steady);
  EXPECT_GT(run.time_per_sample, 6);
  EXPECT_LT(run.time_per_sample, 6.05);
  EXPECT_GT(run.makespan, 1.5 * predicted.makespan + 500);
}

TEST(MeasuredRun, SamplesAreNumberedFromZero) {
  const Pipeline pipeline;
  const Simulation predicted = pipeline.predicted(3);
  RunTrace trace = trace_of(pipeline.problem, predicted);
  for (RunTrace::Slice& slice : trace.slices) slice.sample = 1000 + 5 * slice.sample;
  EXPECT_EQ(timeline(measured_run(pipeline.problem, pipeline.report, predicted, trace)), timeline(predicted));
}

TEST(MeasuredRun, DevicesByNumberAndPiecesThatDoNotFit) {
  const Pipeline pipeline;
  const Simulation predicted = pipeline.predicted(3);
  RunTrace trace = trace_of(pipeline.problem, predicted);
  for (std::size_t i = 0; i < trace.lanes.size(); ++i)
    trace.lanes[i] = {"", static_cast<std::int64_t>(i + 1), "", false};
  for (RunTrace::Slice& slice : trace.slices) slice.piece = slice.sample == 0 ? 0 : 70;
  const Simulation run = measured_run(pipeline.problem, pipeline.report, predicted, trace);
  EXPECT_EQ(timeline(run), timeline(predicted));
  for (const Interval& i : run.intervals) EXPECT_EQ(run.pieces.pieces[i.piece].device, run.lanes[i.lane].device);
}

TEST(MeasuredRun, ATraceOfOtherDevicesIsRefused) {
  const Pipeline pipeline;
  const Simulation predicted = pipeline.predicted(3);
  for (const char* name : {"gpu 7", "accelerator 2", "host 0"}) {  // the last two are there, and hold nothing
    RunTrace trace = trace_of(pipeline.problem, predicted);
    trace.lanes[1].device = name;
    try {
      measured_run(pipeline.problem, pipeline.report, predicted, trace);
      ADD_FAILURE() << name;
    } catch (const InputError& error) {
      EXPECT_EQ(error.kind(), ErrorKind::BadField);
      EXPECT_EQ(std::string(error.what()),
                std::string("run.json: process '") + name +
                    "' is no device that runs something in the plan; expected accelerator 0, "
                    "accelerator 1");
    }
  }
}

// A shared link is no device: what passes it belongs to samples, not to a device's time.
TEST(MeasuredRun, LinksHaveLanesOfTheirOwn) {
  const Pipeline pipeline;
  const Simulation predicted = pipeline.predicted(3);
  RunTrace trace = trace_of(pipeline.problem, predicted);
  trace.lanes.push_back({kSharedLinks, 9, "", true});
  trace.slices.push_back({static_cast<std::uint32_t>(trace.lanes.size() - 1), 2, Phase::Out, false, 0, 0.014, 0.020});
  const Simulation run = measured_run(pipeline.problem, pipeline.report, predicted, trace);
  EXPECT_NEAR(run.makespan, 20, 1e-9);
  EXPECT_NEAR(run.devices[DeviceId(1)].busy, predicted.devices[DeviceId(1)].busy, 1e-9);
  EXPECT_FALSE(run.lanes[LaneId(run.lanes.size() - 1)].device.valid());
}

}  // namespace
}  // namespace partita::detail
