// SPDX-License-Identifier: Apache-2.0
// Random splits of all kinds, run by every schedule: each run is one (run_checker.h), and takes the time it should.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/schedule/run_checker.h"
#include "tests/schedule/timeline.h"
#include "tests/support/cases.h"
#include "tests/support/random_setup.h"
#include "tests/support/random_split.h"

namespace partita::test {
namespace {

constexpr std::size_t kSamples = 150;

// A legal split of a random question, if a few draws find one.
struct Draw {
  Problem problem;
  Split split;
  CheckReport report;
  bool found = false;

  explicit Draw(std::uint64_t seed, const SetupFeatures& features = {}) {
    std::mt19937 engine(static_cast<unsigned>(seed));
    problem = random_setup(seed, features);
    problem.backward_shape = seed % 2 == 0;
    if (problem.memory_model == MemoryModel::Flat && problem.replicas == 1 && seed % 3 != 0)
      problem.shape = seed % 3 == 1 ? Shape::Free : Shape::Contiguous;
    for (int i = 0; i < 10 && !found; ++i) {
      split = random_split(problem, engine);
      if (problem.shape == Shape::Free) {
        for (DeviceId& d : split.device_of) {
          if (engine() % 2 == 0) d = DeviceId(engine() % problem.workload.platform.device_count());
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
      const Simulation run = simulate(draw.problem, draw.split, run_as(kind, 20 + seed % 7, 1 + seed % 5));
      const auto complaint = complaint_about(draw.problem, draw.report, run);
      ASSERT_FALSE(complaint) << *complaint << "\n" << name_of(seed, draw, run);
      ++runs;
    }
  }
  EXPECT_GT(runs, 0u);
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

// Some device has several pieces in a pass.
bool ran_round_by_round(const Simulation& run) {
  return run.remark.find("round by round, as in a pipeline") != std::string::npos;
}

TEST(RandomRuns, OneForwardOneBackward) {
  std::size_t mirrored = 0;
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
    const bool copies = std::any_of(draw.report.devices.begin(), draw.report.devices.end(),
                                    [](const DeviceReport& device) { return device.sharing > 1; });
    if (!draw.problem.backward_shape || limited || copies) continue;
    ++mirrored;
    ASSERT_NEAR(run.time_per_sample, formula, 1e-9 * formula) << name_of(seed, draw, run);
  }
  EXPECT_GT(mirrored, 0u);
}

}  // namespace
}  // namespace partita::test
