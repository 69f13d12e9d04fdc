// SPDX-License-Identifier: Apache-2.0
// Free and contiguous splits over unequal devices and with overlapping transfers, as plan() answers them.
#include <gtest/gtest.h>

#include "partita/check/certificate.h"
#include "partita/partita.h"
#include "partita/util/error.h"
#include "tests/support/brute_force.h"
#include "tests/support/cases.h"
#include "tests/support/free_questions.h"
#include "tests/support/graph_text.h"

namespace partita::detail::test {
namespace {

void expect_bracketed(Shape shape, std::uint64_t usual) {
  int solved = 0, optimal = 0;
  for (std::uint64_t seed = 1; seed <= cases(usual); ++seed) {
    const Problem problem = random_free_question(seed, shape);
    const auto best = brute_force(problem);
    Budget budget(Budget::Limits{.ticks = 400'000});
    const Plan plan = partita::plan(problem, {}, budget);
    if (plan.result.status == Status::Infeasible) {
      EXPECT_FALSE(best) << "seed " << seed << "\n" << describe(problem);
      EXPECT_FALSE(plan.result.reason.empty());
      continue;
    }
    if (!best) {
      EXPECT_FALSE(plan.result.split);
      continue;
    }
    EXPECT_LE(plan.result.bound, *best * (1 + 1e-9)) << "seed " << seed << "\n" << describe(problem);
    ++solved;
    if (!plan.result.split) continue;
    EXPECT_FALSE(plan.result.proof.empty());
    EXPECT_TRUE(plan.result.split->order.empty());  // these shapes have none, wherever the split began
    EXPECT_GE(plan.result.value, *best * (1 - 1e-9)) << "seed " << seed << "\n" << describe(problem);
    if (plan.result.status != Status::Optimal) continue;
    EXPECT_NEAR(plan.result.value, *best, 2e-6 * *best) << "seed " << seed << "\n" << describe(problem);
    ++optimal;
  }
  EXPECT_GT(2 * optimal, solved);
}

TEST(PlanFree, BracketsTheBestFreeSplit) { expect_bracketed(Shape::Free, 150); }
TEST(PlanFree, BracketsTheBestContiguousSplit) { expect_bracketed(Shape::Contiguous, 150); }

TEST(PlanFree, FindsWhatOverlapHides) {
  // Transfers of 3 hide behind work of 4: two devices do in 4 what takes 7 with sums.
  Problem problem{graph_from_text("a 4 9; b 4 9; a -> b : 3", 2, kUnlimited, 0)};
  problem.shape = Shape::Free;
  problem.transfers = TransferMode::Overlap;
  Budget budget(Budget::Limits{.ticks = 400'000});
  const Plan plan = partita::plan(problem, {}, budget);
  EXPECT_EQ(plan.result.status, Status::Optimal);
  EXPECT_DOUBLE_EQ(plan.result.value, 4);
  ASSERT_TRUE(plan.certificate);
  EXPECT_TRUE(verify(problem, *plan.certificate).holds);
  EXPECT_EQ(plan.result.proof, "volume of work; its certificate was verified");
  EXPECT_FALSE(plan.result.unverified);
}

TEST(PlanFree, GivesTheFastDeviceMore) {
  Problem problem;
  problem.shape = Shape::Free;
  problem.workload.change().platform.classes = {{"fast", DeviceKind::Accelerator, 1},
                                                {"slow", DeviceKind::Accelerator, 1}};
  for (int i = 0; i < 6; ++i) {
    Node node;
    node.original_id = i;
    node.time = {1, 2};
    problem.workload.change().graph.nodes.push_back(node);
  }
  Budget budget(Budget::Limits{.ticks = 400'000});
  const Plan plan = partita::plan(problem, {}, budget);
  EXPECT_EQ(plan.result.status, Status::Optimal);
  EXPECT_DOUBLE_EQ(plan.result.value, 4);
}

TEST(PlanFree, RefusesWhatOnlyStagesHave) {
  Problem plain{graph_from_text("a 4 9; b 4 9; a -> b : 3", 2, kUnlimited, 0)};
  plain.shape = Shape::Contiguous;
  Problem copies = plain, flights = plain, clusters = plain;
  copies.replicas = 2;
  flights.memory_model = MemoryModel::OneF1B;
  clusters.workload.change().platform.clusters = Cluster{1, {2, 0}, {}};
  for (const Problem& problem : {copies, flights, clusters}) {
    Budget budget;
    try {
      partita::plan(problem, {}, budget);
      ADD_FAILURE() << "answered";
    } catch (const InputError& error) {
      EXPECT_EQ(error.kind(), ErrorKind::Unsupported);
      EXPECT_NE(std::string(error.what()).find("Question::shape = staged"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace partita::detail::test
