// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "partita/solve/mip/cbc_backend.h"

namespace partita::test {
namespace {

// A knapsack turned round: cover `demand` with things of weight and cost at least cost.
LinearModel covering_model(std::size_t things, double demand) {
  LinearModel model;
  Terms weight;
  for (std::size_t i = 0; i < things; ++i) {
    const double w = static_cast<double>(13 + 37 * i % 29);
    const ColumnId x = model.add_column({"x_" + std::to_string(i), 0, 1, w + static_cast<double>(i % 7), true});
    weight.push_back({x, w});
  }
  model.add_at_least("demand", std::move(weight), demand);
  return model;
}

MipOutcome solve(const LinearModel& model, std::vector<double> start = {}, double gap = 0) {
  Budget budget(Budget::Limits{.seconds = 60});
  return CbcBackend().solve({.model = model, .start = std::move(start), .gap = gap}, budget);
}

TEST(CbcBackend, SolvesAndProves) {
  const LinearModel model = covering_model(20, 100);
  const MipOutcome outcome = solve(model);
  ASSERT_TRUE(outcome.solution.has_value());
  EXPECT_TRUE(outcome.finished);
  EXPECT_FALSE(outcome.infeasible);
  EXPECT_LE(model.largest_violation(*outcome.solution), 1e-6);
  EXPECT_NEAR(model.objective(*outcome.solution), outcome.bound, 1e-6);
}

TEST(CbcBackend, SaysInfeasible) {
  const MipOutcome outcome = solve(covering_model(5, 1e6));
  EXPECT_TRUE(outcome.infeasible);
  EXPECT_FALSE(outcome.solution.has_value());
}

TEST(CbcBackend, NeedsNoRows) {
  LinearModel model;
  model.add_column({"x_0", 0, 5, -1, true});
  const MipOutcome outcome = solve(model);
  ASSERT_TRUE(outcome.solution.has_value());
  EXPECT_NEAR((*outcome.solution)[0], 5, 1e-6);
}

TEST(CbcBackend, TakesTheStart) {
  const LinearModel model = covering_model(40, 300);
  const std::vector<double> everything(40, 1);
  Budget budget;
  double first = kNoLimit;
  CbcBackend backend;
  const MipOutcome outcome =
      backend.solve({.model = model,
                     .start = everything,
                     .gap = 1,  // any solution will do
                     .progress = [&](double objective, double) { first = std::isinf(first) ? objective : first; }},
                    budget);
  ASSERT_TRUE(outcome.solution.has_value());
  EXPECT_LE(model.objective(*outcome.solution), model.objective(everything) + 1e-6);
}

TEST(CbcBackend, AnExhaustedBudgetEndsAtOnce) {
  Budget budget;
  budget.cancel();
  const LinearModel model = covering_model(20, 100);
  const MipOutcome outcome = CbcBackend().solve({.model = model}, budget);
  EXPECT_FALSE(outcome.solution.has_value());
  EXPECT_FALSE(outcome.finished);
  EXPECT_EQ(outcome.bound, -kNoLimit);
}

}  // namespace
}  // namespace partita::test
