// SPDX-License-Identifier: Apache-2.0
// Certificates of free splits: the solver's hold, corrupted ones do not, and none holds at or above the optimum.
#include "partita/check/certificate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>

#include "partita/partita.h"
#include "partita/read/certificate.h"
#include "partita/report/certificate_json.h"
#include "partita/solve/free/free.h"
#include "partita/solve/free/free_certificate.h"
#include "tests/support/brute_force.h"
#include "tests/support/cases.h"
#include "tests/support/free_questions.h"
#include "tests/support/graph_text.h"
#include "tests/support/random_narrowed.h"
#include "tests/support/random_workload.h"

namespace partita::detail {
namespace {

Problem free_problem(Workload workload) {
  Problem problem{std::move(workload)};
  problem.shape = Shape::Free;
  return problem;
}

Plan quick_plan(const Problem& problem) {
  Budget budget(Budget::Limits{.ticks = 300'000});
  return plan(problem, {}, budget);
}

Problem chain_of_four() {
  return free_problem(graph_from_text("a 4 40; b 3 30; c 3 30; d 4 40; a -> b : 1; b -> c : 1; c -> d : 1", 2, 1e9, 1));
}

TEST(Certificate, OfAnOptimalSplitHoldsAndSurvivesAFile) {
  const Problem problem = chain_of_four();
  const Plan answer = quick_plan(problem);
  EXPECT_EQ(answer.result.status, Status::Optimal);
  ASSERT_TRUE(answer.certificate);
  EXPECT_TRUE(verify(problem, *answer.certificate).holds);
  const Certificate copy = parse_certificate(certificate_json(problem, *answer.certificate), "test");
  EXPECT_EQ(copy.limit, answer.certificate->limit);
  EXPECT_EQ(copy.classes.size(), answer.certificate->classes.size());
  EXPECT_TRUE(verify(problem, copy).holds);
}

TEST(Certificate, DoesNotHoldOnceCorrupted) {
  const Problem problem = chain_of_four();
  const Plan answer = quick_plan(problem);
  ASSERT_TRUE(answer.certificate);
  const auto broken = [&](auto change) {
    Certificate certificate = *answer.certificate;
    change(certificate);
    const CertificateVerdict verdict = verify(problem, certificate);
    EXPECT_FALSE(verdict.reason.empty());
    return !verdict.holds;
  };
  EXPECT_TRUE(broken([&](Certificate& c) { c.limit = answer.result.value; }));
  EXPECT_TRUE(broken([&](Certificate& c) { c.limit *= 2; }));
  EXPECT_TRUE(broken([](Certificate& c) { c.limit = 0; }));
  EXPECT_TRUE(broken([](Certificate& c) { c.devices[0].buckets = 0; }));
  EXPECT_TRUE(broken([](Certificate& c) { c.devices[0].theta = -1; }));
  EXPECT_TRUE(broken([](Certificate& c) { c.classes.pop_back(); }));
  EXPECT_TRUE(broken([](Certificate& c) { c.classes.push_back(c.classes.front()); }));
  EXPECT_TRUE(broken([](Certificate& c) { c.classes.front().node = 4711; }));
  EXPECT_TRUE(broken([](Certificate& c) { c.classes.front().price = -5; }));
  EXPECT_TRUE(broken([](Certificate& c) {
    for (auto& one : c.classes) one.price = 0;
  }));
}

// With transfers that overlap, or for a single sample, values are smaller than the loads that a certificate counts.
TEST(Certificate, IsAboutThroughputWithTransfersAddedUp) {
  Problem problem = chain_of_four();
  const Plan answer = quick_plan(problem);
  ASSERT_TRUE(answer.certificate);
  problem.objective = Objective::GPipe;  // never below the largest load
  EXPECT_TRUE(verify(problem, *answer.certificate).holds);
  problem.objective = Objective::Latency;
  EXPECT_FALSE(verify(problem, *answer.certificate).holds);
  problem.objective = Objective::MaxLoad;
  for (const TransferMode mode : {TransferMode::Overlap, TransferMode::Duplex}) {
    problem.transfers = mode;
    EXPECT_FALSE(verify(problem, *answer.certificate).holds);
  }
}

TEST(Certificate, CountsOnTheCheapestLink) {
  Problem problem = chain_of_four();
  const Plan answer = quick_plan(problem);
  ASSERT_TRUE(answer.certificate);
  const auto holds = [&] { return verify(problem, *answer.certificate).holds; };
  Platform& platform = problem.workload.change().platform;
  platform.classes[ClassId(0)].link_factor = 2;
  EXPECT_TRUE(holds());
  platform.classes[ClassId(0)].link_factor = 0.5;  // two and two nodes now cost 7.5 instead of 8
  EXPECT_FALSE(holds());
  platform.classes[ClassId(0)].link_factor = 1;
  Cluster root;
  root.devices = {0, 1};
  Cluster inside;
  inside.devices = {2, 0};
  inside.factor = 0.5;
  root.clusters = {inside};
  platform.clusters = root;
  EXPECT_FALSE(holds());
  platform.clusters->clusters[0].factor = 1;
  EXPECT_TRUE(holds());
  problem.replicas = 2;
  EXPECT_FALSE(holds());
  problem.replicas = 1;
  problem.memory_model = MemoryModel::OneF1B;
  EXPECT_FALSE(holds());
}

TEST(Certificate, NeverHoldsAtOrAboveTheOptimum) {
  std::size_t certified = 0;
  for (std::uint64_t seed = 1; seed <= test::cases(100); ++seed) {
    const Problem problem = free_problem(random_workload(seed));
    const std::optional<double> best = brute_force(problem);
    if (!best) continue;
    const Plan answer = quick_plan(problem);
    EXPECT_LE(answer.result.bound, *best * (1 + 1e-9)) << "seed " << seed;
    if (!answer.certificate) continue;
    ++certified;
    Certificate certificate = *answer.certificate;
    EXPECT_TRUE(verify(problem, certificate).holds) << "seed " << seed;
    certificate.limit = *best * (1 + 1e-9);
    EXPECT_FALSE(verify(problem, certificate).holds) << "seed " << seed;
  }
  EXPECT_GT(certified, 0u);
}

// Whatever a file claims, it must not pass for a limit within which a split exists.
TEST(Certificate, MadeUpAtRandomNeverHoldsAtTheOptimum) {
  for (std::uint64_t seed = 1; seed <= test::cases(600); ++seed) {
    const Problem problem = free_problem(random_workload(seed));
    const std::optional<double> best = brute_force(problem);
    if (!best || *best <= 0) continue;
    std::mt19937_64 random(seed);
    const auto magnitude = [&](int most_bits) {
      return static_cast<std::int64_t>(random() >> 1 >> (63 - random() % (most_bits + 1)));
    };
    for (int variant = 0; variant < 20; ++variant) {
      Certificate certificate;
      certificate.limit = *best * (1 + 1e-9);
      Certificate::Devices& accelerators = certificate.devices.emplace_back();
      std::set<std::int64_t> colours;
      for (const Node& node : problem.workload->graph.nodes) {
        if (node.colour && !colours.insert(*node.colour).second) continue;
        const bool volume = variant % 2 == 0;  // prices like times come closest to a proof
        const double time = std::min(node.time[0], 1e6) / *best;
        certificate.classes.push_back(
            {node.original_id, volume ? static_cast<std::int64_t>(time * 4e9) : magnitude(44)});
        if (random() % 8 == 0) accelerators.ignored.push_back({node.original_id, std::nullopt});
      }
      accelerators.narrowed =
          test::random_narrowed(problem.workload->graph, [&](std::size_t n) { return random() % n; });
      std::shuffle(certificate.classes.begin(), certificate.classes.end(), random);
      accelerators.theta = variant % 3 == 0 ? std::int64_t{1} << 28 : magnitude(55);
      if (variant % 4 == 0) accelerators.memory_toll = variant % 8 == 0 ? std::int64_t{1} << 27 : magnitude(55);
      accelerators.buckets = 1 + static_cast<int>(random() % 1000);
      EXPECT_FALSE(verify(problem, certificate).holds) << "seed " << seed << " variant " << variant;
    }
  }
}

TEST(Certificate, OutOfRangeIsRefused) {
  const Problem problem = chain_of_four();
  Certificate certificate = *quick_plan(problem).certificate;
  certificate.devices[0].theta = std::numeric_limits<std::int64_t>::max();
  EXPECT_FALSE(verify(problem, certificate).holds);
  certificate.devices[0].theta = 1;
  certificate.devices[0].memory_toll = std::numeric_limits<std::int64_t>::max();
  EXPECT_FALSE(verify(problem, certificate).holds);
  certificate.devices[0].memory_toll = 0;
  certificate.devices[0].most = std::numeric_limits<std::int64_t>::max();
  EXPECT_FALSE(verify(problem, certificate).holds);
  certificate.devices[0].most = 0;
  certificate.classes[0].price = std::numeric_limits<std::int64_t>::max();
  EXPECT_FALSE(verify(problem, certificate).holds);
}

TEST(Certificate, IsNotBelievedWhenTimeRunsOut) {
  const Problem problem = chain_of_four();
  const Certificate certificate = *quick_plan(problem).certificate;
  Budget none(Budget::Limits{.ticks = 0});
  const CertificateVerdict verdict = verify(problem, certificate, &none);
  EXPECT_FALSE(verdict.holds);
  EXPECT_NE(verdict.reason.find("time"), std::string::npos);
}

// What does not fit the accelerators goes to the slow host, and the certificate knows.
TEST(Certificate, CountsMemory) {
  const Problem problem = free_problem(graph_from_text(
      "a 1 10 mem=60; b 1 10 mem=60; c 1 10 mem=60; d 1 10 mem=60; a -> b : 0.1; b -> c : 0.1; c -> d : 0.1", 2, 100,
      1));
  const Plan answer = quick_plan(problem);
  EXPECT_EQ(answer.result.value, 20);  // two nodes on the host
  ASSERT_TRUE(answer.certificate);
  EXPECT_GT(answer.result.bound, 5);  // without memory: below 2
  EXPECT_GT(answer.certificate->devices[0].memory_toll, 0);
}

// The form of version 1, of one class of accelerators: what an accelerator may hold is what the others leave.
TEST(Certificate, OfTheOldFormIsStillRead) {
  const Problem problem = chain_of_four();
  const std::string text = R"({"partita": {"format": "certificate", "version": 1}, "limit": 7.99, "memory_toll": 0,
      "theta": 0, "buckets": 1000, "classes": [[1, 400], [2, 300], [3, 300], [4, 400]], "ignored": []})";
  const Certificate certificate = parse_certificate(text, "test");
  ASSERT_EQ(certificate.devices.size(), 1u);
  EXPECT_FALSE(certificate.devices[0].most);
  EXPECT_TRUE(verify(problem, certificate).holds) << verify(problem, certificate).reason;
  Certificate wrong = certificate;
  wrong.limit = 8;  // two and two nodes
  EXPECT_FALSE(verify(problem, wrong).holds);
}

// Classes of devices and transfers that overlap: every bound that is claimed with a certificate passes the check, and
// no certificate does at the optimum.
TEST(Certificate, HoldsForEveryClassAndTransferMode) {
  std::size_t bounds = 0, certified = 0, of_maxima = 0, of_classes = 0;
  for (std::uint64_t seed = 1; seed <= test::cases(150); ++seed) {
    const Problem problem = test::random_free_question(seed, seed % 3 == 0 ? Shape::Contiguous : Shape::Free);
    const std::optional<double> best = brute_force(problem);
    if (!best) continue;
    const FreeInstance instance = make_free_instance(problem);
    Budget budget(Budget::Limits{.ticks = 150'000});
    const ProofCheck check = [&](const ProofTree& proof, Budget& within) {
      return verify(problem, make_certificate(problem, instance, proof), &within).holds;
    };
    const FreeOutcome outcome = solve_free(instance, {}, {.seed = seed}, check, budget, {});
    bounds += outcome.bound > 0;
    if (!outcome.verified) continue;
    ++certified;
    of_maxima += problem.transfers != TransferMode::Sum;
    of_classes += instance.devices.accelerator_classes() > 1;
    Certificate certificate =
        parse_certificate(certificate_json(problem, make_certificate(problem, instance, *outcome.verified)), "test");
    EXPECT_TRUE(verify(problem, certificate).holds) << "seed " << seed << verify(problem, certificate).reason;
    EXPECT_LE(certificate.limit, *best) << "seed " << seed;
    certificate.limit = *best * (1 + 1e-9);
    EXPECT_FALSE(verify(problem, certificate).holds) << "seed " << seed << "\n" << describe(problem);
  }
  EXPECT_GE(20 * certified, 19 * bounds);
  EXPECT_GT(of_maxima, 0u);
  EXPECT_GT(of_classes, 0u);
}

// Each number of a certificate in turn made larger and smaller: what still passes proves no more than is true.
TEST(Certificate, WithAnyNumberChangedProvesNothingWrong) {
  std::size_t refused = 0;
  for (std::uint64_t seed = 1; seed <= test::cases(60); ++seed) {
    const Problem problem = test::random_free_question(seed);
    const std::optional<double> best = brute_force(problem);
    if (!best || *best <= 0) continue;
    Budget budget(Budget::Limits{.ticks = 150'000});
    const Plan answer = plan(problem, {}, budget);
    if (!answer.certificate) continue;
    const auto expect_true = [&](const auto& change) {
      Certificate certificate = *answer.certificate;
      change(certificate);
      const bool holds = verify(problem, certificate).holds;
      refused += !holds;
      EXPECT_FALSE(holds && certificate.limit > *best) << "seed " << seed << "\n" << describe(problem);
      certificate.limit = *best * (1 + 1e-9);
      EXPECT_FALSE(verify(problem, certificate).holds) << "seed " << seed << "\n" << describe(problem);
    };
    for (const std::int64_t add : {-1'000'000'000'000LL, -1024LL, -256LL, 256LL, 1'000'000'000'000LL}) {
      for (std::size_t p = 0; p < 2; ++p) {
        expect_true([&](Certificate& c) { c.weights.compute[p] += add; });
        expect_true([&](Certificate& c) { c.weights.transfers[p] += add; });
      }
      for (std::size_t d = 0; d < answer.certificate->devices.size(); ++d) {
        expect_true([&](Certificate& c) { c.devices[d].memory_toll += add; });
        expect_true([&](Certificate& c) { c.devices[d].theta += add; });
        expect_true([&](Certificate& c) { c.devices[d].buckets += static_cast<int>(add % 100'000); });
        expect_true([&](Certificate& c) { c.devices[d].most = c.devices[d].most.value_or(0) + add; });
        expect_true([&](Certificate& c) { c.devices[d].name = "no such device"; });
      }
      for (std::size_t i = 0; i < answer.certificate->classes.size(); ++i)
        expect_true([&](Certificate& c) { c.classes[i].price += add; });
    }
  }
  EXPECT_GT(refused, 0u);
}

// Where loads are maxima, weights that add up to more than one would count more than the load.
TEST(Certificate, MayNotWeighMoreThanTheLoad) {
  Problem problem = chain_of_four();
  problem.transfers = TransferMode::Overlap;
  Budget budget(Budget::Limits{.ticks = 3'000'000});
  const Plan answer = plan(problem, {}, budget);
  ASSERT_TRUE(answer.certificate) << answer.result.proof;
  Certificate certificate = *answer.certificate;
  ASSERT_TRUE(verify(problem, certificate).holds);
  const std::int64_t whole = Certificate::kWeightUnit;
  certificate.weights = {{whole, whole}, {1, 0}};
  EXPECT_FALSE(verify(problem, certificate).holds);
  problem.transfers = TransferMode::Duplex;
  certificate.weights = {{whole / 2, whole / 2}, {whole / 2, 0}};
  EXPECT_FALSE(verify(problem, certificate).holds);
  problem.transfers = TransferMode::Sum;
  certificate.weights = {{whole + 1, whole}, {0, 0}};
  EXPECT_FALSE(verify(problem, certificate).holds);
  certificate.weights = {{whole, whole}, {-1, 0}};
  EXPECT_FALSE(verify(problem, certificate).holds);
}

TEST(FreePlan, IsTheSameForTheSameSeedAndTicks) {
  for (std::uint64_t seed = 1; seed <= test::cases(40); ++seed) {
    const Problem problem = free_problem(random_workload(seed));
    const Plan once = quick_plan(problem), again = quick_plan(problem);
    EXPECT_EQ(once.result.value, again.result.value) << "seed " << seed;
    EXPECT_EQ(once.result.bound, again.result.bound) << "seed " << seed;
    ASSERT_EQ(once.result.split.has_value(), again.result.split.has_value());
    if (once.result.split) {
      EXPECT_EQ(once.result.split->device_of, again.result.split->device_of) << "seed " << seed;
    }
  }
}

TEST(FreePlan, WithTwoThreadsIsLegalAndItsBoundHolds) {
  for (std::uint64_t seed = 1; seed <= test::cases(100); ++seed) {
    const Problem problem = free_problem(random_workload(seed));
    const std::optional<double> best = brute_force(problem);
    Budget budget(Budget::Limits{.ticks = 100'000});
    const Plan answer = plan(problem, {.threads = 2}, budget);
    if (!best) continue;
    EXPECT_LE(answer.result.bound, *best * (1 + 1e-9)) << "seed " << seed;
    if (answer.result.split) {
      EXPECT_GE(answer.result.value, *best * (1 - 1e-9)) << "seed " << seed;
    }
  }
}

TEST(FreePlan, FindsTheOptimumOfBruteForce) {
  std::size_t optimal = 0, feasible = 0;
  for (std::uint64_t seed = 1; seed <= test::cases(100); ++seed) {
    const Problem problem = free_problem(random_workload(seed));
    const std::optional<double> best = brute_force(problem);
    const Plan answer = quick_plan(problem);
    ASSERT_EQ(answer.result.split.has_value(), best.has_value()) << "seed " << seed;
    if (!best) continue;
    EXPECT_NEAR(answer.result.value, *best, 1e-6 * (1 + *best)) << "seed " << seed;
    EXPECT_LE(answer.result.bound, *best * (1 + 1e-9)) << "seed " << seed;
    ++(answer.result.status == Status::Optimal ? optimal : feasible);
  }
  EXPECT_GT(optimal, feasible);  // memory is not in the bound, so tight cases stay open
}

}  // namespace
}  // namespace partita::detail
