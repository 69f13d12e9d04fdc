// SPDX-License-Identifier: Apache-2.0
// The local search: its shortcuts lead where trying every neighbour leads, and its loads are those of `check`.
#include "partita/solve/baseline/local_search.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "partita/check/check.h"
#include "partita/solve/baseline/move_gains.h"
#include "partita/util/dice.h"
#include "tests/support/brute_force.h"
#include "tests/support/cases.h"
#include "tests/support/free_questions.h"
#include "tests/support/net_graphs.h"
#include "tests/support/random_workload.h"
#include "tests/support/transformer.h"

namespace partita::detail::test {
namespace {

bool only_memory(const CheckReport& report) {
  return std::all_of(report.violations.begin(), report.violations.end(),
                     [](const Violation& violation) { return violation.kind == Violation::Kind::Memory; });
}

TEST(LocalSearch, EndsWhereNoReassignmentHelps) {
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed <= cases(3'000); ++seed) {
    const NetCase test = random_net_case(seed);
    const auto split = local_search(test.graph, test.platform, {.restarts = 3, .seed = seed});
    if (!split) continue;
    ++found;
    const double value = evaluate(test.graph, test.platform, split->device_of).value;
    EXPECT_NEAR(split->value, value, 1e-9 * (1 + value)) << "seed " << seed;
    const auto accelerators = static_cast<std::size_t>(test.platform.accelerators);
    for (GroupId g : test.graph.all()) {
      const bool on_accelerator = split->device_of[g].index() < accelerators;
      const std::size_t devices = on_accelerator ? accelerators : accelerators + test.platform.hosts;
      for (std::size_t d = on_accelerator ? 0 : accelerators; d < devices; ++d) {
        auto moved = split->device_of;
        moved[g] = DeviceId(d);
        EXPECT_GE(evaluate(test.graph, test.platform, moved).value, value * (1 - 1e-8)) << "seed " << seed;
      }
    }
  }
  EXPECT_GT(found, cases(3'000) / 4);
}

// The devices that the search may put a group on.
std::vector<DeviceId> choices(const FreeInstance& instance, GroupId g) {
  std::vector<DeviceId> accelerators, hosts;
  for (DeviceId d : ids<DeviceId>(instance.devices.size())) {
    if (instance.time[instance.devices.class_number(d)][g].can_run)
      (instance.devices.is_host(d) ? hosts : accelerators).push_back(d);
  }
  return accelerators.empty() ? hosts : accelerators;
}

TEST(LocalSearch, EndsWhereNoReassignmentHelpsOverAnyDevices) {
  std::size_t found = 0, several = 0;
  for (std::uint64_t seed = 1; seed <= cases(3'000); ++seed) {
    const Problem problem = random_free_question(seed);
    const FreeInstance instance = make_free_instance(problem);
    const auto split = local_search(instance, {.restarts = 2, .seed = seed});
    if (!split) continue;
    ++found;
    several += instance.devices.accelerator_classes() > 1;
    const auto value_of = [&](const IdVector<GroupId, DeviceId>& device_of) {
      return evaluate_by_definition(problem, devices_by_node(instance, device_of)).value;
    };
    const double value = value_of(split->device_of);
    EXPECT_NEAR(split->value, value, 1e-9 * (1 + value)) << "seed " << seed;
    for (GroupId g : instance.graph.all()) {
      const auto devices = choices(instance, g);
      EXPECT_NE(std::find(devices.begin(), devices.end(), split->device_of[g]), devices.end()) << "seed " << seed;
      for (DeviceId d : devices) {
        auto moved = split->device_of;
        moved[g] = d;
        EXPECT_GE(value_of(moved), value * (1 - 1e-8)) << "seed " << seed << "\n" << describe(problem);
      }
    }
  }
  EXPECT_GT(found, cases(3'000) / 2);
  EXPECT_GT(several, cases(3'000) / 8);
}

TEST(LocalSearch, IsHonestAboutItsSplitsOverAnyDevices) {
  std::size_t found = 0, best_found = 0;
  for (std::uint64_t seed = 1; seed <= cases(1'000); ++seed) {
    Problem problem = random_free_question(seed);
    const auto split = local_search_split(problem, {.seed = seed});
    if (!split) continue;
    ++found;
    EXPECT_EQ(split->device_of, local_search_split(problem, {.seed = seed})->device_of) << "seed " << seed;
    EXPECT_TRUE(only_memory(check(problem, *split))) << "seed " << seed << "\n" << describe(problem);
    for (DeviceClass& c : problem.workload.change().platform.classes) c.memory = kUnlimited;
    const double value = check(problem, *split).value, best = brute_force(problem).value();
    EXPECT_GE(value, best * (1 - 1e-9)) << "seed " << seed << "\n" << describe(problem);
    best_found += value <= best * (1 + 1e-9);
  }
  EXPECT_GT(found, cases(1'000) / 2);
  EXPECT_GT(best_found, found / 8);
}

// With one class of accelerators and loads that are sums both ways to keep loads lead to the same splits.
TEST(LocalSearch, IsTheSameOverAnInstanceThatIsPlain) {
  std::size_t found = 0, same = 0;
  for (std::uint64_t seed = 1; seed <= cases(1'000); ++seed) {
    const Problem problem{random_workload(seed)};
    const FreeInstance plain = make_free_instance(problem);
    const auto one = local_search(plain.graph, plain.stage_platform(), {.restarts = 2, .seed = seed});
    const auto other = local_search(make_free_instance(problem), {.restarts = 2, .seed = seed});
    ASSERT_EQ(one.has_value(), other.has_value()) << "seed " << seed;
    if (!one) continue;
    ++found;
    same += one->device_of == other->device_of;
  }
  EXPECT_GT(same, found * 9 / 10);  // rounding decides a few ties otherwise
}

TEST(LocalSearch, BreaksNothingButMemory) {
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed <= cases(3'000); ++seed) {
    Problem problem{random_workload(seed)};
    problem.shape = Shape::Free;
    const auto split = local_search_split(problem);
    if (!split) continue;
    ++found;
    EXPECT_TRUE(only_memory(check(problem, *split))) << "seed " << seed;
  }
  EXPECT_GT(found, cases(3'000) / 2);
}

TEST(LocalSearch, KeepsItsLoadsRightOverManyMoves) {
  Problem problem{transformer({.layers = 12, .training = true})};
  problem.shape = Shape::Free;
  const FreeInstance instance = make_free_instance(problem);
  const auto split = local_search(instance.graph, instance.stage_platform(), {});
  ASSERT_TRUE(split);
  EXPECT_NEAR(check(problem, lift_free(instance, *split)).value, split->value, 1e-9 * split->value);
}

TEST(LocalSearch, KeepsTheLoadsOfAnyDevicesRightOverManyMoves) {
  Problem problem{transformer({.layers = 12, .training = true})};
  problem.workload.change().platform.classes[ClassId(0)].link_factor = 0.5;
  const FreeInstance instance = make_free_instance(problem);
  const auto split = local_search(instance, {.restarts = 2});
  ASSERT_TRUE(split);
  EXPECT_NEAR(check(problem, lift_free(instance, *split)).value, split->value, 1e-9 * split->value);
}

TEST(LocalSearch, KnowsWhatEachMoveWouldDo) {
  for (std::uint64_t seed = 1; seed <= cases(1'000); ++seed) {
    const NetCase test = random_net_case(seed);
    const std::size_t devices = static_cast<std::size_t>(test.platform.accelerators + test.platform.hosts);
    if (devices == 0) continue;
    Dice dice(seed);
    IdVector<GroupId, DeviceId> device_of(test.graph.size());
    for (GroupId g : test.graph.all()) device_of[g] = DeviceId(dice.below(devices));
    MoveGains gains(test.graph, test.platform);
    gains.reset(device_of);
    for (int step = 0; step < 12; ++step) {
      const GroupId g(dice.below(test.graph.size()));
      const DeviceId from = device_of[g], to(dice.below(devices));
      const double without = gains.load_without(g), with = gains.load_with(g, to);
      gains.move(g, to);
      device_of[g] = to;
      const auto load = evaluate(test.graph, test.platform, device_of).load;
      for (std::size_t d = 0; d < devices; ++d) {
        EXPECT_NEAR(gains.load(DeviceId(d)), load[d], 1e-9 * (1 + load[d])) << "seed " << seed << " step " << step;
      }
      if (from == to) continue;
      EXPECT_EQ(gains.load(from), without);
      EXPECT_EQ(gains.load(to), with);
    }
  }
}

TEST(LocalSearch, DoesWithFewerOfVeryManyDevices) {
  Problem problem{transformer({.layers = 150, .accelerators = 100'000, .hosts = 2})};
  problem.shape = Shape::Free;
  problem.workload.change().graph.nodes[NodeId(3)].time[0] = kCannotRun;
  const auto split = local_search_split(problem, {.restarts = 1});
  ASSERT_TRUE(split);
  EXPECT_TRUE(only_memory(check(problem, *split)));
}

TEST(LocalSearch, ServesVeryManyDevicesOfAnyKind) {
  Problem problem{transformer({.layers = 150, .accelerators = 100'000, .hosts = 2})};
  problem.shape = Shape::Free;
  problem.transfers = TransferMode::Overlap;
  problem.workload.change().graph.nodes[NodeId(3)].time[0] = kCannotRun;
  const auto split = local_search_split(problem, {.restarts = 1});
  ASSERT_TRUE(split);
  EXPECT_TRUE(only_memory(check(problem, *split)));
  Problem few{transformer({.layers = 150})};
  few.transfers = TransferMode::Overlap;
  EXPECT_TRUE(local_search_split(few));
}

TEST(LocalSearch, GivesARandomSplitWithoutTime) {
  Problem problem{transformer({.layers = 12})};
  problem.shape = Shape::Free;
  const auto random = local_search_split(problem, {}, Budget(Budget::Limits{.seconds = 0}));
  ASSERT_TRUE(random);
  EXPECT_TRUE(only_memory(check(problem, *random)));
  EXPECT_GT(check(problem, *random).value, check(problem, *local_search_split(problem)).value);
}

TEST(LocalSearch, DependsOnItsSeedAlone) {
  const Problem problem{transformer({.layers = 4})};
  EXPECT_EQ(local_search_split(problem, {.seed = 7})->device_of, local_search_split(problem, {.seed = 7})->device_of);
  EXPECT_NE(local_search_split(problem, {.seed = 7})->device_of, local_search_split(problem, {.seed = 8})->device_of);
}

}  // namespace
}  // namespace partita::detail::test
