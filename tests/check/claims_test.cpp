// SPDX-License-Identifier: Apache-2.0
#include "partita/check/claims.h"

#include <gtest/gtest.h>

namespace partita::detail {
namespace {

Problem asking(Shape shape, Objective objective = Objective::MaxLoad) {
  Problem problem;
  problem.shape = shape;
  problem.objective = objective;
  problem.workload.change().time_unit = "ms";
  return problem;
}

Result result_of(Status status, double bound, const std::string& proof) {
  Result result;
  result.status = status;
  result.split.emplace();
  result.value = 2;
  result.bound = bound;
  result.proof = proof;
  return result;
}

TEST(Claims, AnOptimumNamesTheSplitsItIsTheBestOf) {
  const Result best = result_of(Status::Optimal, 2, "exhaustive search: no chain of ideals fits below the bound");
  EXPECT_EQ(claim_text(asking(Shape::Staged), best), "optimal among staged splits");
  EXPECT_EQ(claim_text(asking(Shape::Contiguous), best), "optimal among contiguous splits");
  EXPECT_EQ(claim_text(asking(Shape::Free), best), "optimal among all splits");
  EXPECT_EQ(claim_text(asking(Shape::Staged, Objective::Latency), best), "optimal");
  EXPECT_EQ(claim_text(asking(Shape::Staged), result_of(Status::Feasible, 1, "")), "best found");
}

TEST(Claims, LayersKeptTogetherAreSaid) {
  const Result best = result_of(Status::Optimal, 2, "with layers kept together: exhaustive search: none fits");
  EXPECT_EQ(claim_text(asking(Shape::Staged), best), "optimal among staged splits that keep layers together");
  EXPECT_EQ(claim_text(asking(Shape::Free, Objective::Latency), best),
            "optimal among splits that keep layers together");
  EXPECT_EQ(bound_text(asking(Shape::Staged), best), "no staged split that keeps layers together is below 2 ms");
}

TEST(Claims, AForeignSolversWordIsNotOurs) {
  Result best = result_of(Status::Optimal, 2, "integer program, by CBC 2.10: floating point");
  best.unverified = true;
  EXPECT_EQ(claim_text(asking(Shape::Staged), best), "optimal among staged splits by CBC's word, not verified");
  EXPECT_EQ(bound_text(asking(Shape::Staged), best), "by CBC's word, not verified, no staged split is below 2 ms");
  EXPECT_EQ(plain_proof(best), "an integer program, which CBC solved, has no better answer; nobody has verified that");
  best.proof = "integer program: claimed by HiGHS in floating point, not verified; 9e-07 taken off";
  EXPECT_EQ(claim_text(asking(Shape::Staged), best), "optimal among staged splits by HiGHS's word, not verified");
  EXPECT_EQ(bound_text(asking(Shape::Staged), best), "by HiGHS's word, not verified, no staged split is below 2 ms");
  EXPECT_EQ(plain_proof(best),
            "an integer program, which HiGHS solved, has no better answer; nobody has verified that");
}

TEST(Claims, ABoundNamesItsShape) {
  const Result open =
      result_of(Status::Feasible, 1.5, "relaxation: no sequence of windows of work fits below the bound");
  EXPECT_EQ(bound_text(asking(Shape::Staged), open), "no staged split is below 1.5 ms");
  EXPECT_EQ(bound_text(asking(Shape::Free), open), "no split is below 1.5 ms");
  EXPECT_EQ(bound_text(asking(Shape::Free, Objective::Latency), open), "no split is below 1.5 ms");
  EXPECT_EQ(bound_text(asking(Shape::Staged), result_of(Status::Feasible, 0, "loads are not negative")), "");
}

TEST(Claims, PlainWordsForProofs) {
  const char* relaxation = "relaxation: no sequence of windows of work fits below the bound";
  EXPECT_EQ(plain_proof(result_of(Status::Optimal, 2, "exhaustive search: no chain of ideals fits below the bound")),
            "searched all: nothing better exists");
  EXPECT_EQ(plain_proof(result_of(Status::Optimal, 2, relaxation)),
            "a relaxation of the problem cannot do better either");
  EXPECT_EQ(plain_proof(result_of(Status::Feasible, 1, relaxation)),
            "a relaxation of the problem cannot go below that either");
  EXPECT_EQ(
      plain_proof(result_of(Status::Feasible, 1, "for free splits: configuration LP; its certificate was verified")),
      "certificate verified: a linear program that allows more than any split cannot go below that (no split of "
      "any shape can)");
  EXPECT_EQ(plain_proof(result_of(Status::Feasible, 0, "loads are not negative")), "");
  EXPECT_EQ(plain_proof(result_of(Status::Optimal, 2, "by thought")), "by thought");
}

}  // namespace
}  // namespace partita::detail
