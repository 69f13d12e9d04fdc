// SPDX-License-Identifier: Apache-2.0
// Moves that keep devices contiguous, the annealing made of them, and bounds of contiguous splits.
#include "partita/solve/free/contiguous/contiguity.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "partita/check/certificate.h"
#include "partita/check/check.h"
#include "partita/portfolio/start.h"
#include "partita/solve/free/contiguous/contiguous_anneal.h"
#include "partita/solve/free/contiguous/contiguous_bound.h"
#include "partita/solve/free/free_certificate.h"
#include "partita/solve/free/sum_loads.h"
#include "partita/util/dice.h"
#include "tests/support/brute_force.h"
#include "tests/support/cases.h"
#include "tests/support/graph_text.h"
#include "tests/support/random_workload.h"

namespace partita::detail::test {
namespace {

struct Case {
  Problem problem;
  FreeInstance instance;

  explicit Case(std::uint64_t seed) {
    problem.workload = random_workload(seed);
    problem.shape = Shape::Contiguous;
    problem.backward_shape = seed % 3 == 0;
    problem.workload.change().platform = make_platform(3, kUnlimited, 1);
    instance = make_free_instance(problem);
  }
  std::size_t devices() const { return instance.devices.size(); }
  bool contiguous(const IdVector<GroupId, DeviceId>& device_of) const {
    const CheckReport report = check(problem, lift_free(instance, {0, device_of}));
    return std::none_of(report.violations.begin(), report.violations.end(),
                        [](const Violation& v) { return v.kind == Violation::Kind::Shape; });
  }
};

// Random walks of moves of one group or more: allowed iff `check` finds the split after the move contiguous.
TEST(Contiguity, AllowsWhatKeepsTheShape) {
  std::size_t yes = 0, no = 0;
  for (std::uint64_t seed = 1; seed <= cases(400); ++seed) {
    const Case one(seed);
    if (one.devices() < 2) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + describe(*one.problem.workload));
    Dice dice(seed);
    Contiguity contiguity(one.problem, one.instance.group_of, one.devices());
    IdVector<GroupId, DeviceId> device_of(one.instance.graph.size(), DeviceId(0));
    contiguity.reset(device_of);
    for (int step = 0; step < 60; ++step) {
      const DeviceId from = device_of[GroupId(dice.below(device_of.size()))], to(dice.below(one.devices()));
      if (from == to) continue;
      std::vector<GroupId> block;
      for (GroupId v : device_of.all()) {
        if (device_of[v] == from && (dice.one_in(3) || block.empty())) block.push_back(v);
      }
      if (dice.one_in(2)) block.resize(1);
      IdVector<GroupId, DeviceId> moved = device_of;
      for (GroupId v : block) moved[v] = to;
      const bool allowed = contiguity.allows(block, from, to);
      ASSERT_EQ(allowed, one.contiguous(moved));
      ++(allowed ? yes : no);
      if (!allowed) continue;
      for (GroupId v : block) contiguity.move(v, from, to);
      device_of = moved;
    }
  }
  EXPECT_GT(yes, cases(400));
  EXPECT_GT(no, cases(400));
}

TEST(ImproveContiguous, IsLegalNotWorseAndRepeatable) {
  std::size_t better = 0;
  for (std::uint64_t seed = 1; seed <= cases(60); ++seed) {
    Problem problem;
    problem.workload = random_workload(seed);
    problem.backward_shape = seed % 3 == 0;
    Budget budget;
    const std::optional<Start> staged = find_start(problem, {}, budget, {});
    if (!staged) continue;
    problem.shape = Shape::Contiguous;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + describe(*problem.workload));
    const FreeInstance instance = make_free_instance(problem);
    FreeSplit start = to_free(problem, instance, staged->split);
    start.value = staged->value;
    const auto improved = [&] {
      Budget little(Budget::Limits{.ticks = 20'000});
      return improve_contiguous(problem, instance, start, seed, little);
    };
    const FreeSplit found = improved();
    const CheckReport report = check(problem, lift_free(instance, found));
    EXPECT_TRUE(report.legal()) << report.violations[0].message;
    EXPECT_NEAR(report.value, found.value, 1e-9 * (1 + found.value));
    EXPECT_LE(found.value, start.value);
    EXPECT_EQ(found.device_of, improved().device_of);
    better += found.value < start.value * (1 - 1e-9);
  }
  EXPECT_GT(better + 60 / (1 + cases(60)), 0u) << "some contiguous splits are better than every staged one";
}

// Two devices that depend on each other: no order of them is staged.
TEST(ImproveContiguous, FindsDevicesThatDependOnEachOther) {
  Problem problem;
  problem.workload =
      graph_from_text("a 4 -; b 4 -; c 4 -; d 4 -; a -> b : 3; c -> d : 3; a -> d : 1; c -> b : 1", 2, kUnlimited, 0);
  Budget budget;
  const std::optional<Start> staged = find_start(problem, {}, budget, {});
  problem.shape = Shape::Contiguous;
  const std::optional<Start> contiguous = find_start(problem, {}, budget, {});
  ASSERT_TRUE(staged && contiguous);
  EXPECT_LT(contiguous->value, staged->value);
}

// Convex sets and free splits by turns: no bound is above the optimum, each has a certificate that the check accepts, and
// where no trellis of convex sets is small enough, bounds of free splits are what is left.
TEST(ContiguousBound, HoldsWhoeverProvedIt) {
  std::size_t of_free = 0, of_convex = 0;
  for (std::uint64_t seed = 1; seed <= cases(60); ++seed) {
    Problem problem;
    problem.workload = random_workload(seed);
    problem.shape = Shape::Contiguous;
    problem.backward_shape = seed % 3 == 0;
    const FreeInstance instance = make_free_instance(problem);
    const NodeOrder order = order_of_nodes(problem, instance.group_of, instance.graph.size());
    const std::optional<double> best = brute_force(problem);
    if (order.order.empty() || !best || *best <= 0) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + describe(*problem.workload));
    Budget for_start;
    const std::optional<Start> start = find_start(problem, {}, for_start, {});
    if (!start) continue;
    FreeSplit split = to_free(problem, instance, start->split);
    split.value = start->value;
    const auto certified = [&](const ProofTree& proof, const NodeOrder* shape) {
      return verify(problem, make_certificate(problem, instance, proof, shape)).holds;
    };
    const ContiguousQuestion question{instance,
                                      order.order,
                                      [&](const ProofTree& proof, Budget&) { return certified(proof, &order); },
                                      [&](const ProofTree& proof, Budget&) { return certified(proof, nullptr); },
                                      [](FreeSplit&) { return false; },
                                      nullptr};
    FreeOptions options;
    const bool convex_too_large = seed % 2 == 0;
    if (convex_too_large) options.settings.most_states = 1;
    Budget budget(Budget::Limits{.ticks = 3'000'000});
    const ContiguousOutcome outcome = bound_contiguous(question, split, options, true, budget, {});
    EXPECT_LE(outcome.bound, *best * (1 + 1e-9));
    if (!outcome.verified) continue;
    EXPECT_TRUE(!convex_too_large || outcome.of_free_splits);
    EXPECT_TRUE(certified(*outcome.verified, outcome.of_free_splits ? nullptr : &order));
    EXPECT_EQ(outcome.bound, std::min(outcome.verified->front().limit, split.value));
    ++(outcome.of_free_splits ? of_free : of_convex);
  }
  if (all_usual_cases()) {
    EXPECT_GT(of_free, 0u);
    EXPECT_GT(of_convex, 0u);
  }
}

}  // namespace
}  // namespace partita::detail::test
