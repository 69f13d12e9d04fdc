// SPDX-License-Identifier: Apache-2.0
// The judges against each other, before anything else is held against them: the brute force of pipelines, PipeDream's
// recurrence and Piper's know nothing of one another.
#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/property/property.h"
#include "tests/support/cases.h"
#include "tests/support/pipedream_recurrence.h"
#include "tests/support/pipeline_brute_force.h"
#include "tests/support/piper_recurrence.h"
#include "tests/support/random_path.h"
#include "tests/support/random_setup.h"

namespace partita::detail {
namespace {

TEST(PipeDreamRecurrence, WorkedOutByHand) {
  // Two layers of 4 and 2, with a transfer of 1: on two devices one stage each, or one stage of both, twice.
  const std::vector<PathLayer> layers{{4, 2, 1}, {2, 0, 0}};
  EXPECT_EQ(pipedream_value(layers, {{1, 1}}, 1, Boundary::Shared), 6);
  EXPECT_EQ(pipedream_value(layers, {{2, 1}}, 1, Boundary::Shared), 3);  // 6 / 2, and weights 2 / 2
  EXPECT_EQ(pipedream_value(layers, {{2, 1}}, 0.25, Boundary::Shared),
            4);  // 2 / (2 * 0.25) = 4, no better than 4 and 2
  EXPECT_EQ(pipedream_value(layers, {{2, 1}}, 0.125, Boundary::Shared), 4);
  EXPECT_EQ(pipedream_value(layers, {{2, 8}}, 0.125, Boundary::Shared), 6);  // the transfer costs 8
  // Two clusters of one device: the same, all at the factor of the outer links.
  EXPECT_EQ(pipedream_value(layers, {{1, 8}, {2, 1}}, 0.25, Boundary::Shared), 4);
  EXPECT_EQ(pipedream_value(layers, {{1, 0}, {2, 8}}, 0.25, Boundary::Shared), 6);
}

TEST(PipeDreamRecurrence, SharedBoundariesEqualBruteForce) {
  int copies = 0;
  const auto count = static_cast<int>(test::cases(2000));
  for (int seed = 0; seed < count; ++seed) {
    const PathQuestion path = random_path(static_cast<std::uint64_t>(seed), 5, 5);
    Problem problem = path.problem();
    const auto expected = pipeline_brute_force(problem);
    const double shared = pipedream_value(path.layers, path.levels, path.sync_bandwidth, Boundary::Shared);
    const double printed = pipedream_value(path.layers, path.levels, path.sync_bandwidth, Boundary::Printed);
    ASSERT_TRUE(expected);
    EXPECT_TRUE(nearly(*expected, shared, 1e-9)) << *expected << " " << shared << "\nseed " << seed << "\n"
                                                 << describe(problem);
    EXPECT_LE(*expected, printed * (1 + 1e-9)) << describe(problem);
    problem.replicas = 1;
    copies += *pipeline_brute_force(problem) > *expected * (1 + 1e-9) ? 1 : 0;
  }
  expect_more_than(copies, count, 5, "copies");  // often copies are worth it
}

TEST(PiperRecurrence, EqualsBruteForceWhereOutputsArePaidOnce) {
  int splits = 0;
  int tried = 0;
  int dearer = 0;
  expect_for_all_workloads(
      [&](const Workload& workload, unsigned number) -> Complaint {
        if (workload.graph.nodes.size() > 7) return {};
        const Problem problem = piper_question(workload, number, 4);
        const auto expected = pipeline_brute_force(problem);
        const auto piper = piper_value(problem, Cut::EveryOutput);
        const auto published = piper_value(problem, Cut::EveryEdge);
        ++tried;
        if (expected.has_value() != piper.has_value() || piper.has_value() != published.has_value())
          return "a pipeline in one only";
        if (!expected) return {};
        ++splits;
        dearer += *published > *piper * (1 + 1e-9) ? 1 : 0;
        if (!nearly(*expected, *piper, 1e-9)) return fmt::format("brute force {}, Piper {}", *expected, *piper);
        if (*published < *piper * (1 - 1e-9)) return "paying for every edge is cheaper";
        return {};
      },
      4);
  expect_more_than(splits, tried, 3, "splits");
  expect_more_than(dearer, tried, 50, "dearer");
}

}  // namespace
}  // namespace partita::detail
