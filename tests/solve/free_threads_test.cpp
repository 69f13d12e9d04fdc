// SPDX-License-Identifier: Apache-2.0
// Free and contiguous splits with the search and the bounds side by side: no bound above the optimum, no split below it,
// proofs that hold, and in the end the same claims as one thread's.
#include <gtest/gtest.h>

#include "partita/check/certificate.h"
#include "partita/portfolio/start.h"
#include "partita/reduce/free_instance.h"
#include "partita/solve/free/contiguous/contiguous_anneal.h"
#include "partita/solve/free/contiguous/contiguous_bound.h"
#include "partita/solve/free/free.h"
#include "partita/solve/free/free_certificate.h"
#include "partita/util/parallel.h"
#include "tests/support/brute_force.h"
#include "tests/support/cases.h"
#include "tests/support/random_workload.h"

namespace partita::detail::test {
namespace {

constexpr int kSeveral = 3;
constexpr std::uint64_t kTicksEach = 500'000;

TEST(SideBySide, FreeSearchAndBoundAgreeWithBruteForce) {
  Workers workers(kSeveral, 0);
  std::size_t closed = 0;
  for (std::uint64_t seed = 1; seed <= cases(60); ++seed) {
    Problem problem;
    problem.workload = random_workload(seed);
    problem.shape = Shape::Free;
    const std::optional<double> best = brute_force(problem);
    if (!best || *best <= 0) continue;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const FreeInstance instance = make_free_instance(problem);
    const ProofCheck certified = [&](const ProofTree& proof, Budget&) {
      return verify(problem, make_certificate(problem, instance, proof, nullptr)).holds;
    };
    Budget budget(Budget::Limits{.ticks = kTicksEach});
    budget.work_with(workers);
    const FreeOutcome outcome = solve_free(instance, {}, {.seed = seed}, certified, budget, {});
    EXPECT_LE(outcome.bound, *best * (1 + 1e-9));
    EXPECT_TRUE(!outcome.verified || certified(*outcome.verified, budget));
    if (!outcome.split) continue;
    EXPECT_GE(outcome.split->value, *best * (1 - 1e-9));
    closed += outcome.split->value - outcome.bound <= 1e-6 * outcome.split->value;
  }
  if (all_usual_cases()) {
    EXPECT_GT(closed, cases(60) / 3);
  }
}

TEST(SideBySide, ContiguousStartsAndBoundsAgreeWithBruteForce) {
  Workers workers(kSeveral, 0);
  std::size_t closed = 0, asked = 0;
  for (std::uint64_t seed = 1; seed <= cases(60); ++seed) {
    Problem problem;
    problem.workload = random_workload(seed);
    problem.shape = Shape::Contiguous;
    const FreeInstance instance = make_free_instance(problem);
    const NodeOrder order = order_of_nodes(problem, instance.group_of, instance.graph.size());
    const std::optional<double> best = brute_force(problem);
    if (order.order.empty() || !best || *best <= 0) continue;
    SCOPED_TRACE("seed " + std::to_string(seed));
    Budget for_start;
    const std::optional<Start> start = find_start(problem, {}, for_start, {});
    if (!start) continue;
    FreeSplit split = to_free(problem, instance, start->split);
    split.value = start->value;
    const ContiguousQuestion question{
        instance,
        order.order,
        [&](const ProofTree& proof, Budget&) {
          return verify(problem, make_certificate(problem, instance, proof, &order)).holds;
        },
        [&](const ProofTree& proof, Budget&) {
          return verify(problem, make_certificate(problem, instance, proof, nullptr)).holds;
        },
        [](FreeSplit&) { return false; },
        [&](const FreeSplit& from, Budget& budget) {
          Budget part(budget, kTicksEach / 4);
          return improve_contiguous(problem, instance, from, seed, part);
        }};
    Budget budget(Budget::Limits{.ticks = kTicksEach});
    if (seed % 4 != 0) budget.work_with(workers);
    const ContiguousOutcome outcome = bound_contiguous(question, split, {.seed = seed}, true, budget, {});
    ASSERT_TRUE(outcome.split);
    EXPECT_LE(outcome.bound, *best * (1 + 1e-9));
    EXPECT_GE(outcome.split->value, *best * (1 - 1e-9));
    EXPECT_LE(outcome.split->value, split.value);
    ++asked;
    closed += outcome.split->value - outcome.bound <= 1e-6 * outcome.split->value;
  }
  if (all_usual_cases()) {
    EXPECT_GT(closed, asked / 2);
  }
}

}  // namespace
}  // namespace partita::detail::test
