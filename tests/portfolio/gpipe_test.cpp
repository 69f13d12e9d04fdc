// SPDX-License-Identifier: Apache-2.0
// plan() for gpipe: small cases whose answer one can see, and limits of what a problem can be.
#include <gtest/gtest.h>

#include "partita/partita.h"
#include "tests/support/brute_force.h"
#include "tests/support/cases.h"
#include "tests/support/graph_text.h"
#include "tests/support/random_workload.h"
#include "tests/support/transformer.h"

namespace partita::detail::test {
namespace {

constexpr Shape kShapes[] = {Shape::Staged, Shape::Contiguous, Shape::Free};

Problem gpipe(Workload workload, Shape shape) {
  Problem problem{std::move(workload)};
  problem.objective = Objective::GPipe;
  problem.shape = shape;
  return problem;
}

Plan solve(const Problem& problem, std::uint64_t ticks = Budget::Limits{}.ticks, const PlanOptions& options = {}) {
  Budget budget(Budget::Limits{.ticks = ticks});
  return plan(problem, options, budget);
}

void expect_value(const char* text, int accelerators, int hosts, double value, double memory = kUnlimited) {
  for (const Shape shape : kShapes) {
    const Problem problem = gpipe(graph_from_text(text, accelerators, memory, hosts), shape);
    const Plan answer = solve(problem);
    SCOPED_TRACE(std::string(text) + ", " + to_string(shape));
    EXPECT_EQ(answer.result.status, Status::Optimal);
    EXPECT_NEAR(answer.result.value, value, 1e-9 * value);
    EXPECT_NEAR(answer.result.bound, value, 2e-6 * value);
    EXPECT_TRUE(answer.report.legal());
  }
}

TEST(Gpipe, EachPassWaitsForItsOwnSlowestDevice) {
  // Apart, a and A on one device, b and B on the other: forward 3, backward 5. Together: 4 + 7.
  expect_value("a 1 - colour=1; b 3 - colour=2; A 5 - back colour=1; B 2 - back colour=2; a -> b; B -> A", 2, 0, 8);
}

TEST(Gpipe, EdgeCases) {
  const char* chain =
      "a 2 20 colour=1; b 3 30 colour=2; B 4 40 back colour=2; A 1 10 back colour=1; a -> b -> B -> A : 1";
  expect_value(chain, 1, 0, 10);     // one accelerator
  expect_value(chain, 0, 1, 100);    // hosts only
  expect_value(chain, 9, 3, 4 + 5);  // more devices than groups: a device pays the output of a, and that of B
  expect_value("a 0 0; b 0 0; B 0 0 back; a -> b -> B : 0", 2, 1, 0);  // nothing costs anything
  expect_value("B 2 9 back; A 3 9 back; B -> A : 0", 2, 0, 3);         // nothing forward
  expect_value("a 2 9; b 3 9; a -> b : 0", 2, 0, 3);                   // nothing backward: max-load
}

TEST(Gpipe, InfeasibleMemoryHasAReason) {
  for (const Shape shape : kShapes) {
    const auto answer = solve(gpipe(graph_from_text("a 1 - mem=5; A 1 - back mem=5; a -> A", 2, 4, 0), shape));
    EXPECT_EQ(answer.result.status, Status::Infeasible);
    EXPECT_NE(answer.result.reason, "");
    // Each fits by itself, and in total, but no two of three on two devices do.
    const auto tight =
        solve(gpipe(graph_from_text("a 1 - mem=3; b 1 - mem=3; A 1 - back mem=3; a -> b -> A", 2, 5, 0), shape));
    EXPECT_EQ(tight.result.status, Status::Infeasible);
    EXPECT_NE(tight.result.reason, "");
  }
}

TEST(Gpipe, InferenceIsMaxLoad) {
  for (std::uint64_t seed = 1; seed <= cases(40); ++seed) {
    Problem problem = gpipe(random_workload(seed), Shape::Staged);
    for (Node& node : problem.workload.change().graph.nodes) node.backward = false;
    const Plan one = solve(problem);
    problem.objective = Objective::MaxLoad;
    const Plan other = solve(problem);
    EXPECT_EQ(one.result.status, other.result.status) << "seed " << seed;
    EXPECT_EQ(one.result.value, other.result.value) << "seed " << seed;
  }
}

TEST(Gpipe, TheSameSeedAndTicksGiveTheSameAnswer) {
  for (const Shape shape : {Shape::Staged, Shape::Free}) {
    const Problem problem = gpipe(transformer_of_size(300, true), shape);
    const auto run = [&] { return solve(problem, 3'000'000, {.seed = 5}); };
    const Plan first = run(), second = run();
    ASSERT_TRUE(first.result.split);
    EXPECT_EQ(first.result.value, second.result.value) << to_string(shape);
    EXPECT_EQ(first.result.bound, second.result.bound) << to_string(shape);
    EXPECT_EQ(first.result.split->device_of, second.result.split->device_of) << to_string(shape);
  }
}

TEST(Gpipe, TheLinearisedProgramIsHonest) {
  for (std::uint64_t seed = 1; seed <= cases(300); ++seed) {
    const Problem problem = gpipe(random_workload(seed), Shape::Staged);
    const Plan answer = solve(problem, Budget::Limits{}.ticks, {.algorithm = Algorithm::Linear});
    const auto optimum = brute_force(problem);
    if (!optimum || !answer.result.split) continue;
    EXPECT_GE(answer.result.value, *optimum * (1 - 1e-9)) << "seed " << seed;
    EXPECT_LE(answer.result.bound, *optimum * (1 + 1e-9)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace partita::detail::test
