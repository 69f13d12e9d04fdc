// SPDX-License-Identifier: Apache-2.0
// Memory is compared exactly by everybody: with limits that some set of nodes fills to the last byte, or exceeds by
// one, on sizes of gigabytes, the solvers agree with brute force on what exists and what it costs.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "partita/partita.h"
#include "tests/support/brute_force.h"
#include "tests/support/cases.h"
#include "tests/support/random_setup.h"
#include "tests/support/random_workload.h"

namespace partita::detail {
namespace {

// Sizes of a few gigabytes that differ in their last bytes, and a limit that a random set of nodes has, or misses by
// one byte.
Workload at_the_boundary(std::uint64_t seed) {
  Workload workload = random_workload(seed);
  std::mt19937_64 random(seed);
  double sum = 0;
  for (Node& node : workload.graph.nodes) {
    node.memory = node.parts.weights = std::ldexp(1 + node.memory, 32) + static_cast<double>(random() % 3);
    if (random() % 2) sum += node.memory;
  }
  if (sum == 0) sum = workload.graph.nodes[NodeId(0)].memory;
  for (DeviceClass& c : workload.platform.classes) {
    if (c.kind == DeviceKind::Accelerator) c.memory = sum - static_cast<double>(random() % 2);
  }
  return workload;
}

TEST(MemoryBoundary, EverySolverAgreesWithBruteForce) {
  constexpr double kNone = -1;
  std::size_t infeasible = 0, found = 0;
  for (std::uint64_t seed = 1; seed <= test::cases(200); ++seed) {
    Problem problem{at_the_boundary(seed)};
    if (problem.workload->graph.nodes.size() > 6) continue;
    for (const Objective objective : {Objective::MaxLoad, Objective::Latency}) {
      for (const Shape shape : {Shape::Staged, Shape::Free}) {
        if (objective == Objective::Latency && shape != Shape::Staged) continue;
        for (const TransferMode transfers : {TransferMode::Sum, TransferMode::Duplex}) {
          if (transfers != TransferMode::Sum && objective == Objective::Latency) continue;
          problem.objective = objective;
          problem.shape = shape;
          problem.transfers = transfers;
          const std::optional<double> best = brute_force(problem);
          Budget budget(Budget::Limits{.ticks = 300'000});
          const Plan answer = plan(problem, {}, budget);
          const bool proved = answer.result.status == Status::Optimal || answer.result.status == Status::Infeasible;
          if (!proved) continue;
          ++(best ? found : infeasible);
          EXPECT_NEAR(answer.result.split ? answer.result.value : kNone, best.value_or(kNone), 1e-9 * best.value_or(1))
              << "seed " << seed << " " << to_string(objective) << " " << to_string(shape) << " "
              << to_string(transfers) << "\n"
              << describe(problem);
        }
      }
    }
  }
  EXPECT_GT(found, 0u);
  EXPECT_GT(infeasible, 0u);
}

}  // namespace
}  // namespace partita::detail
