// SPDX-License-Identifier: Apache-2.0
// Random splits of all kinds, run by every schedule: each run is one (run_checker.h), and takes the time it should.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "partita/util/error.h"
#include "tests/schedule/run_checker.h"
#include "tests/schedule/timeline.h"
#include "tests/support/cases.h"
#include "tests/support/random_setup.h"
#include "tests/support/random_split.h"

namespace partita::detail::test {
namespace {

constexpr std::size_t kSamples = 150;

// A legal split of a random question, if a few draws find one.
struct Draw {
  Problem problem;
  Split split;
  CheckReport report;
  bool found = false;

  explicit Draw(std::uint64_t seed, SetupFeatures features = {}) {
    std::mt19937 engine(static_cast<unsigned>(seed));
    features.contention = seed % 4 == 0;
    problem = random_setup(seed, features);
    problem.backward_shape = seed % 2 == 0;
    if (problem.memory_model == MemoryModel::Flat && problem.replicas == 1 && seed % 3 != 0)
      problem.shape = seed % 3 == 1 ? Shape::Free : Shape::Contiguous;
    for (int i = 0; i < 10 && !found; ++i) {
      split = random_split(problem, engine);
      if (problem.shape == Shape::Free) {
        for (DeviceId& d : split.device_of) {
          if (engine() % 2 == 0) d = DeviceId(engine() % problem.workload->platform.device_count());
        }
      }
      report = check(problem, split);
      found = report.legal();
    }
  }
};

double max_load(const Draw& draw) {
  Problem asked = draw.problem;
  asked.objective = Objective::MaxLoad;
  return check(asked, draw.split).value;
}

std::string name_of(std::uint64_t seed, const Draw& draw, const Simulation& run) {
  return fmt::format("seed {}: {}\n{}{}", seed, to_string(run.kind), describe(draw.problem),
                     timeline(run).substr(0, 4000));
}

TEST(RandomRuns, ArePossible) {
  std::size_t runs = 0;
  for (std::uint64_t seed = 1; seed <= cases(1500); ++seed) {
    const Draw draw(seed);
    if (!draw.found) continue;
    for (const ScheduleKind kind :
         {ScheduleKind::Pipeline, ScheduleKind::OneF1B, ScheduleKind::GPipe, ScheduleKind::Sequential}) {
      const Simulation run =
          simulate(draw.problem, draw.split, run_as(kind, seed % 3 == 0 ? 1 + seed % 8 : 20 + seed % 7, 1 + seed % 5));
      const auto complaint = complaint_about(draw.problem, draw.report, run);
      ASSERT_FALSE(complaint) << *complaint << "\n" << name_of(seed, draw, run);
      ++runs;
    }
  }
  EXPECT_GT(runs, 0u);
}

TEST(RandomRuns, ArePossibleWithSharedLinks) {
  std::size_t runs = 0, refused = 0;
  for (std::uint64_t seed = 1; seed <= cases(1000); ++seed) {
    SetupFeatures features;
    features.shared_links = true;
    features.copies = seed % 3 == 0;
    const Draw draw(seed, features);
    if (!draw.found) continue;
    for (const ScheduleKind kind :
         {ScheduleKind::Pipeline, ScheduleKind::OneF1B, ScheduleKind::GPipe, ScheduleKind::Sequential}) {
      try {
        const Simulation run =
            simulate(draw.problem, draw.split, run_as(kind, seed % 2 == 0 ? 1 + seed % 8 : 95, 1 + seed % 5));
        const auto complaint = complaint_about(draw.problem, draw.report, run);
        ASSERT_FALSE(complaint) << *complaint << "\n" << name_of(seed, draw, run);
        const double formula = max_load(draw);
        if (kind == ScheduleKind::Pipeline && run.steady) {
          ASSERT_LE(run.time_per_sample, formula * (1 + 1e-9)) << name_of(seed, draw, run);
          if (draw.problem.transfers == TransferMode::Sum || !draw.problem.workload->graph.has_backward()) {
            ASSERT_GE(run.time_per_sample, formula * (1 - 1e-9)) << name_of(seed, draw, run);
          }
        }
        ++runs;
      } catch (const InputError& error) {
        ASSERT_EQ(error.kind(), ErrorKind::Unsupported);
        ASSERT_GT(draw.problem.replicas, 1);
        ++refused;
      }
    }
  }
  EXPECT_GT(runs, 20 * refused);
}

TEST(RandomRuns, PipelinesKeepTheFormula) {
  std::size_t runs = 0;
  for (std::uint64_t seed = 1; seed <= cases(1500); ++seed) {
    const Draw draw(seed);
    if (!draw.found) continue;
    const Simulation run = simulate(draw.problem, draw.split, run_as(ScheduleKind::Pipeline, kSamples));
    const double formula = max_load(draw);
    ASSERT_EQ(run.formula, formula);
    ASSERT_TRUE(run.steady) << name_of(seed, draw, run);
    if (draw.problem.transfers == TransferMode::Sum) {
      ASSERT_NEAR(run.time_per_sample, formula, 1e-9 * formula) << name_of(seed, draw, run);
      ASSERT_EQ(run.remark, "");
    } else {
      ASSERT_LE(run.time_per_sample, formula * (1 + 1e-9)) << name_of(seed, draw, run);
    }
    ++runs;
  }
  EXPECT_GT(runs, 0u);
}

// What is said to be steady after few samples is what it is in the long run.
TEST(RandomRuns, OfFewSamplesAreSteadyOnlyIfLongOnesGoOnLikeThat) {
  std::size_t steady = 0;
  for (std::uint64_t seed = 1; seed <= cases(1500); ++seed) {
    const Draw draw(seed);
    if (!draw.found) continue;
    const ScheduleKind kind = seed % 2 == 0 ? ScheduleKind::Pipeline : ScheduleKind::OneF1B;
    // The order of transfers in 1f1b is the one that suits the length of the stream.
    if (kind == ScheduleKind::OneF1B && draw.problem.transfers != TransferMode::Sum) continue;
    const Simulation few = simulate(draw.problem, draw.split, run_as(kind, 4 + seed % 17));
    if (!few.steady) continue;
    ++steady;
    const Simulation many = simulate(draw.problem, draw.split, run_as(kind, kSamples));
    ASSERT_NEAR(few.time_per_sample, many.time_per_sample, 1e-9 * many.time_per_sample) << name_of(seed, draw, few);
  }
  EXPECT_GT(steady, 0u);
}

// Some device has several pieces in a pass.
bool ran_round_by_round(const Simulation& run) {
  return run.remark.find("round by round, as in a pipeline") != std::string::npos;
}

// What rounding up adds to the samples in flight at a stage grows from some stage to the next.
bool rounding_grows(const CheckReport& report) {
  std::size_t devices = 0;
  std::size_t added_behind = 0;
  for (auto stage = report.order.rbegin(); stage != report.order.rend(); ++stage) {
    const std::size_t sharing = report.devices[*stage].sharing;
    devices += sharing;
    const std::size_t added = (devices + sharing - 1) / sharing * sharing - devices;
    if (added < added_behind) return true;
    added_behind = added;
  }
  return false;
}

TEST(RandomRuns, OneForwardOneBackward) {
  std::size_t mirrored = 0, copies = 0;
  for (std::uint64_t seed = 1; seed <= cases(3000); ++seed) {
    const Draw draw(seed);
    if (!draw.found || draw.problem.shape != Shape::Staged) continue;
    const Simulation run = simulate(draw.problem, draw.split, run_as(ScheduleKind::OneF1B, kSamples));
    ASSERT_TRUE(run.steady) << name_of(seed, draw, run);
    if (draw.problem.memory_model == MemoryModel::OneF1B && !ran_round_by_round(run)) {
      for (DeviceId d : draw.report.devices.all()) {
        const DeviceReport& device = draw.report.devices[d];
        if (!device.original.valid()) continue;
        ASSERT_LE(run.devices[d].most_in_flight, device.memory_items.in_flight) << name_of(seed, draw, run);
        ASSERT_LE(run.devices[d].peak_memory, device.memory * (1 + 1e-9)) << name_of(seed, draw, run);
      }
    }
    if (draw.problem.transfers != TransferMode::Sum) continue;
    const double formula = max_load(draw);
    ASSERT_GE(run.time_per_sample, formula * (1 - 1e-9)) << name_of(seed, draw, run);
    const bool limited = draw.problem.memory_model == MemoryModel::OneF1B && draw.problem.microbatches > 0;
    if (!draw.problem.backward_shape || limited || rounding_grows(draw.report)) continue;
    ++mirrored;
    copies += std::any_of(draw.report.devices.begin(), draw.report.devices.end(),
                          [](const DeviceReport& device) { return device.sharing > 1; });
    ASSERT_NEAR(run.time_per_sample, formula, 1e-9 * formula) << name_of(seed, draw, run);
  }
  EXPECT_GT(mirrored, 0u);
  EXPECT_GT(copies, 0u);
}

// Never faster than the largest load; and not slower than filling and draining for every batch, in which each step
// waits for less than a round of its lane.
TEST(RandomRuns, GPipe) {
  std::size_t runs = 0;
  for (std::uint64_t seed = 1; seed <= cases(1000); ++seed) {
    const Draw draw(seed);
    if (!draw.found) continue;
    const std::size_t m = 1 + seed % 12;
    const Simulation run = simulate(draw.problem, draw.split, run_as(ScheduleKind::GPipe, 40 * m, m));
    for (DeviceId d : draw.report.devices.all()) {
      const std::size_t r = draw.report.devices[d].sharing;
      ASSERT_LE(run.devices[d].most_in_flight, (m + r - 1) / r) << name_of(seed, draw, run);
    }
    if (draw.problem.transfers != TransferMode::Sum) continue;
    Problem asked = draw.problem;
    asked.objective = Objective::GPipe;
    const double formula = check(asked, draw.split).value;
    ASSERT_EQ(run.formula, formula);
    double waits = 0;
    for (const Piece& piece : run.pieces.pieces) {
      const DeviceReport& device = draw.report.devices[piece.device];
      waits +=
          pass_load(piece.load, TransferMode::Sum) + static_cast<double>(device.sharing) * (device.sync + 2 * formula);
    }
    ASSERT_TRUE(run.steady) << name_of(seed, draw, run);
    ASSERT_LE(run.time_per_sample, (formula + waits / static_cast<double>(m)) * (1 + 1e-9)) << name_of(seed, draw, run);
    ASSERT_GE(run.time_per_sample, max_load(draw) * (1 - 1e-9)) << name_of(seed, draw, run);
    ++runs;
  }
  EXPECT_GT(runs, 0u);
}

// Larger graphs, their nodes anywhere: many pieces on each device.
TEST(RandomRuns, OfManyPieces) {
  std::size_t most_pieces = 0;
  for (std::uint64_t seed = 1; seed <= cases(60); ++seed) {
    std::mt19937 engine(static_cast<unsigned>(seed));
    const auto below = [&](unsigned n) { return static_cast<double>(engine() % n); };
    const std::size_t devices = 2 + seed % 5;
    const std::size_t nodes = 20 + seed % 40;
    Problem problem;
    problem.shape = Shape::Free;
    problem.transfers = std::array{TransferMode::Sum, TransferMode::Overlap, TransferMode::Duplex}[seed % 3];
    problem.workload.change().platform = make_platform(static_cast<int>(devices), kUnlimited, 0);
    const std::size_t first_backward = seed % 2 == 0 ? nodes : nodes / 2;
    Split split;
    for (std::size_t v = 0; v < nodes; ++v) {
      Node node;
      node.original_id = static_cast<std::int64_t>(v);
      node.time.assign(problem.workload->platform.classes.size(), below(8) / 7);
      node.backward = v >= first_backward;
      problem.workload.change().graph.nodes.push_back(node);
      split.device_of.push_back(DeviceId(engine() % devices));
      const double cost = below(5) / 3;
      for (std::size_t w = v + 1; w < std::min(nodes, v + 6); ++w) {
        if (engine() % 3 == 0) problem.workload.change().graph.edges.push_back({NodeId(v), NodeId(w), cost});
      }
    }
    const CheckReport report = check(problem, split);
    ASSERT_TRUE(report.legal());
    for (const ScheduleKind kind :
         {ScheduleKind::Pipeline, ScheduleKind::OneF1B, ScheduleKind::GPipe, ScheduleKind::Sequential}) {
      const Simulation run = simulate(problem, split, run_as(kind, 60, 7));
      const auto complaint = complaint_about(problem, report, run);
      ASSERT_FALSE(complaint) << seed << " " << to_string(kind) << ": " << *complaint;
      most_pieces = std::max(most_pieces, run.pieces.pieces.size());
      if (kind != ScheduleKind::Pipeline) continue;
      const Simulation longer = simulate(problem, split, run_as(kind, 600));
      ASSERT_TRUE(longer.steady) << seed;
      if (problem.transfers == TransferMode::Sum) {
        ASSERT_NEAR(longer.time_per_sample, report.value, 1e-9 * report.value) << seed;
      } else {
        ASSERT_LE(longer.time_per_sample, report.value * (1 + 1e-9)) << seed;
      }
    }
  }
  EXPECT_GT(most_pieces, 10u);
}

}  // namespace
}  // namespace partita::detail::test
