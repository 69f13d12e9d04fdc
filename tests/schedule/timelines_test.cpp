// SPDX-License-Identifier: Apache-2.0
// Hand-made splits whose timelines are known.
#include <gtest/gtest.h>

#include "partita/util/error.h"
#include "tests/schedule/timeline.h"

namespace partita::detail {
namespace {

// Stage 0: 2, and 1 to write; stage 1: 1 to read, and 3.
Problem inference(TransferMode mode = TransferMode::Sum) {
  Problem problem = problem_of(graph_from_text("a 2 9; b 3 9; a -> b : 1", 2, kUnlimited, 1));
  problem.transfers = mode;
  return problem;
}

// The same forward, then 2 and 1 to write on stage 1, and 1 to read and 4 on stage 0.
Problem training(TransferMode mode = TransferMode::Sum) {
  Problem problem =
      problem_of(graph_from_text("a 2 9 colour=1; b 3 9 colour=2; B 2 9 back colour=2; A 4 9 back colour=1;"
                                 "a -> b : 1; b -> B; B -> A : 1",
                                 2, kUnlimited, 1));
  problem.transfers = mode;
  problem.backward_shape = true;
  return problem;
}

Simulation run(const Problem& problem, std::string_view split, ScheduleKind kind, std::size_t samples,
               std::size_t microbatches = 8) {
  return simulate(problem, split_from_text(problem.workload, split), run_as(kind, samples, microbatches));
}

TEST(Timelines, Pipeline) {
  const Simulation s = run(inference(), "a | b", ScheduleKind::Pipeline, 3);
  EXPECT_EQ(timeline(s),
            "accelerator 0 | 0 compute 0-2, 0 out 2-3, 1 compute 4-6, 1 out 6-7, 2 compute 8-10, 2 out 10-11\n"
            "accelerator 1 | 0 in 3-4, 0 compute 4-7, 1 in 7-8, 1 compute 8-11, 2 in 11-12, 2 compute 12-15\n");
  EXPECT_EQ(s.makespan, 15);
  EXPECT_EQ(s.latency, 7);
  EXPECT_EQ(s.warm_up_end, 7);
  EXPECT_EQ(s.drain_begin, 8);
  EXPECT_EQ(s.formula, 4);
  EXPECT_FALSE(s.steady);
  EXPECT_EQ(s.time_per_sample, 5);
  EXPECT_EQ(s.remark,
            "3 samples are too few for a steady state: 5 per sample is the whole time divided by the samples, with "
            "filling and draining; run more of them to compare it with the formula's 4");
  EXPECT_EQ(s.microbatches, 0u);
  EXPECT_EQ(run(inference(), "a | b", ScheduleKind::Pipeline, 1).remark,
            "1 sample is too few for a steady state: 7 per sample is the whole time divided by the samples, with "
            "filling and draining; run more of them to compare it with the formula's 4");
}

TEST(Timelines, PipelineWithFewSamples) {
  const Simulation s = run(inference(), "a | b", ScheduleKind::Pipeline, 2);
  EXPECT_EQ(s.warm_up_end, 7);
  EXPECT_EQ(s.drain_begin, 7);  // the last sample starts at 4, but the first is not through
}

TEST(Timelines, PipelineWithTransfersBeside) {
  EXPECT_EQ(timeline(run(inference(TransferMode::Overlap), "a | b", ScheduleKind::Pipeline, 3)),
            "accelerator 0: compute | 0 compute 0-2, 1 compute 3-5, 2 compute 6-8\n"
            "accelerator 0: transfers | 0 out 2-3, 1 out 5-6, 2 out 8-9\n"
            "accelerator 1: compute | 0 compute 4-7, 1 compute 7-10, 2 compute 10-13\n"
            "accelerator 1: transfers | 0 in 3-4, 1 in 6-7, 2 in 9-10\n");
  EXPECT_EQ(timeline(run(inference(TransferMode::Duplex), "a | b", ScheduleKind::Pipeline, 2)),
            "accelerator 0: compute | 0 compute 0-2, 1 compute 3-5\n"
            "accelerator 0: in |\n"
            "accelerator 0: out | 0 out 2-3, 1 out 5-6\n"
            "accelerator 1: compute | 0 compute 4-7, 1 compute 7-10\n"
            "accelerator 1: in | 0 in 3-4, 1 in 6-7\n"
            "accelerator 1: out |\n");
}

TEST(Timelines, HostsOnlyCompute) {
  EXPECT_EQ(timeline(run(inference(TransferMode::Duplex), "a | | b", ScheduleKind::Sequential, 1)),
            "accelerator 0: compute | 0 compute 0-2\n"
            "accelerator 0: in |\n"
            "accelerator 0: out | 0 out 2-3\n"
            "host 0 | 0 compute 3-12\n");
}

Problem overlapped(std::string_view graph, int accelerators, Shape shape = Shape::Staged) {
  Problem problem = problem_of(graph_from_text(graph, accelerators), shape);
  problem.transfers = TransferMode::Overlap;
  return problem;
}

// What a device needs of its own is there when it is computed, not when it is written for others.
TEST(Timelines, OwnResultsAreNotWaitedFor) {
  const Problem problem = overlapped("a 2 9; b 1 9; A 4 9 back; a -> b : 5; a -> A : 5", 2);
  EXPECT_EQ(timeline(run(problem, "a A | b", ScheduleKind::Sequential, 1)),
            "accelerator 0: compute | 0 compute 0-2, 0' compute 2-6\n"
            "accelerator 0: transfers | 0 out 2-7\n"
            "accelerator 1: compute | 0 compute 12-13\n"
            "accelerator 1: transfers | 0 in 7-12\n");
}

// Device 0 has a first and a last piece, and waits in between: 5 for each sample, 4 on device 1.
TEST(Timelines, VirtualDevices) {
  Problem problem = problem_of(graph_from_text("a 2 9; b 4 9; c 3 9; a -> b -> c", 2), Shape::Free);
  const Simulation s = run(problem, "a c | b", ScheduleKind::Pipeline, 3);
  EXPECT_EQ(s.devices[DeviceId(0)].most_in_flight, 2u);
  EXPECT_EQ(s.devices[DeviceId(0)].busy, 15);
  EXPECT_EQ(timeline(s),
            "accelerator 0 | 0 compute 0-2, 1 compute 5-7, 0 compute 7-10, 2 compute 10-12, 1 compute 12-15, "
            "2 compute 16-19\n"
            "accelerator 1 | 0 compute 2-6, 1 compute 7-11, 2 compute 12-16\n");
}

// The pieces 2, 3, 2 of device 0 fill it, and first fit would leave two gaps of 1 for the last one.
TEST(Timelines, BackToBackWhereGapsAreTooSmall) {
  Problem problem =
      problem_of(graph_from_text("a 2 9; x 1 9; b 3 9; y 1 9; c 2 9; a -> x -> b -> y -> c", 2), Shape::Free);
  const Simulation s = run(problem, "a b c | x y", ScheduleKind::Pipeline, 40);
  EXPECT_TRUE(s.steady);
  EXPECT_DOUBLE_EQ(s.time_per_sample, 7);
}

TEST(Timelines, OneForwardOneBackward) {
  const Simulation s = run(training(), "a A | b B", ScheduleKind::OneF1B, 3);
  EXPECT_EQ(timeline(s),
            "accelerator 0 | 0 compute 0-2, 0 out 2-3, 1 compute 3-5, 1 out 5-6, 0' in 10-11, 0' compute 11-15, "
            "2 compute 15-17, 2 out 17-18, 1' in 18-19, 1' compute 19-23, 2' in 25-26, 2' compute 26-30\n"
            "accelerator 1 | 0 in 3-4, 0 compute 4-7, 0' compute 7-9, 0' out 9-10, 1 in 10-11, 1 compute 11-14, "
            "1' compute 14-16, 1' out 16-17, 2 in 18-19, 2 compute 19-22, 2' compute 22-24, 2' out 24-25\n");
  EXPECT_EQ(s.devices[DeviceId(0)].most_in_flight, 2u);
  EXPECT_EQ(s.devices[DeviceId(1)].most_in_flight, 1u);
  EXPECT_EQ(s.devices[DeviceId(0)].compute, 18);
  EXPECT_EQ(s.devices[DeviceId(0)].in, 3);
  EXPECT_EQ(s.devices[DeviceId(0)].out, 3);
  EXPECT_EQ(s.devices[DeviceId(0)].busy, 24);
  EXPECT_EQ(s.devices[DeviceId(0)].samples, 3u);
  EXPECT_EQ(s.drain_begin, 15);
  const Simulation longer = run(training(), "a A | b B", ScheduleKind::OneF1B, 50);
  EXPECT_TRUE(longer.steady);
  EXPECT_DOUBLE_EQ(longer.time_per_sample, 8);
  EXPECT_EQ(longer.formula, 8);
  EXPECT_EQ(longer.remark, "");
}

// The next sample may not come in before the one that it follows is out: transfers have little to hide behind.
TEST(Timelines, OneForwardOneBackwardWithTransfersBeside) {
  const Simulation s = run(training(TransferMode::Overlap), "a A | b B", ScheduleKind::OneF1B, 50);
  EXPECT_EQ(timeline(s).substr(0, timeline(s).find(", 2 compute")),
            "accelerator 0: compute | 0 compute 0-2, 1 compute 2-4, 0' compute 11-15");
  EXPECT_DOUBLE_EQ(s.time_per_sample, 8);
  EXPECT_EQ(s.formula, 6);
  EXPECT_EQ(s.remark,
            "8 per sample is 2 (33.3%) above the formula's 6: where transfers run beside computing, a sample is longer "
            "on its way than the loads of the stages say; round by round (pipeline) it is 6, with up to 3 samples in "
            "flight at a device, here 2");
}

// Fewer samples than stages: with what is read ahead of the backward pass, all stages would wait for each other.
TEST(Timelines, OneForwardOneBackwardOfFewSamplesWithTransfersBeside) {
  Problem problem =
      problem_of(graph_from_text("a 1 9 colour=1; b 1 9 colour=2; c 1 9 colour=3; d 1 9 colour=4;"
                                 "D 1 9 back colour=4; C 1 9 back colour=3; B 1 9 back colour=2;"
                                 "A 1 9 back colour=1; a -> b -> c -> d -> D -> C -> B -> A : 1",
                                 4, kUnlimited, 0));
  problem.backward_shape = true;
  for (const TransferMode mode : {TransferMode::Overlap, TransferMode::Duplex}) {
    problem.transfers = mode;
    double before = 0;
    for (std::size_t samples = 1; samples <= 8; ++samples) {
      const Simulation s = run(problem, "a A | b B | c C | d D", ScheduleKind::OneF1B, samples);
      for (const DeviceUse& use : s.devices) EXPECT_LE(use.compute, use.busy + 1e-9) << samples;
      EXPECT_GT(s.makespan, before) << samples;
      before = s.makespan;
    }
  }
}

TEST(Timelines, OneForwardOneBackwardWithoutBackwardPass) {
  const Simulation s = run(inference(), "a | b", ScheduleKind::OneF1B, 4);
  EXPECT_EQ(timeline(s),
            "accelerator 0 | 0 compute 0-2, 0 out 2-3, 1 compute 3-5, 1 out 5-6, 2 compute 7-9, 2 out 9-10, "
            "3 compute 11-13, 3 out 13-14\n"
            "accelerator 1 | 0 in 3-4, 0 compute 4-7, 1 in 7-8, 1 compute 8-11, 2 in 11-12, 2 compute 12-15, "
            "3 in 15-16, 3 compute 16-19\n");
}

// While stage 1 computes, the next sample comes in before this one goes out; else it would take 5 for each.
TEST(Timelines, OneForwardOneBackwardReadsAhead) {
  const Simulation s =
      run(overlapped("a 1 9; b 3 9; c 1 9; a -> b : 1; b -> c : 1", 3), "a | b | c", ScheduleKind::OneF1B, 50);
  EXPECT_TRUE(s.steady);
  EXPECT_DOUBLE_EQ(s.time_per_sample, 3);
}

// What B reads is made of what b writes, so it cannot come in first.
TEST(Timelines, OneForwardOneBackwardDoesNotReadAheadOfItself) {
  const Problem problem =
      overlapped("a 1 9; b 1 9; A 1 9 back; B 1 9 back; a -> b : 1; b -> A : 1; A -> B : 1", 2, Shape::Free);
  const Simulation s = run(problem, "a A | b B", ScheduleKind::OneF1B, 50);
  EXPECT_TRUE(s.steady);
  EXPECT_GT(s.time_per_sample, 2);
}

// Nothing of the backward pass of stage 0 waits for stage 1, so that only the samples that are through hold it back.
TEST(Timelines, FirstStagesThatNothingHoldsBack) {
  Problem problem =
      problem_of(graph_from_text("a 1 9; b 4 9; A 1 9 back; B 4 9 back; a -> b -> B; a -> A -> B", 2), Shape::Free);
  const Simulation turns = run(problem, "a A | b B", ScheduleKind::OneF1B, 50);
  EXPECT_DOUBLE_EQ(turns.time_per_sample, 8);
  EXPECT_DOUBLE_EQ(turns.latency, 4 * 8);  // twice as many samples as devices
  EXPECT_EQ(timeline(run(problem, "a A | b B", ScheduleKind::GPipe, 4, 1)),
            "accelerator 0 | 0 compute 0-1, 0' compute 1-2, 1 compute 2-3, 1' compute 3-4, 2 compute 9-10, 2' compute "
            "10-11, 3 compute 17-18, 3' compute 18-19\n"
            "accelerator 1 | 0 compute 1-5, 0' compute 5-9, 1 compute 9-13, 1' compute 13-17, 2 compute 17-21, "
            "2' compute 21-25, 3 compute 25-29, 3' compute 29-33\n");
}

// Not staged, and device 2 has no forward nodes: it is a stage all the same.
TEST(Timelines, OneForwardOneBackwardWithADeviceForTheBackwardPass) {
  Problem problem = problem_of(graph_from_text("a 1 9 colour=1; b 1 9 colour=2; A 1 9 back colour=1; X 1 9 back;"
                                               "B 1 9 back colour=2; a -> b -> A -> X -> B",
                                               3),
                               Shape::Free);
  const Simulation s = run(problem, "a A | b B | X", ScheduleKind::OneF1B, 1);
  EXPECT_EQ(timeline(s),
            "accelerator 0 | 0 compute 0-1, 0' compute 2-3\n"
            "accelerator 1 | 0 compute 1-2, 0' compute 4-5\n"
            "accelerator 2 | 0' compute 3-4\n");
  EXPECT_EQ(run(problem, "a A | b B | X", ScheduleKind::OneF1B, 50).remark.find("round by round, as"),
            std::string::npos);
}

// Not staged, as its orphans do not mirror the forward pass, but with one piece in each pass: device 0 is the first
// stage, and also the first to go backward.
TEST(Timelines, OneForwardOneBackwardAlongTheStages) {
  Problem problem =
      problem_of(graph_from_text("a 1 9; b 1 9; A 1 9 back; B 1 9 back; a -> b -> A -> B", 2), Shape::Free);
  EXPECT_EQ(timeline(run(problem, "a A | b B", ScheduleKind::OneF1B, 4)),
            "accelerator 0 | 0 compute 0-1, 1 compute 1-2, 0' compute 2-3, 2 compute 3-4, 1' compute 5-6, 3 compute "
            "6-7, 2' compute 8-9, 3' compute 11-12\n"
            "accelerator 1 | 0 compute 1-2, 0' compute 3-4, 1 compute 4-5, 1' compute 6-7, 2 compute 7-8, 2' compute "
            "9-10, 3 compute 10-11, 3' compute 12-13\n");
  const Simulation longer = run(problem, "a A | b B", ScheduleKind::OneF1B, 50);
  EXPECT_DOUBLE_EQ(longer.time_per_sample, 3);
  EXPECT_EQ(longer.remark,
            "3 per sample is 1 (50%) above the formula's 2: the backward pass does not run through the stages in the "
            "opposite order; round by round (pipeline) it is 2, with up to 2 samples in flight at a device, here 2");
}

// No forward edge leads to c, but its device reads b for C: it comes behind b, whatever stage it could be.
TEST(Timelines, OneForwardOneBackwardBehindWhatTheBackwardPassReads) {
  Problem problem = problem_of(graph_from_text("c 1 9 colour=3; a 1 9 colour=1; b 1 9 colour=2; C 1 9 back colour=3;"
                                               "B 1 9 back colour=2; A 1 9 back colour=1;"
                                               "a -> b : 1; b -> C : 1; c -> C; C -> B : 1; B -> A : 1",
                                               3, kUnlimited, 0),
                               Shape::Contiguous);
  for (const std::size_t samples : {1, 2, 3, 30}) {
    const Simulation s = run(problem, "c C | a A | b B", ScheduleKind::OneF1B, samples);
    for (const DeviceUse& use : s.devices) EXPECT_EQ(use.compute, 2.0 * static_cast<double>(samples));
  }
}

TEST(Timelines, OneForwardOneBackwardOfSeveralPiecesGoesRoundByRound) {
  Problem problem = problem_of(graph_from_text("a 2 9; b 4 9; c 3 9; B 1 9 back; a -> b -> c -> B", 2), Shape::Free);
  const Simulation turns = run(problem, "a c | b B", ScheduleKind::OneF1B, 30);
  const Simulation rounds = run(problem, "a c | b B", ScheduleKind::Pipeline, 30);
  EXPECT_EQ(timeline(turns), timeline(rounds));
  EXPECT_EQ(turns.remark,
            "not every device has one piece in each pass, so samples go round by round, as in a pipeline");
}

TEST(Timelines, GPipe) {
  const Simulation s = run(training(), "a A | b B", ScheduleKind::GPipe, 4, 2);
  EXPECT_EQ(timeline(s),
            "accelerator 0 | 0 compute 0-2, 0 out 2-3, 1 compute 3-5, 1 out 5-6, 0' in 14-15, 0' compute 15-19, "
            "1' in 19-20, 1' compute 20-24, 2 compute 24-26, 2 out 26-27, 3 compute 27-29, 3 out 29-30, 2' in 38-39, "
            "2' compute 39-43, 3' in 43-44, 3' compute 44-48\n"
            "accelerator 1 | 0 in 3-4, 0 compute 4-7, 1 in 7-8, 1 compute 8-11, 0' compute 11-13, 0' out 13-14, "
            "1' compute 14-16, 1' out 16-17, 2 in 27-28, 2 compute 28-31, 3 in 31-32, 3 compute 32-35, "
            "2' compute 35-37, 2' out 37-38, 3' compute 38-40, 3' out 40-41\n");
  EXPECT_EQ(s.warm_up_end, 24);
  EXPECT_EQ(s.drain_begin, 24);
  EXPECT_EQ(s.microbatches, 2u);
  EXPECT_EQ(s.formula, 9);
  EXPECT_EQ(s.devices[DeviceId(1)].most_in_flight, 2u);
  const Simulation longer = run(training(), "a A | b B", ScheduleKind::GPipe, 20, 2);
  EXPECT_TRUE(longer.steady);
  EXPECT_DOUBLE_EQ(longer.time_per_sample, 12);
  EXPECT_EQ(longer.remark,
            "12 per sample is 3 (33.3%) above the formula's 9: filling and draining the pipeline for every batch of 2, "
            "less with more microbatches");
}

// Whoever has no backward work waits for the end of the batch.
TEST(Timelines, GPipeOfLessThanABatch) {
  EXPECT_EQ(run(inference(), "a | b", ScheduleKind::GPipe, 3, 8).remark,
            "5 per sample is 1 (25%) above the formula's 4: filling and draining the pipeline for one batch of 3, less "
            "with more samples in it");
}

TEST(Timelines, GPipeWithoutBackwardWork) {
  Problem problem = problem_of(graph_from_text("a 1 9; b 1 9; B 2 9 back; a -> b -> B", 2));
  EXPECT_EQ(timeline(run(problem, "a | b B", ScheduleKind::GPipe, 3, 2)),
            "accelerator 0 | 0 compute 0-1, 1 compute 1-2, 2 compute 7-8\n"
            "accelerator 1 | 0 compute 1-2, 1 compute 2-3, 0' compute 3-5, 1' compute 5-7, 2 compute 8-9, 2' compute "
            "9-11\n");
}

TEST(Timelines, Sequential) {
  const Simulation s = run(training(), "a A | b B", ScheduleKind::Sequential, 2);
  EXPECT_EQ(timeline(s),
            "accelerator 0 | 0 compute 0-2, 0 out 2-3, 0' in 10-11, 0' compute 11-15, 1 compute 15-17, 1 out 17-18, "
            "1' in 25-26, 1' compute 26-30\n"
            "accelerator 1 | 0 in 3-4, 0 compute 4-7, 0' compute 7-9, 0' out 9-10, 1 in 18-19, 1 compute 19-22, "
            "1' compute 22-24, 1' out 24-25\n");
  EXPECT_EQ(s.formula, std::nullopt);
  EXPECT_EQ(s.remark, "");
  EXPECT_EQ(timeline(run(inference(), "a | b", ScheduleKind::Sequential, 3)),
            "accelerator 0 | 0 compute 0-2, 0 out 2-3, 1 compute 7-9, 1 out 9-10, 2 compute 14-16, 2 out 16-17\n"
            "accelerator 1 | 0 in 3-4, 0 compute 4-7, 1 in 10-11, 1 compute 11-14, 2 in 17-18, 2 compute 18-21\n");
}

// Two devices share the first stage and exchange 4 bytes: 0.5 for each sample, 1 for each that a device takes.
TEST(Timelines, SharedStages) {
  auto [problem, split] = SharedFirstStage("a 6 9; b 3 9; a -> b", "a | b");
  const Simulation s = simulate(problem, split, run_as(ScheduleKind::Pipeline, 3));
  EXPECT_EQ(s.formula, 3.5);
  EXPECT_EQ(timeline(s),
            "accelerator 0 | 0 compute 0-6, 0 sync 6-7, 2 compute 7-13, 2 sync 13-14\n"
            "accelerator 1 | 0 compute 6-9, 1 compute 9.5-12.5, 2 compute 13-16\n"
            "accelerator 2 | 1 compute 3.5-9.5, 1 sync 9.5-10.5\n");
  EXPECT_EQ(s.devices[DeviceId(2)].samples, 1u);
  EXPECT_EQ(s.devices[DeviceId(0)].sync, 2);

  problem.transfers = TransferMode::Overlap;
  const Simulation beside = simulate(problem, split, run_as(ScheduleKind::Pipeline, 3));
  EXPECT_EQ(beside.formula, 3);
  EXPECT_EQ(timeline(beside),
            "accelerator 0: compute | 0 compute 0-6, 2 compute 6-12\n"
            "accelerator 0: transfers |\n"
            "accelerator 0: sync | 0 sync 6-7, 2 sync 12-13\n"
            "accelerator 1: compute | 0 compute 6-9, 1 compute 9-12, 2 compute 12-15\n"
            "accelerator 1: transfers |\n"
            "accelerator 2: compute | 1 compute 3-9\n"
            "accelerator 2: transfers |\n"
            "accelerator 2: sync | 1 sync 9-10\n");
}

// Two devices share the first stage, which has nothing to do backward, and two the second. As many samples are on their
// way as the first stage would take turns with: 6, more than the 5 devices.
TEST(Timelines, OneForwardOneBackwardBehindASharedStageWithOnePass) {
  Problem problem =
      problem_of(graph_from_text("a 2 9; b 1 9 colour=1; c 0.5 9 colour=2; C 0.5 9 back colour=2; B 1 9 back colour=1;"
                                 "a -> b -> c -> C -> B",
                                 5, kUnlimited, 0));
  problem.replicas = 2;
  problem.backward_shape = true;
  Split split = split_from_text(problem.workload, "a | b B | c C");
  split.copy_of = copies({0, 1, 2, 0, 1});
  const Simulation s = simulate(problem, split, run_as(ScheduleKind::OneF1B, 100));
  EXPECT_EQ(s.formula, 1);
  EXPECT_TRUE(s.steady);
  EXPECT_DOUBLE_EQ(s.time_per_sample, 1);
  EXPECT_EQ(s.remark, "");
}

TEST(Timelines, OfRecordedSamplesOnly) {
  SimulationOptions options = run_as(ScheduleKind::Pipeline, 20);
  options.record = 1;
  const Problem problem = inference();
  const Simulation s = simulate(problem, split_from_text(problem.workload, "a | b"), options);
  EXPECT_EQ(timeline(s), "accelerator 0 | 0 compute 0-2, 0 out 2-3\naccelerator 1 | 0 in 3-4, 0 compute 4-7\n");
  EXPECT_EQ(s.devices[DeviceId(0)].compute, 40);
  EXPECT_LE(s.memory[DeviceId(0)].back().time, 7);

  options.record = 20;
  options.record_steps = 7;  // two for each sample
  EXPECT_EQ(simulate(problem, split_from_text(problem.workload, "a | b"), options).intervals.back().sample, 2u);
  options.record_steps = 1;
  EXPECT_EQ(simulate(problem, split_from_text(problem.workload, "a | b"), options).intervals.back().sample, 0u);
}

TEST(Timelines, WithoutAnyWork) {
  const Problem problem = problem_of(graph_from_text("a 0 0; b 0 0; a -> b", 2));
  for (const ScheduleKind kind :
       {ScheduleKind::Pipeline, ScheduleKind::OneF1B, ScheduleKind::GPipe, ScheduleKind::Sequential}) {
    const Simulation s = run(problem, "a | b", kind, 10);
    EXPECT_EQ(s.makespan, 0);
    EXPECT_EQ(s.time_per_sample, 0);
    EXPECT_TRUE(s.intervals.empty());
  }
}

TEST(Timelines, OfIllegalSplitsThereAreNone) {
  const Problem problem = problem_of(graph_from_text("a 1 1; b 1 1; c 1 1; a -> b -> c", 2));
  try {
    run(problem, "a c | b", ScheduleKind::Pipeline, 3);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_EQ(error.kind(), ErrorKind::IllegalSplit);
    EXPECT_NE(std::string(error.what()).find("not staged"), std::string::npos) << error.what();
  }
  EXPECT_THROW(run(problem, "a b | c", ScheduleKind::Pipeline, 0), InputError);
  EXPECT_THROW(run(problem, "a b | c", ScheduleKind::GPipe, 1, 0), InputError);
}

TEST(Timelines, OfTooManySamplesThereAreNone) {
  const auto message = [](const Problem& problem, ScheduleKind kind) {
    try {
      run(problem, "a | b", kind, kMostTasks / 2 + 1);
    } catch (const InputError& error) {
      EXPECT_EQ(error.kind(), ErrorKind::Usage);
      return std::string(error.what());
    }
    return std::string("no error");
  };
  Problem problem = inference();
  EXPECT_NE(message(problem, ScheduleKind::Pipeline).find("ask for at most 20000000 samples"), std::string::npos);
  problem.objective = Objective::Latency;
  EXPECT_NE(message(problem, ScheduleKind::Sequential).find("ask for at most 20000000 samples"), std::string::npos);
  problem.objective = Objective::MaxLoad;
  problem.transfers = TransferMode::Overlap;
  EXPECT_NE(message(problem, ScheduleKind::OneF1B).find("ask for at most 10000000 samples"), std::string::npos);
}

TEST(Schedules, HaveNames) {
  for (const ScheduleKind kind :
       {ScheduleKind::Pipeline, ScheduleKind::OneF1B, ScheduleKind::GPipe, ScheduleKind::Sequential})
    EXPECT_EQ(parse_schedule_kind(to_string(kind)), kind);
  EXPECT_EQ(parse_schedule_kind("1F1B"), std::nullopt);
  EXPECT_EQ(default_schedule(inference()), ScheduleKind::Pipeline);
  EXPECT_EQ(default_schedule(training()), ScheduleKind::OneF1B);
  Problem problem = training();
  problem.objective = Objective::GPipe;
  EXPECT_EQ(default_schedule(problem), ScheduleKind::GPipe);
  problem.objective = Objective::Latency;
  EXPECT_EQ(default_schedule(problem), ScheduleKind::Sequential);
}

}  // namespace
}  // namespace partita::detail
