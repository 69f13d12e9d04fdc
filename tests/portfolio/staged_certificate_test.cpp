// SPDX-License-Identifier: Apache-2.0
// Certificates of staged bounds: what is handed out passes the check and is below the optimum, whatever the bound asked
// for; and nothing that claims the optimum passes.
#include "partita/portfolio/staged_certificate.h"

#include <gtest/gtest.h>

#include <random>

#include "partita/check/certificate.h"
#include "partita/check/check.h"
#include "partita/partita.h"
#include "tests/support/cases.h"
#include "tests/support/graph_text.h"
#include "tests/support/optima.h"

namespace partita::detail::test {
namespace {

Plan plan_with_certificate(const Problem& problem) {
  Budget budget(Budget::Limits{.ticks = 20'000'000});
  PlanOptions options;
  options.certificate = true;
  return partita::plan(problem, options, budget);
}

// Whatever is written in it.
void corrupt(Certificate& certificate, std::mt19937_64& random) {
  const auto below = [&](std::size_t n) { return random() % std::max<std::size_t>(n, 1); };
  for (std::size_t i = 1 + below(3); i > 0; --i) {
    auto& classes =
        certificate.leaves.empty() ? certificate.classes : certificate.leaves[below(certificate.leaves.size())].classes;
    auto& devices =
        certificate.leaves.empty() ? certificate.devices : certificate.leaves[below(certificate.leaves.size())].devices;
    switch (below(8)) {
      case 6:
        if (certificate.ideals) certificate.ideals = static_cast<int>(1 + below(100));
        break;
      case 7: certificate.steps.emplace_back().windows = static_cast<int>(1 + below(100)); break;
      case 0:
        if (!classes.empty()) classes[below(classes.size())].price *= static_cast<std::int64_t>(below(5)) - 1;
        break;
      case 1:
        if (!devices.empty() && devices.back().most) *devices.back().most /= 2;
        break;
      case 2:
        if (!devices.empty()) devices.front().theta = static_cast<std::int64_t>(random() >> 12);
        break;
      case 3:
        if (classes.size() > 1) {
          Certificate::Step& step = certificate.steps.emplace_back();
          step.node = classes[below(classes.size())].node;
          step.join = classes[below(classes.size())].node;
        }
        break;
      case 4:
        if (!certificate.steps.empty())
          certificate.steps.erase(certificate.steps.begin() +
                                  static_cast<std::ptrdiff_t>(below(certificate.steps.size())));
        break;
      default:
        if (!classes.empty()) classes[below(classes.size())].price += static_cast<std::int64_t>(random() >> 24);
    }
  }
}

TEST(StagedCertificate, HoldsAndIsBelowTheOptimum) {
  std::size_t solved = 0, found = 0, at_the_optimum = 0;
  for (std::uint64_t seed = 1; seed <= cases(120); ++seed) {
    const Problem problem = random_staged_problem(seed);
    const std::optional<double> best = brute_force(problem);
    const Plan plan = plan_with_certificate(problem);
    if (!best || !(*best > 0) || !plan.result.split) {
      EXPECT_FALSE(plan.certificate && best && plan.certificate->limit >= *best);
      continue;
    }
    ++solved;
    if (!plan.certificate) continue;
    ++found;
    const Certificate& certificate = *plan.certificate;
    EXPECT_EQ(certificate.shape, Shape::Staged);
    EXPECT_TRUE(verify(problem, certificate).holds) << "seed " << seed << "\n" << describe(*problem.workload);
    EXPECT_LT(certificate.limit, *best) << "seed " << seed << "\n" << describe(*problem.workload);
    EXPECT_LE(certificate.limit, plan.result.bound) << "seed " << seed;
    const bool whole = certificate.limit >= *best * (1 - kOptimalGap);
    at_the_optimum += whole;
    EXPECT_EQ(plan.result.proof.find("; its certificate was verified") != std::string::npos,
              certificate.limit >= plan.result.bound * (1 - kOptimalGap))
        << plan.result.proof;
    std::mt19937_64 random(seed);
    for (int i = 0; i < 4; ++i) {
      Certificate wrong = certificate;
      wrong.limit = *best * (1 + 1e-9);
      if (i > 0) corrupt(wrong, random);
      Budget budget(Budget::Limits{.ticks = 20'000'000});
      EXPECT_FALSE(verify(problem, wrong, &budget).holds) << "seed " << seed << "\n" << describe(*problem.workload);
    }
  }
  EXPECT_GT(10 * found, 9 * solved) << found << " of " << solved;
  EXPECT_GT(10 * at_the_optimum, 8 * solved) << at_the_optimum << " of " << solved;
}

// A result that claims more than is true: what is handed out is below the optimum all the same. Nothing is small, so
// that groups are removed.
TEST(StagedCertificate, BelievesNoBound) {
  std::size_t found = 0, removed = 0, joined = 0, looked = 0;
  for_each_optimum(cases(60), random_staged_problem, [&](std::uint64_t seed, const Problem& problem, double best) {
    Budget budget(Budget::Limits{.ticks = 20'000'000});
    const Plan plan = partita::plan(problem, {}, budget);
    if (!plan.result.split) return;
    const StagedInstance instance = make_staged_instance(problem);
    for (const double factor : {1.5, 1 + 1e-8, 1 - 1e-6}) {
      Result result = plan.result;
      result.value = 2 * best;
      result.bound = factor * best;
      Budget part(Budget::Limits{.ticks = 20'000'000});
      const auto certificate = certify_staged(problem, instance, result, {.seed = seed, .small_graph = 0}, part, {});
      if (!certificate) continue;
      ++found;
      EXPECT_LT(certificate->limit, best);
      EXPECT_TRUE(verify(problem, *certificate).holds);
      for (const Certificate::Step& step : certificate->steps) ++(step.windows ? looked : step.join ? joined : removed);
    }
  });
  EXPECT_GT(found, cases(60) / 2);
  EXPECT_GT(removed, 0u);
  EXPECT_GT(joined, 0u);
  EXPECT_GT(looked, 0u);
}

// The largest load is never above the largest forward plus the largest backward load.
TEST(StagedCertificate, OfTheLargestLoadHoldsForGpipe) {
  std::size_t found = 0;
  const auto gpipe_problem = [](std::uint64_t seed) {
    Problem problem = random_staged_problem(seed);
    problem.objective = Objective::GPipe;
    return problem;
  };
  for_each_optimum(cases(60), gpipe_problem, [&](std::uint64_t, const Problem& problem, double best) {
    const Plan plan = plan_with_certificate(problem);
    if (!plan.certificate) return;
    ++found;
    EXPECT_TRUE(verify(problem, *plan.certificate).holds);
    EXPECT_LT(plan.certificate->limit, best);
    EXPECT_LE(plan.certificate->limit, plan.result.bound);
  });
  EXPECT_GT(found, cases(60) / 4);
}

TEST(StagedCertificate, IsLookedForOnlyWhereAskedFor) {
  Problem problem{graph_from_text("a 4 9; b 4 9; c 4 9; a -> b : 1; b -> c : 1", 2, kUnlimited, 0)};
  problem.shape = Shape::Staged;
  Budget budget;
  EXPECT_FALSE(partita::plan(problem, {}, budget).certificate);
  const Plan plan = plan_with_certificate(problem);
  EXPECT_EQ(plan.result.status, Status::Optimal);
  ASSERT_TRUE(plan.certificate);
  EXPECT_GE(plan.certificate->limit, plan.result.value * (1 - kOptimalGap));
  EXPECT_TRUE(plan.result.proof.ends_with("; its certificate was verified")) << plan.result.proof;
}

// A hundred groups in three rows, more than can be tried, and light ones beside them that shrink removes.
TEST(StagedCertificate, OfAGraphThatIsMadeSmaller) {
  std::mt19937_64 random(1);
  Problem problem{graph_from_text("a 4 9", 3, kUnlimited, 0)};
  problem.shape = Shape::Staged;
  Graph& graph = problem.workload.change().graph;
  for (int i = 1; i < 200; ++i) {
    Node node = graph.nodes[NodeId(0)];
    node.original_id = i + 1;
    node.time = {i % 4 == 3 ? 0.0 : 1 + static_cast<double>(random() % 8), 1000};
    graph.nodes.push_back(node);
    const NodeId before(i % 4 == 0 ? static_cast<std::size_t>(i) - 2 : static_cast<std::size_t>(i) - 1);
    graph.edges.push_back({before, NodeId(static_cast<std::size_t>(i)), 1 + static_cast<double>(random() % 4)});
  }
  const Plan plan = plan_with_certificate(problem);
  ASSERT_TRUE(plan.certificate);
  EXPECT_TRUE(verify(problem, *plan.certificate).holds);
  EXPECT_FALSE(plan.certificate->steps.empty());
  EXPECT_GE(plan.certificate->limit, plan.result.bound * (1 - kOptimalGap));
  Certificate higher = *plan.certificate;
  higher.limit = plan.result.value * (1 + 1e-9);
  EXPECT_FALSE(verify(problem, higher).holds);
}

}  // namespace
}  // namespace partita::detail::test
