// SPDX-License-Identifier: Apache-2.0
// Certificates by ideals and steps by windows: they hold for limits below the optimum of equal accelerators, and never
// for one within which there is a split, whatever the number of places.
#include "partita/check/stage_search.h"

#include <gtest/gtest.h>

#include <random>

#include "partita/check/certificate.h"
#include "partita/check/claim_steps.h"
#include "partita/read/certificate.h"
#include "partita/report/certificate_json.h"
#include "tests/support/cases.h"
#include "tests/support/graph_text.h"
#include "tests/support/optima.h"

namespace partita::detail {
namespace {

// Half of the accelerators are of another class, which is slower or has less memory.
Problem of_unequal_accelerators(std::uint64_t seed) {
  Problem problem = random_staged_problem(seed);
  Workload& workload = problem.workload.change();
  auto& classes = workload.platform.classes;
  DeviceClass& first = classes[ClassId(0)];
  DeviceClass second = first;
  second.name = "other";
  second.count = first.count / 2;
  first.count -= second.count;
  if (seed % 3 == 0 && second.memory < kUnlimited) second.memory *= 0.75;
  if (seed % 3 == 1) second.link_factor = 2;
  classes.push_back(second);
  for (Node& node : workload.graph.nodes) node.time.push_back(node.time[0] * (seed % 3 == 2 ? 1.5 : 1));
  return problem;
}

Certificate by_ideals(double limit, int places) {
  Certificate certificate;
  certificate.limit = limit;
  certificate.shape = Shape::Staged;
  certificate.ideals = places;
  return certificate;
}

Certificate::Step by_windows(int places) {
  Certificate::Step step;
  step.windows = places;
  return step;
}

constexpr int kPlaces[] = {1, 2, 5, 16, 64, 1000};

TEST(StageSearch, RefutesJustWhatIsBelowTheOptimum) {
  std::size_t refuted = 0;
  for_each_optimum(test::cases(200), random_staged_problem,
                   [&](std::uint64_t seed, const Problem& problem, double best) {
                     const int places = kPlaces[seed % std::size(kPlaces)];
                     for (const double share : {0.6, 0.9, 0.999, 1 - 1e-6, 1 + 1e-9, 1.1}) {
                       Certificate certificate = by_ideals(best * share, places);
                       if (seed / 6 % 2 == 0) certificate.steps.push_back(by_windows(kPlaces[seed / 12 % 6]));
                       const Certificate copy = parse_certificate(certificate_json(problem, certificate), "test");
                       EXPECT_EQ(verify(problem, copy).holds, share < 1)
                           << share << " with " << places << " places: " << verify(problem, copy).reason;
                       refuted += share < 1;
                     }
                   });
  EXPECT_GT(refuted, 0u);
}

TEST(StageSearch, RefutesNothingTrueOfUnequalAccelerators) {
  std::size_t refuted = 0;
  for_each_optimum(test::cases(60), of_unequal_accelerators,
                   [&](std::uint64_t seed, const Problem& problem, double best) {
                     Certificate certificate = by_ideals(best * 0.7, kPlaces[seed % std::size(kPlaces)]);
                     certificate.steps.push_back(by_windows(kPlaces[seed / 6 % 6]));
                     refuted += verify(problem, certificate).holds;
                     certificate.limit = best * (1 + 1e-9);
                     EXPECT_FALSE(verify(problem, certificate).holds);
                   });
  EXPECT_GT(refuted, 0u);
}

// Where windows alone refute a limit, the step does; what they join is joined. Otherwise the number of places would be
// for nothing.
TEST(StageWindows, RefuteAndJoinByThemselves) {
  std::size_t refuted = 0, joined = 0, asked = 0;
  for_each_optimum(test::cases(100), random_staged_problem, [&](std::uint64_t, const Problem& problem, double best) {
    Certificate certificate = by_ideals(best * 0.95, 64);
    ClaimInstance before = claim_instance(problem, certificate);
    Budget budget;
    ASSERT_TRUE(take_steps(problem, certificate, before, budget).holds);
    certificate.steps.push_back(by_windows(64));
    ClaimInstance after = claim_instance(problem, certificate);
    ASSERT_TRUE(take_steps(problem, certificate, after, budget).holds);
    ++asked;
    refuted += after.refuted;
    joined += !after.refuted && after.groups.size() < before.groups.size();
  });
  EXPECT_GT(4 * refuted, asked) << refuted << " of " << asked;
  if (test::all_usual_cases()) {
    EXPECT_GT(joined, 0u) << "of " << asked;
  }
}

TEST(StageSearch, IsRefusedWhereItSaysTooMuchOrTakesTooLong) {
  Problem problem{graph_from_text("a 4 9; b 4 9; c 4 9; a -> b : 1; b -> c : 1", 2, kUnlimited, 0)};
  problem.shape = Shape::Staged;
  const Certificate good = by_ideals(5, 16);
  EXPECT_TRUE(verify(problem, good).holds);
  const auto refused = [&](auto change) {
    Certificate certificate = good;
    change(certificate);
    const CertificateVerdict verdict = verify(problem, certificate);
    EXPECT_FALSE(verdict.holds);
    EXPECT_FALSE(verdict.reason.empty());
  };
  refused([](Certificate& c) { c.limit = 9; });
  refused([](Certificate& c) { c.shape = Shape::Contiguous; });
  refused([](Certificate& c) { c.classes.push_back({1, 1}); });
  refused([](Certificate& c) { c.leaves.emplace_back(); });
  refused([](Certificate& c) {
    c.ideals.reset();
    c.shape = Shape::Free;
    c.steps.push_back(by_windows(16));
  });
  Budget none(Budget::Limits{.ticks = 0});
  EXPECT_TRUE(verify(problem, good, &none).undecided);
  Budget no_memory(Budget::Limits{.memory_bytes = 16});
  EXPECT_TRUE(verify(problem, good, &no_memory).undecided);
}

}  // namespace
}  // namespace partita::detail
