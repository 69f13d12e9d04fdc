// SPDX-License-Identifier: Apache-2.0
// Sequential runs for the objective latency: the schedule that check found, again and again.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tests/schedule/timeline.h"
#include "tests/support/cases.h"
#include "tests/support/latency_questions.h"

namespace partita::detail::test {
namespace {

Split random_latency_split(const Problem& problem, std::mt19937& engine) {
  const std::size_t devices = problem.workload->platform.device_count();
  Split split;
  for (std::size_t v = 0; v < problem.workload->graph.nodes.size(); ++v) {
    const DeviceId before = v > 0 ? split.device_of[NodeId(v - 1)] : DeviceId(0);
    split.device_of.push_back(engine() % 2 == 0 ? before : DeviceId(engine() % devices));
    split.subgraph_of.push_back(static_cast<std::uint32_t>(engine() % static_cast<unsigned>(problem.subgraphs)));
  }
  return split;
}

bool is_host(const Problem& problem, DeviceId d) {
  const Platform& platform = problem.workload->platform;
  return platform.classes[platform.class_of(d)].kind == DeviceKind::Host;
}

TEST(LatencyRuns, RepeatTheScheduleOfCheck) {
  constexpr std::size_t kSamples = 7;
  std::size_t runs = 0;
  for (std::uint64_t seed = 1; seed <= cases(1500); ++seed) {
    std::mt19937 engine(static_cast<unsigned>(seed));
    const Problem problem = latency_question(seed);
    const Split split = random_latency_split(problem, engine);
    const CheckReport report = check(problem, split);
    if (!report.legal()) continue;
    ++runs;
    const Simulation run = simulate(problem, split, run_as(ScheduleKind::Sequential, kSamples));
    const double slack = 1e-9 * (1 + run.makespan);
    ASSERT_NEAR(run.time_per_sample, report.value, slack) << seed;
    ASSERT_NEAR(run.makespan, report.value * kSamples, slack);
    ASSERT_EQ(run.formula, report.value);
    ASSERT_EQ(run.remark, "");
    ASSERT_EQ(run.pieces.pieces.size(), report.schedule.size());

    // What each piece spans in each sample, and that no lane does two things at once.
    std::map<std::pair<std::size_t, std::size_t>, std::pair<double, double>> spans;
    IdVector<LaneId, double> until(run.lanes.size(), 0);
    std::map<std::tuple<DeviceId, bool, Phase>, double> spent;
    for (const Interval& i : run.intervals) {
      ASSERT_GE(i.start, until[i.lane] - slack);
      until[i.lane] = i.finish;
      auto [at, first] = spans.try_emplace({i.sample, i.piece.index()}, i.start, i.finish);
      if (!first) {
        ASSERT_NEAR(at->second.second, i.start, slack);  // in, compute and out without a break
        at->second.second = i.finish;
      }
      spent[{run.lanes[i.lane].device, run.pieces.pieces[i.piece].backward, i.phase}] += i.finish - i.start;
    }
    for (std::size_t n = 0; n < kSamples; ++n) {
      for (std::size_t p = 0; p < report.schedule.size(); ++p) {
        const ScheduleStep& step = report.schedule[p];
        const Piece& piece = run.pieces.pieces[PieceId(p)];
        ASSERT_EQ(piece.device, step.device);
        ASSERT_EQ(piece.nodes.size(), step.node_count);
        const auto at = spans.find({n, p});
        ASSERT_EQ(at != spans.end(), step.finish > step.start) << seed;
        if (at == spans.end()) continue;
        ASSERT_NEAR(at->second.first, static_cast<double>(n) * report.value + step.start, slack);
        ASSERT_NEAR(at->second.second, static_cast<double>(n) * report.value + step.finish, slack);
      }
    }
    std::size_t host_lanes = 0;
    for (const Lane& lane : run.lanes) host_lanes += is_host(problem, lane.device) ? 1 : 0;
    ASSERT_GE(host_lanes, report.host_cores) << seed;
    if (problem.workload->platform.device_count(DeviceKind::Host) == 1 && report.host_cores > 0) {
      ASSERT_EQ(host_lanes, report.host_cores) << seed;
    }
    if (problem.subgraphs > 1) continue;  // else subgraphs of one device write for each other
    for (DeviceId d : report.devices.all()) {
      for (const bool backward : {false, true}) {
        const PassLoad& load = backward ? report.devices[d].backward : report.devices[d].forward;
        ASSERT_NEAR((spent[{d, backward, Phase::Compute}]), load.compute * kSamples, slack) << seed;
      }
    }
  }
  EXPECT_GT(runs, 0u);
}

// Sums of times that are no binary fractions: still, no sample starts before the one before it has ended.
TEST(LatencyRuns, OneSampleAtATimeWhateverRoundingDoes) {
  Problem problem = problem_of(graph_from_text("a 0.1 9; b 0.2 9; c 0.7 9; a -> b -> c", 2));
  problem.objective = Objective::Latency;
  const Split split = split_from_text(problem.workload, "a b c |");
  for (const double unit : {1.0, 1e-12, 1.1e7}) {
    for (Node& node : problem.workload.change().graph.nodes) {
      for (double& time : node.time) time *= unit;
    }
    const Simulation run = simulate(problem, split, run_as(ScheduleKind::Sequential, 1000));
    EXPECT_EQ(run.devices[DeviceId(0)].most_in_flight, 1u) << unit;
    EXPECT_TRUE(run.steady);
  }
}

TEST(LatencyRuns, HostNodesAtTheSameTimeHaveCores) {
  Problem problem = problem_of(
      graph_from_text("a 9 1; b 9 2; c 9 3; d 1 9; e 9 1; a -> b c; b -> d : 1; c -> e; d -> e : 1", 1, kUnlimited, 1),
      Shape::Staged, Objective::Latency);
  const Simulation s =
      simulate(problem, split_from_text(problem.workload, "d | a b c e"), run_as(ScheduleKind::Sequential, 2));
  EXPECT_EQ(timeline(s),
            "accelerator 0 | 0 in 3-4, 0 compute 4-5, 0 out 5-6, 1 in 10-11, 1 compute 11-12, 1 out 12-13\n"
            "host 0: core 0 | 0 compute 0-1, 0 compute 1-3, 0 compute 6-7, 1 compute 7-8, 1 compute 8-10, 1 compute "
            "13-14\n"
            "host 0: core 1 | 0 compute 1-4, 1 compute 8-11\n");
  EXPECT_EQ(s.devices[DeviceId(1)].busy, 10);  // 0-4 and 6-7, twice
}

// A sample begins as the one before it ends, and never earlier by what rounding says.
TEST(LatencyRuns, HaveOneSampleInFlight) {
  for (int tenths = 1; tenths <= 40; ++tenths) {
    Problem problem =
        problem_of(graph_from_text(fmt::format("a {} 9", 0.1 * tenths), 1), Shape::Staged, Objective::Latency);
    const Simulation s =
        simulate(problem, split_from_text(problem.workload, "a"), run_as(ScheduleKind::Sequential, 100));
    EXPECT_EQ(s.devices[DeviceId(0)].most_in_flight, 1u) << tenths;
    EXPECT_NEAR(s.time_per_sample, 0.1 * tenths, 1e-12);
  }
}

// A split that is legal for latency alone runs as a stream too, cut into pieces.
TEST(LatencyRuns, OtherSchedulesTakeTheSplitAsItIs) {
  Problem problem =
      problem_of(graph_from_text("a 1 1; b 2 2; c 1 1; a -> b -> c", 2), Shape::Staged, Objective::Latency);
  problem.subgraphs = 2;
  const Simulation s =
      simulate(problem, split_from_text(problem.workload, "a / c | b"), run_as(ScheduleKind::Pipeline, 20));
  EXPECT_EQ(s.formula, 2);
  EXPECT_EQ(s.time_per_sample, 2);
}

}  // namespace
}  // namespace partita::detail::test
