// SPDX-License-Identifier: Apache-2.0
// Certificates of latency: what is handed out passes the check and is below the optimum, whatever the bound asked for.
#include "partita/portfolio/latency_certificate.h"

#include <gtest/gtest.h>

#include "partita/check/certificate.h"
#include "partita/partita.h"
#include "tests/support/cases.h"
#include "tests/support/graph_text.h"
#include "tests/support/latency_questions.h"

namespace partita::detail::test {
namespace {

Plan plan_for_certificate(const Problem& problem) {
  Budget budget(Budget::Limits{.ticks = 20'000});
  PlanOptions options;
  options.certificate = true;
  return partita::plan(problem, options, budget);
}

TEST(LatencyCertificate, OfAPlanHoldsAndItsProofSaysSo) {
  std::size_t certified = 0, optimal = 0;
  for (std::uint64_t seed = 1; seed <= cases(40); ++seed) {
    const Problem problem = latency_question(seed);
    const Plan plan = plan_for_certificate(problem);
    if (!plan.result.split || !(plan.result.value > 0)) continue;
    optimal += plan.result.status == Status::Optimal;
    const bool whole = plan.result.proof.find("its certificate was verified") != std::string::npos;
    const bool part = plan.result.proof.find("certified to within") != std::string::npos;
    EXPECT_EQ(plan.certificate.has_value(), whole || part) << "seed " << seed << ": " << plan.result.proof;
    if (!plan.certificate) continue;
    EXPECT_TRUE(verify(problem, *plan.certificate).holds) << "seed " << seed;
    EXPECT_LT(plan.certificate->limit, best_latency_by_brute_force(problem)) << "seed " << seed;
    certified += whole;
  }
  EXPECT_GT(certified, optimal / 2);
}

// A bound that is not true has no certificate, but a lower one may.
TEST(LatencyCertificate, NeverConfirmsAWrongBound) {
  for (std::uint64_t seed = 1; seed <= cases(100); ++seed) {
    const Problem problem = latency_question(seed);
    const double best = best_latency_by_brute_force(problem);
    if (!(best > 0) || best == std::numeric_limits<double>::infinity()) continue;
    Result wrong;
    wrong.value = wrong.bound = 1.5 * best;
    Budget budget(Budget::Limits{.ticks = 20'000});
    const auto certificate = certify_latency(problem, wrong, budget, {});
    if (!certificate) continue;
    EXPECT_LT(certificate->limit, best) << "seed " << seed << "\n" << describe(*problem.workload);
  }
}

}  // namespace
}  // namespace partita::detail::test
