// SPDX-License-Identifier: Apache-2.0
// plan() for latency on devices of several classes.
#include <gtest/gtest.h>

#include "partita/partita.h"
#include "partita/util/error.h"
#include "tests/support/brute_force.h"
#include "tests/support/cases.h"
#include "tests/support/graph_text.h"
#include "tests/support/latency_questions.h"

namespace partita::detail::test {
namespace {

bool several_accelerator_classes(const Platform& platform) {
  int classes = 0;
  for (const DeviceClass& c : platform.classes) classes += c.count > 0 && c.kind == DeviceKind::Accelerator;
  return classes > 1;
}

TEST(LatencyClasses, TheBestSplitIsFoundAndMostlyProved) {
  std::size_t asked = 0, unequal = 0, found = 0, proved = 0;
  for (std::uint64_t seed = 3; seed <= cases(450); seed += 3) {  // those with classes
    const Problem problem = latency_question(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + describe(problem));
    const std::optional<double> best = brute_force(problem);
    Budget budget(Budget::Limits{.ticks = 400'000});
    const Plan answer = plan(problem, {}, budget);
    if (!best) {
      EXPECT_FALSE(answer.result.split.has_value());
      continue;
    }
    ++asked;
    unequal += several_accelerator_classes(problem.workload->platform);
    EXPECT_NE(answer.result.status, Status::Infeasible);
    EXPECT_LE(answer.result.bound, *best * (1 + 1e-9));
    if (!answer.result.split) continue;  // hosts that are nearly full are filled by a rule of thumb
    ++found;
    EXPECT_TRUE(answer.report.legal());
    EXPECT_GE(answer.result.value, *best * (1 - 1e-9));
    proved += answer.result.status == Status::Optimal;
    if (answer.result.status == Status::Optimal) {
      EXPECT_NEAR(answer.result.value, *best, 1e-6 * *best);
    }
  }
  EXPECT_GT(unequal, asked / 5);
  EXPECT_GE(found, asked * 98 / 100);
  EXPECT_GT(proved, asked * 7 / 10);
}

// Slow devices with fast links and the other way round: which of them a chain should use depends on its costs.
TEST(LatencyClasses, LinksAndTimesAreWeighedAgainstEachOther) {
  Problem problem;
  problem.objective = Objective::Latency;
  problem.workload = graph_from_text("a - 0; b 4 100; c - 0; a -> b : 3; b -> c : 3", 1, kUnlimited, 1);
  Platform& platform = problem.workload.change().platform;
  platform.classes.push_back({"near", DeviceKind::Accelerator, 1, kUnlimited, 0.5});
  for (Node& node : problem.workload.change().graph.nodes)
    node.time.push_back(node.time[0] == kCannotRun ? kCannotRun : 6);
  Budget budget;
  const Plan answer = plan(problem, {}, budget);
  EXPECT_EQ(answer.result.status, Status::Optimal);
  EXPECT_NEAR(answer.result.value, 9, 1e-9);  // 6 + 0.5 * 6 near, 4 + 6 far
}

TEST(LatencyClasses, WhatItDoesNotKnowIsRefused) {
  Problem problem;
  problem.objective = Objective::Latency;
  problem.workload = graph_from_text("a 1 2; b 1 2; a -> b : 1");
  Budget budget;
  problem.replicas = 2;
  EXPECT_THROW(plan(problem, {}, budget), InputError);
  problem.replicas = 1;
  problem.workload.change().platform.clusters.emplace();
  EXPECT_THROW(plan(problem, {}, budget), InputError);
  EXPECT_THROW(plan(problem, {.algorithm = Algorithm::Ip}, budget), InputError);
}

}  // namespace
}  // namespace partita::detail::test
