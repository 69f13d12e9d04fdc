// SPDX-License-Identifier: Apache-2.0
// Search and bounds of free splits over classes of devices and in every transfer mode, against the best of all
// assignments.
#include <gtest/gtest.h>

#include "partita/solve/configuration/narrow_order.h"
#include "partita/solve/free/free.h"
#include "partita/solve/free/free_search.h"
#include "partita/solve/free/volume.h"
#include "partita/util/dice.h"
#include "tests/support/brute_force.h"
#include "tests/support/cases.h"
#include "tests/support/free_questions.h"

namespace partita::detail::test {
namespace {

LoadWeights random_weights(TransferMode mode, Dice& dice) {
  LoadWeights weights;
  if (mode == TransferMode::Sum) return weights;
  const std::int64_t whole = Certificate::kWeightUnit;
  for (std::size_t p = 0; p < kPasses; ++p) {
    weights.compute[p] = dice.one_in(4) ? whole : static_cast<std::int64_t>(dice.below(1025));
    weights.transfers[p] = (whole - weights.compute[p]) / (mode == TransferMode::Duplex ? 2 : 1);
  }
  return weights;
}

// Nobody doubts a proof here: what it proves is compared with the optimum.
const ProofCheck kBelieve = [](const ProofTree&, Budget&) { return true; };

TEST(Volume, IsNeverAboveTheOptimum) {
  int solved = 0, tight = 0;
  for (std::uint64_t seed = 1; seed <= cases(1500); ++seed) {
    const Problem problem = random_free_question(seed);
    const auto best = brute_force(problem);
    if (!best) continue;
    const FreeInstance instance = make_free_instance(problem);
    const Volume volume = volume_bound(instance);
    EXPECT_LE(volume.bound, *best) << "seed " << seed << "\n" << describe(problem);
    ++solved;
    tight += volume.bound >= 0.8 * *best;
  }
  EXPECT_GT(2 * tight, solved);  // it says something
}

TEST(Volume, IsTheOptimumWhereAllCanBeCut) {
  // A hundred equal groups without edges, on one device at full and two at half speed: two devices' worth in all.
  Problem problem;
  problem.shape = Shape::Free;
  problem.workload.change().platform.classes = {{"fast", DeviceKind::Accelerator, 1},
                                                {"slow", DeviceKind::Accelerator, 2}};
  for (int i = 0; i < 100; ++i) {
    Node node;
    node.original_id = i;
    node.time = {1, 2};
    problem.workload.change().graph.nodes.push_back(node);
  }
  const FreeInstance instance = make_free_instance(problem);
  EXPECT_NEAR(volume_bound(instance).bound, 50, 1e-6);
}

TEST(Volume, SeesMemory) {
  // The fast device has room for a quarter of the groups only.
  Problem problem;
  problem.shape = Shape::Free;
  problem.workload.change().platform.classes = {{"fast", DeviceKind::Accelerator, 1, 25},
                                                {"slow", DeviceKind::Accelerator, 1}};
  for (int i = 0; i < 100; ++i) {
    Node node;
    node.original_id = i;
    node.time = {1, 4};
    node.memory = 1;
    problem.workload.change().graph.nodes.push_back(node);
  }
  const FreeInstance instance = make_free_instance(problem);
  EXPECT_NEAR(volume_bound(instance).bound, 300, 1e-5);
}

TEST(ConfigurationLpOfClasses, NeverRefutesTheOptimum) {
  int solved = 0, refuted = 0, unequal = 0;
  for (std::uint64_t seed = 1; seed <= cases(1500); ++seed) {
    const Problem problem = random_free_question(seed);
    const auto best = brute_force(problem);
    if (!best || *best <= 0) continue;
    const FreeInstance instance = make_free_instance(problem);
    Dice dice(seed);
    const std::size_t widest = dice.one_in(3) ? 1 + dice.below(4) : 1000;
    const LoadWeights weights =
        dice.one_in(2)
            ? random_weights(problem.transfers, dice)
            : list_load_weights(problem.transfers, true)[dice.below(list_load_weights(problem.transfers, true).size())];
    ConfigurationLp lp(model_of(instance, weights), volume_bound(instance).prices, narrow_order(instance.graph, seed),
                       {widest});
    for (const double limit : {*best, 1.001 * *best, 1.3 * *best}) {
      Budget budget(Budget::Limits{.ticks = 2'000'000});
      EXPECT_NE(lp.refute(limit, budget), Refutation::Refuted) << "seed " << seed << "\n" << describe(problem);
    }
    Budget budget(Budget::Limits{.ticks = 2'000'000});
    ++solved;
    refuted += lp.refute(0.8 * *best, budget) == Refutation::Refuted;
    unequal += instance.class_count() > 1;
  }
  EXPECT_GT(3 * refuted, solved);
  EXPECT_GT(3 * unequal, solved);
}

TEST(FreeSearchOverClasses, FindsTheOptimumOfSmallGraphs) {
  int solved = 0, found = 0;
  for (std::uint64_t seed = 1; seed <= cases(400); ++seed) {
    const Problem problem = random_free_question(seed);
    const auto best = brute_force(problem);
    const FreeInstance instance = make_free_instance(problem);
    FreeSearch<PartLoads> search(instance, seed);
    Budget budget(Budget::Limits{.ticks = 30'000});
    search.improve(budget);
    if (!best) {
      EXPECT_EQ(search.best().value, kUnlimited) << describe(problem);
      continue;
    }
    ++solved;
    if (search.best().value == kUnlimited) continue;
    EXPECT_GE(search.best().value, *best * (1 - 1e-12)) << "seed " << seed << "\n" << describe(problem);
    EXPECT_TRUE(is_legal(instance, search.best().device_of));
    found += search.best().value <= *best * (1 + 1e-9);
  }
  EXPECT_GE(100 * found, 97 * solved);
}

TEST(SolveFree, BracketsTheOptimum) {
  int solved = 0, closed = 0;
  for (std::uint64_t seed = 1; seed <= cases(250); ++seed) {
    const Problem problem = random_free_question(seed);
    const auto best = brute_force(problem);
    if (!best) continue;
    const FreeInstance instance = make_free_instance(problem);
    Budget budget(Budget::Limits{.ticks = 150'000});
    const FreeOutcome outcome = solve_free(instance, {}, {.seed = seed}, kBelieve, budget, {});
    EXPECT_LE(outcome.bound, *best) << "seed " << seed << "\n" << describe(problem);
    ++solved;
    if (!outcome.split) continue;
    EXPECT_GE(outcome.split->value, *best * (1 - 1e-12));
    closed += outcome.split->value - outcome.bound <= 1e-6 * outcome.split->value;
  }
  EXPECT_GT(2 * closed, solved);
}

TEST(SolveFree, IsDeterministic) {
  for (std::uint64_t seed = 1; seed <= cases(30); ++seed) {
    const Problem problem = random_free_question(seed);
    const FreeInstance instance = make_free_instance(problem);
    const auto answer = [&] {
      Budget budget(Budget::Limits{.ticks = 300'000});
      return solve_free(instance, {}, {.seed = 3}, kBelieve, budget, {});
    };
    const FreeOutcome one = answer(), two = answer();
    EXPECT_EQ(one.bound, two.bound);
    ASSERT_EQ(one.split.has_value(), two.split.has_value());
    if (one.split) {
      EXPECT_EQ(one.split->device_of, two.split->device_of);
    }
  }
}

}  // namespace
}  // namespace partita::detail::test
