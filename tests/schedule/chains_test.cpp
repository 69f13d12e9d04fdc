// SPDX-License-Identifier: Apache-2.0
// Chains of stages, for which there are closed formulas.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>

#include "tests/schedule/run_checker.h"
#include "tests/schedule/timeline.h"
#include "tests/support/cases.h"

namespace partita::detail::test {
namespace {

// Stage i is a forward node and, in training, its backward twin; each moves its output to the next. Shared stages come
// last in the platform: the copies of stage i.
struct Chain {
  Problem problem;
  Split split;
  std::vector<double> forward, backward;  // loads of the stages, for a sample that the device takes
  std::vector<std::size_t> sharing;

  Chain(std::uint64_t seed, std::size_t stages, bool training, TransferMode mode, std::size_t most_sharing = 1) {
    std::mt19937 engine(static_cast<unsigned>(seed));
    const auto below = [&](unsigned n) { return static_cast<std::size_t>(engine() % n); };
    Graph& graph = problem.workload.change().graph;
    problem.transfers = mode;
    problem.backward_shape = true;
    problem.replicas = static_cast<int>(most_sharing);
    std::size_t devices = 0;
    for (std::size_t i = 0; i < stages; ++i) {
      sharing.push_back(1 + below(static_cast<unsigned>(most_sharing)));
      devices += sharing.back();
    }
    problem.workload.change().platform = make_platform(static_cast<int>(devices), kUnlimited, 0);
    problem.workload.change().platform.sync_bandwidth = 4;
    const auto add = [&](std::size_t stage, bool back) {
      Node node;
      node.original_id = static_cast<std::int64_t>(graph.nodes.size());
      node.time = {0.1 * static_cast<double>(1 + below(60)), kCannotRun};
      node.time.resize(problem.workload->platform.classes.size());
      node.parts.weights = static_cast<double>(below(4));
      node.parts.activation = 1;
      node.backward = back;
      if (training) node.colour = static_cast<std::int64_t>(stage);
      const NodeId v = graph.nodes.push_back(node);
      split.device_of.push_back(DeviceId(stage));
      if (v.index() > 0) graph.edges.push_back({NodeId(v.index() - 1), v, 0.1 * static_cast<double>(below(12))});
    };
    for (std::size_t i = 0; i < stages; ++i) add(i, false);
    for (std::size_t i = stages; training && i-- > 0;) add(i, true);
    for (std::size_t i = 0; i < stages; ++i) {
      split.order.push_back(DeviceId(i));
      split.copy_of.push_back(DeviceId(i));
    }
    for (std::size_t i = 0; i < stages; ++i) {
      for (std::size_t copy = 1; copy < sharing[i]; ++copy) split.copy_of.push_back(DeviceId(i));
    }
    const CheckReport report = check(problem, split);
    EXPECT_TRUE(report.legal()) << (report.legal() ? "" : report.violations.front().message);
    for (std::size_t i = 0; i < stages; ++i) {
      forward.push_back(pass_load(report.devices[DeviceId(i)].forward, mode));
      backward.push_back(pass_load(report.devices[DeviceId(i)].backward, mode));
    }
  }
};

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }
double largest(const std::vector<double>& values) { return *std::max_element(values.begin(), values.end()); }

TEST(Chains, GPipeTakesTheFormulaAndFillingAndDraining) {
  for (std::uint64_t seed = 1; seed <= cases(200); ++seed) {
    const Chain chain(seed, 1 + seed % 7, seed % 3 != 0, TransferMode::Sum);
    const std::size_t m = 1 + seed % 9;
    const Simulation run = simulate(chain.problem, chain.split, run_as(ScheduleKind::GPipe, 12 * m + seed % m, m));
    const double formula = largest(chain.forward) + largest(chain.backward);
    const double excess = sum(chain.forward) + sum(chain.backward) - formula;
    ASSERT_TRUE(run.steady);
    ASSERT_NEAR(*run.formula, formula, 1e-9);
    ASSERT_NEAR(run.time_per_sample, formula + excess / static_cast<double>(m), 1e-9 * run.makespan) << seed;
    ASSERT_EQ(run.remark.empty(), excess < 1e-9) << seed << run.remark;
  }
}

// Stage 0 has nothing to do backward and waits for the end of the batch, also where it exchanges weights.
TEST(Chains, GPipeWithASharedStageWithoutBackwardWork) {
  const auto [problem, split] = SharedFirstStage("a 2 9; b 1 9; B 2 9 back; a -> b -> B", "a | b B");
  EXPECT_EQ(timeline(simulate(problem, split, run_as(ScheduleKind::GPipe, 4, 2))),
            "accelerator 0 | 0 compute 0-2, 0 sync 2-3, 2 compute 8-10, 2 sync 10-11\n"
            "accelerator 1 | 0 compute 2-3, 1 compute 3-4, 0' compute 4-6, 1' compute 6-8, 2 compute 10-11, 3 compute "
            "11-12, 2' compute 12-14, 3' compute 14-16\n"
            "accelerator 2 | 1 compute 0-2, 1 sync 2-3, 3 compute 8-10, 3 sync 10-11\n");
}

TEST(Chains, PipelinesAreFullFromTheFirstSampleOn) {
  for (std::uint64_t seed = 1; seed <= cases(200); ++seed) {
    const Chain chain(seed, 1 + seed % 7, false, TransferMode::Sum);
    const Simulation run = simulate(chain.problem, chain.split, run_as(ScheduleKind::Pipeline, 30));
    ASSERT_NEAR(run.makespan, sum(chain.forward) + 29 * largest(chain.forward), 1e-9 * run.makespan) << seed;
    ASSERT_NEAR(run.latency, sum(chain.forward), 1e-9 * run.makespan) << seed;
  }
}

// Sum, and the backward pass in the opposite order: by turns as good as it gets, if what rounding adds to the samples
// in flight does not grow along the pipeline.
TEST(Chains, OneForwardOneBackwardKeepsTheFormula) {
  std::size_t shared = 0;
  for (std::uint64_t seed = 1; seed <= cases(500); ++seed) {
    const Chain chain(seed, 1 + seed % 7, true, TransferMode::Sum, 1 + seed % 4);
    const Simulation run = simulate(chain.problem, chain.split, run_as(ScheduleKind::OneF1B, 300));
    ASSERT_TRUE(run.steady) << seed;
    ASSERT_GE(run.time_per_sample, *run.formula * (1 - 1e-9)) << seed;
    std::size_t devices = 0;
    std::size_t added = 0;
    bool grows = false;
    for (std::size_t i = chain.sharing.size(); i-- > 0;) {
      const std::size_t r = chain.sharing[i];
      devices += r;
      const std::size_t in_flight = (devices + r - 1) / r;
      grows = grows || in_flight * r - devices < added;
      added = in_flight * r - devices;
      ASSERT_LE(run.devices[DeviceId(i)].most_in_flight, in_flight) << seed;
    }
    if (grows) {
      ASSERT_EQ(run.remark.empty(), run.time_per_sample <= *run.formula * (1 + 1e-9)) << seed;
      continue;
    }
    shared += devices > chain.sharing.size() ? 1 : 0;
    ASSERT_NEAR(run.time_per_sample, *run.formula, 1e-9 * *run.formula) << seed << ": " << run.remark;
  }
  EXPECT_GT(shared, 0u);
}

// Where transfers run beside computing, the formula is kept round by round, and what 1f1b takes is between that and the
// mode sum.
TEST(Chains, WithTransfersBeside) {
  for (std::uint64_t seed = 1; seed <= cases(200); ++seed) {
    const TransferMode mode = seed % 2 == 0 ? TransferMode::Overlap : TransferMode::Duplex;
    const Chain chain(seed, 1 + seed % 7, seed % 5 != 0, mode);
    const Simulation rounds = simulate(chain.problem, chain.split, run_as(ScheduleKind::Pipeline, 200));
    const Simulation turns = simulate(chain.problem, chain.split, run_as(ScheduleKind::OneF1B, 200));
    const Chain without(seed, 1 + seed % 7, seed % 5 != 0, TransferMode::Sum);
    const Simulation slow = simulate(without.problem, without.split, run_as(ScheduleKind::OneF1B, 200));
    ASSERT_TRUE(rounds.steady && turns.steady);
    ASSERT_LE(rounds.time_per_sample, *rounds.formula * (1 + 1e-9)) << seed;
    ASSERT_GE(turns.time_per_sample, rounds.time_per_sample * (1 - 1e-9)) << seed;
    ASSERT_LE(turns.time_per_sample, slow.time_per_sample * (1 + 1e-9)) << seed;
  }
}

// However short the stream: what is called steady is neither filling nor draining.
TEST(Chains, SteadyIsNotTheDrain) {
  std::size_t steady = 0;
  for (std::uint64_t seed = 1; seed <= cases(100); ++seed) {
    const Chain chain(seed, 2 + seed % 6, true, TransferMode::Sum);
    for (std::size_t samples = 10; samples <= 40; samples += 3) {
      const Simulation run = simulate(chain.problem, chain.split, run_as(ScheduleKind::OneF1B, samples));
      if (!run.steady) {
        ASSERT_NE(run.remark.find("samples are too few for a steady state"), std::string::npos) << run.remark;
        continue;
      }
      ++steady;
      ASSERT_NEAR(run.time_per_sample, *run.formula, 1e-9 * run.makespan) << seed << " " << samples;
    }
    const Chain through(seed, 6, false, TransferMode::Sum);
    ASSERT_TRUE(simulate(through.problem, through.split, run_as(ScheduleKind::Pipeline, 8)).steady) << seed;
  }
  EXPECT_GT(steady, 0u);
}

// Whole numbers are added without rounding, tenths are not: where a sample begins as another one ends, rounding may not
// tell them apart.
TEST(Chains, InFlightWhateverTheUnitOfTime) {
  for (std::uint64_t seed = 1; seed <= cases(150); ++seed) {
    const TransferMode mode = std::array{TransferMode::Sum, TransferMode::Overlap, TransferMode::Duplex}[seed % 3];
    Chain chain(seed, 1 + seed % 5, seed % 2 == 0, mode, 1 + seed % 2);
    Problem whole = chain.problem;
    for (Node& node : whole.workload.change().graph.nodes) {
      for (double& time : node.time) time = std::round(10 * time);
    }
    for (Edge& edge : whole.workload.change().graph.edges) edge.cost = std::round(10 * edge.cost);
    whole.workload.change().platform.sync_bandwidth /= 10;
    for (const ScheduleKind kind :
         {ScheduleKind::Pipeline, ScheduleKind::OneF1B, ScheduleKind::GPipe, ScheduleKind::Sequential}) {
      const Simulation tenths = simulate(chain.problem, chain.split, run_as(kind, 300));
      const Simulation exact = simulate(whole, chain.split, run_as(kind, 300));
      for (DeviceId d : exact.devices.all())
        ASSERT_EQ(tenths.devices[d].most_in_flight, exact.devices[d].most_in_flight) << seed << to_string(kind);
    }
  }
}

// With shared stages, and with fewer samples in flight than stages.
TEST(Chains, RunsArePossible) {
  for (std::uint64_t seed = 1; seed <= cases(150); ++seed) {
    const TransferMode mode = std::array{TransferMode::Sum, TransferMode::Overlap, TransferMode::Duplex}[seed % 3];
    Chain chain(seed, 1 + seed % 7, seed % 5 != 0, mode, 1 + seed % 4);
    if (seed % 2 == 0) {
      chain.problem.memory_model = MemoryModel::OneF1B;
      chain.problem.microbatches = 1 + static_cast<int>(seed / 2 % 5);
    }
    const CheckReport report = check(chain.problem, chain.split);
    for (const ScheduleKind kind :
         {ScheduleKind::Pipeline, ScheduleKind::OneF1B, ScheduleKind::GPipe, ScheduleKind::Sequential}) {
      const Simulation run = simulate(chain.problem, chain.split, run_as(kind, 50, 1 + seed % 9));
      const auto complaint = complaint_about(chain.problem, report, run);
      ASSERT_FALSE(complaint) << seed << " " << to_string(kind) << ": " << *complaint;
      if (kind != ScheduleKind::OneF1B || chain.problem.memory_model != MemoryModel::OneF1B) continue;
      for (DeviceId d : report.devices.all())
        ASSERT_LE(run.devices[d].most_in_flight, report.devices[d].memory_items.in_flight) << seed;
    }
  }
}

}  // namespace
}  // namespace partita::detail::test
