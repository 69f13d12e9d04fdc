// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/mip/solve_ip.h"

#include <gtest/gtest.h>

#include "partita/check/check.h"
#include "partita/solve/mip/cbc_backend.h"
#include "tests/support/brute_force.h"
#include "tests/support/cases.h"
#include "tests/support/random_workload.h"

namespace partita::test {
namespace {

struct Question {
  Shape shape;
  Objective objective;
};

std::string question_name(const testing::TestParamInfo<Question>& info) {
  const std::string shape = to_string(info.param.shape);
  return shape + (info.param.objective == Objective::GPipe ? "_gpipe" : "_max_load");
}

class IntegerProgram : public testing::TestWithParam<Question> {
 protected:
  Problem problem(std::uint64_t seed) const {
    Problem result;
    result.workload = random_workload(seed);
    result.shape = GetParam().shape;
    result.objective = GetParam().objective;
    result.backward_shape = seed % 4 == 0;
    result.transfers = seed % 7 == 0 ? TransferMode::Overlap : seed % 7 == 1 ? TransferMode::Duplex : TransferMode::Sum;
    return result;
  }
};

TEST_P(IntegerProgram, FindsTheOptimumAndItsBoundsHold) {
  for (std::uint64_t seed = 1; seed <= cases(150); ++seed) {
    const Problem one = problem(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + describe(one.workload));
    const std::optional<double> best = brute_force(one);
    const double least = best.value_or(kNoLimit);
    Budget budget;
    CbcBackend backend;
    const Sink sink = [&](const Progress& progress) {
      EXPECT_LE(progress.bound, least);
      EXPECT_GE(progress.value, least * (1 - 1e-6));
    };
    const IpOutcome outcome = solve_ip(one, backend, {.warm_start = seed % 2 == 0}, budget, sink);
    EXPECT_EQ(outcome.infeasible, !best);
    ASSERT_EQ(outcome.split.has_value(), best.has_value());
    if (!best) continue;
    const CheckReport report = check(one, *outcome.split);
    EXPECT_TRUE(report.legal()) << report.violations[0].message;
    EXPECT_NEAR(report.value, outcome.value, 1e-9 * (1 + *best));
    EXPECT_NEAR(report.value, *best, 1e-8 * *best);
    EXPECT_LE(outcome.bound, *best);
    EXPECT_GE(outcome.bound, *best * (1 - 1e-6));
  }
}

INSTANTIATE_TEST_SUITE_P(EveryShape, IntegerProgram,
                         testing::Values(Question{Shape::Staged, Objective::MaxLoad}, Question{Shape::Staged, Objective::GPipe},
                                         Question{Shape::Contiguous, Objective::MaxLoad}, Question{Shape::Contiguous, Objective::GPipe},
                                         Question{Shape::Free, Objective::MaxLoad}, Question{Shape::Free, Objective::GPipe}),
                         question_name);

}  // namespace
}  // namespace partita::test
