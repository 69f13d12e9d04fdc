// SPDX-License-Identifier: Apache-2.0
// The unit of time changes no answer: with all times multiplied by a power of two, value and bound are multiplied by it
// too, and nothing else is different, whatever the power.
#include <gtest/gtest.h>

#include <cmath>

#include "partita/model/graph_checks.h"
#include "partita/partita.h"
#include "partita/portfolio/safe_range.h"
#include "partita/util/error.h"
#include "tests/support/cases.h"
#include "tests/support/graph_text.h"
#include "tests/support/random_setup.h"
#include "tests/support/random_workload.h"

namespace partita::detail {
namespace {

constexpr int kPowers[] = {-990, -700, -461, -100, 100, 470, 800, 900};

Plan answer_to(const Problem& problem) {
  Budget budget(Budget::Limits{.ticks = 20'000});
  return plan(problem, {}, budget);
}

void expect_unit_does_not_matter(const Problem& problem, std::uint64_t seed) {
  const Plan usual = answer_to(problem);
  const int power = kPowers[seed % std::size(kPowers)];
  const Problem scaled = with_times_scaled(problem, power);
  const Workload& workload = *scaled.workload;
  if (!find_underflow(workload).empty() || !find_overflow(workload).empty()) return;  // too small or too large: refused
  const Plan other = answer_to(scaled);
  EXPECT_EQ(other.result.status, usual.result.status) << "seed " << seed << " power " << power << "\n"
                                                      << describe(problem);
  if (!usual.result.split || !other.result.split) return;
  EXPECT_NEAR(std::ldexp(other.result.value, -power), usual.result.value, 1e-9 * usual.result.value)
      << "seed " << seed << " power " << power << "\n"
      << describe(problem);
  EXPECT_LE(other.result.bound, other.result.value);
  EXPECT_EQ(other.report.value, other.result.value);
  EXPECT_TRUE(check(scaled, *other.result.split).legal());
}

TEST(Magnitudes, OfPlainPlatforms) {
  for (std::uint64_t seed = 1; seed <= test::cases(120); ++seed) {
    Problem problem{random_workload(seed)};
    problem.objective = seed % 5 == 0 ? Objective::Latency : Objective::MaxLoad;
    problem.shape = seed % 3 == 0 ? Shape::Free : Shape::Staged;
    expect_unit_does_not_matter(problem, seed);
  }
}

TEST(Magnitudes, OfClassesCopiesClustersAndBandwidths) {
  for (std::uint64_t seed = 1; seed <= test::cases(120); ++seed) expect_unit_does_not_matter(random_setup(seed), seed);
}

TEST(Magnitudes, AProductOfTinyTimesIsNotZero) {
  Problem problem{graph_from_text("a 3e-200 1e-200; b 2e-200 1e-200; a -> b : 2e-200", 3, kUnlimited, 0)};
  Platform& platform = problem.workload.change().platform;
  platform.clusters = Cluster{0, {1, 0}, {Cluster{2, {2, 0}, {}}}};
  platform.sync_bandwidth = 0.11258755619180624;
  problem.workload.change().graph.nodes[NodeId(0)].parts.weights = 8e6;
  problem.replicas = 2;
  const Result result = answer_to(problem).result;
  EXPECT_EQ(result.status, Status::Optimal);
  EXPECT_EQ(result.value, 3e-200);
}

TEST(Magnitudes, WhatCannotBeComputedWithIsRefused) {
  const auto kind_of = [](const Problem& problem) {
    try {
      answer_to(problem);
    } catch (const InputError& error) {
      return static_cast<int>(error.kind());
    }
    return 0;
  };
  EXPECT_EQ(kind_of(Problem{graph_from_text("a 1e-200 1e120; b 1 1; a -> b : 1", 2)}),
            static_cast<int>(ErrorKind::BadNumber));
  EXPECT_EQ(kind_of(Problem{graph_from_text("a 1e-60 1e120; b 1 1; a -> b : 1", 2)}), 0);
  Problem slow{graph_from_text("a 1e-200 1e-200; b 1e-200 1e-200; a -> b : 1e-200", 2)};
  slow.replicas = 2;
  slow.workload.change().platform.sync_bandwidth = 1e-200;
  for (Node& node : slow.workload.change().graph.nodes) node.parts.weights = 1e9;
  EXPECT_EQ(kind_of(slow), static_cast<int>(ErrorKind::BadNumber));
  slow.workload.change().platform.sync_bandwidth = kUnlimited;
  EXPECT_EQ(kind_of(slow), 0);
}

}  // namespace
}  // namespace partita::detail
