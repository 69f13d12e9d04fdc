// SPDX-License-Identifier: Apache-2.0
// Plans on platforms with shared links: known values, brute force, and the plain questions whose bounds are used.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <random>
#include <string>

#include "partita/check/claims.h"
#include "partita/partita.h"
#include "partita/portfolio/dearer_transfers.h"
#include "partita/util/error.h"
#include "tests/support/brute_force.h"
#include "tests/support/cases.h"
#include "tests/support/pipeline_brute_force.h"
#include "tests/support/random_setup.h"
#include "tests/support/random_split.h"

namespace partita::detail {
namespace {

constexpr std::uint64_t kTicks = 20'000'000;

// Nodes in a row, of equal times, with outputs of equal costs.
Problem row_behind_a_link(std::size_t nodes, double time, double cost, int accelerators, Link link) {
  Workload workload;
  workload.platform = make_platform(accelerators, kUnlimited, 0);
  workload.platform.shared_links.push_back({"switch", link, {ClassId(0)}, 0});
  for (std::size_t i = 0; i < nodes; ++i) {
    Node node;
    node.original_id = static_cast<std::int64_t>(i);
    node.time = {time, time};
    workload.graph.nodes.push_back(node);
    if (i > 0) workload.graph.edges.push_back({NodeId(i - 1), NodeId(i), cost});
  }
  return Problem{workload};
}

Plan answered(const Problem& problem, const PlanOptions& options = {}) {
  Budget::Limits limits;
  limits.ticks = kTicks;
  Budget budget(limits);
  return plan(problem, options, budget);
}

TEST(PlanSharedLinks, CountTheSumOfAllTransfers) {
  // Four stages are loaded with 16 at most, but move 3 outputs in and out: 18.
  const Plan plan = answered(row_behind_a_link(4, 10, 3, 4, {1, 0}));
  EXPECT_EQ(plan.result.status, Status::Optimal);
  EXPECT_DOUBLE_EQ(plan.result.value, 18);
  ASSERT_TRUE(plan.report.slowest_link);
  EXPECT_DOUBLE_EQ(plan.report.shared_links[*plan.report.slowest_link].load, 18);
  EXPECT_FALSE(plan.report.is_bottleneck(plan.report.bottleneck));
}

TEST(PlanSharedLinks, AreAskedForTheirOwnPrice) {
  const Plan plan = answered(row_behind_a_link(4, 10, 3, 4, {0.5, 2}));  // 3.5 each way
  EXPECT_EQ(plan.result.status, Status::Optimal);
  EXPECT_DOUBLE_EQ(plan.result.value, 21);
}

TEST(PlanSharedLinks, MakeFewerStagesTheBetterOnes) {
  // Over the link an output takes 12: two stages move 24 together, more move more.
  const Plan plan = answered(row_behind_a_link(4, 10, 3, 4, {4, 0}));
  EXPECT_EQ(plan.result.status, Status::Optimal);
  EXPECT_DOUBLE_EQ(plan.result.value, 24);
}

TEST(PlanSharedLinks, MakeFewerStagesTheBetterOnesInLongRows) {
  // Of n stages the link moves 2 (n - 1), and the largest is loaded with 11 from seven stages on: 12 with seven of eight.
  const Plan plan = answered(row_behind_a_link(64, 1, 1, 8, {1, 0}));
  EXPECT_DOUBLE_EQ(plan.result.value, 12);
  EXPECT_LE(plan.result.bound, 12);
  EXPECT_GE(plan.result.bound, 9);  // what the question without the link says
}

TEST(PlanSharedLinks, ThatAreFastChangeNothing) {
  Problem problem = row_behind_a_link(64, 1, 1, 8, {0.01, 0});
  const Plan with = answered(problem);
  problem.workload.change().platform.shared_links.clear();
  const Plan without = answered(problem);
  EXPECT_EQ(with.result.status, Status::Optimal);
  EXPECT_DOUBLE_EQ(with.result.value, without.result.value);
  EXPECT_NE(plain_proof(with.result).find("(even without the shared links)"), std::string::npos);
}

TEST(PlanSharedLinks, OfTwoDevicesAreProved) {
  // With two devices behind it, a link moves twice what either of them does: the bound knows all of it.
  const Plan plan = answered(row_behind_a_link(64, 1, 10, 2, {4, 0}));
  EXPECT_DOUBLE_EQ(plan.result.value, 64);  // 80 for a cut: one device alone
  EXPECT_EQ(plan.result.status, Status::Optimal);
}

TEST(PlanSharedLinks, HoldForEveryShapeAndAlgorithm) {
  for (const Shape shape : {Shape::Staged, Shape::Contiguous, Shape::Free}) {
    Problem problem = row_behind_a_link(4, 10, 3, 4, {4, 0});
    problem.shape = shape;
    EXPECT_DOUBLE_EQ(answered(problem).result.value, 24) << to_string(shape);
  }
  for (const Algorithm algorithm : {Algorithm::Exact, Algorithm::Linear, Algorithm::Ip}) {
    PlanOptions options;
    options.algorithm = algorithm;
    const Plan plan = answered(row_behind_a_link(4, 10, 3, 4, {4, 0}), options);
    EXPECT_DOUBLE_EQ(plan.result.value, 24);
    EXPECT_LE(plan.result.bound, 24);
  }
}

TEST(PlanSharedLinks, AreNotMindedForLatency) {
  Problem problem = row_behind_a_link(4, 10, 3, 4, {4, 0});
  problem.objective = Objective::Latency;
  const Plan plan = answered(problem);
  EXPECT_EQ(plan.result.status, Status::Optimal);
  EXPECT_DOUBLE_EQ(plan.result.value, 40);
  EXPECT_TRUE(plan.report.shared_links.empty());
}

TEST(PlanSharedLinks, AreInNoIntegerProgram) {
  EXPECT_THROW(integer_program(row_behind_a_link(4, 10, 3, 4, {4, 0}), ModelFormat::Mps), InputError);
}

TEST(PlanSharedLinks, KeepLayersTogether) {
  Problem problem = row_behind_a_link(8, 10, 3, 4, {1, 0});
  for (Node& node : problem.workload.change().graph.nodes) node.layer = node.original_id / 2;
  PlanOptions options;
  options.contract_layers = true;
  const Plan plan = answered(problem, options);
  EXPECT_DOUBLE_EQ(plan.result.value, 26);  // 20 and two transfers of 3
  EXPECT_EQ(plan.result.status, Status::Optimal);
}

// --- dearer transfers ----------------------------------------------------------------------------

// The theorem of dearer_transfers.h, split by split: none costs more in the plain question.
TEST(DearerTransfers, AddNothingToAnySplit) {
  int splits = 0, weighed = 0, tight = 0;
  const auto cases = static_cast<unsigned>(test::cases(2'000));
  for (unsigned seed = 0; seed < cases; ++seed) {
    SetupFeatures features;
    features.shared_links = features.gpipe = true;
    features.clusters = seed % 2 == 0;
    features.copies = seed % 3 != 0;
    features.memory = false;
    features.most_devices = 5;
    const Problem problem = random_setup(seed, features);
    std::mt19937 engine(seed);
    for (const SharedLink& link : problem.workload->platform.shared_links) {
      for (const double weight : {0.25, 0.5, 0.875, 1.0}) {
        const std::optional<Problem> plain = with_dearer_transfers(problem, link, weight);
        if (!plain) continue;
        ++weighed;
        for (int i = 0; i < 4; ++i) {
          const Split split = random_split(problem, engine);
          const PipelineEvaluation with = evaluate_pipeline(problem, split);
          const PipelineEvaluation without = evaluate_pipeline(*plain, split);
          ASSERT_EQ(with.legal(), without.legal());
          if (!with.legal()) continue;
          ++splits;
          ASSERT_LE(without.value, with.value * (1 + 1e-12) + 1e-12) << "seed " << seed << ", weight " << weight << "\n"
                                                                     << describe(problem);
          tight += without.value > 0.9 * with.value ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GT(weighed, static_cast<int>(cases) / 2);
  EXPECT_GT(splits, static_cast<int>(cases) / 2);
  EXPECT_GT(tight, splits / 10);
}

TEST(DearerTransfers, BoundTheOptimum) {
  int questions = 0, better = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    SetupFeatures features = SetupFeatures::none();
    features.shared_links = features.transfers = true;
    features.classes = seed % 2 == 0;
    features.gpipe = seed % 3 == 0;
    const Problem problem = random_setup(seed, features);
    if (problem.workload->graph.nodes.size() > 7) continue;
    const std::optional<double> optimum = brute_force(problem);
    if (!optimum) continue;
    Problem bare = problem;
    bare.workload.change().platform.shared_links.clear();
    const double without = *brute_force(bare);
    for (const SharedLink& link : problem.workload->platform.shared_links) {
      for (const double weight : {0.5, 1.0}) {
        const std::optional<Problem> plain = with_dearer_transfers(problem, link, weight);
        if (!plain) continue;
        const double bound = *brute_force(*plain);
        ASSERT_LE(bound, *optimum * (1 + 1e-12)) << "seed " << seed << "\n" << describe(problem);
        ++questions;
        better += bound > without * (1 + 1e-9) ? 1 : 0;
      }
    }
  }
  EXPECT_GT(questions, 100);
  EXPECT_GT(better, questions / 20);
}

// Without clusters, copies and samples in flight, small problems are solved for good.
TEST(PlanSharedLinks, EqualBruteForce) {
  int questions = 0, dearer = 0;
  for (unsigned seed = 0; seed < 150; ++seed) {
    SetupFeatures features = SetupFeatures::none();
    features.shared_links = features.transfers = features.latencies = true;
    features.classes = seed % 2 == 0;
    features.gpipe = seed % 3 == 0;
    Problem problem = random_setup(seed, features);
    problem.shape = seed % 5 == 0 ? Shape::Free : seed % 5 == 1 ? Shape::Contiguous : Shape::Staged;
    if (problem.workload->graph.nodes.size() > 7) continue;
    const std::optional<double> optimum = brute_force(problem);
    const Plan plan = answered(problem);
    ++questions;
    if (!optimum) {
      EXPECT_EQ(plan.result.status, Status::Infeasible) << "seed " << seed;
      continue;
    }
    Problem bare = problem;
    bare.workload.change().platform.shared_links.clear();
    dearer += *optimum > *brute_force(bare) * (1 + 1e-9) ? 1 : 0;
    ASSERT_EQ(plan.result.status, Status::Optimal) << "seed " << seed << "\n" << describe(problem);
    ASSERT_NEAR(plan.result.value, *optimum, 1e-9 * (1 + *optimum)) << "seed " << seed << "\n" << describe(problem);
  }
  EXPECT_GT(questions, 50);
  EXPECT_GT(dearer, questions / 10);
}

}  // namespace
}  // namespace partita::detail
