// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/free_search.h"

#include <gtest/gtest.h>

#include <cmath>

#include "partita/reduce/free_instance.h"
#include "tests/support/cases.h"
#include "tests/support/net_graphs.h"
#include "tests/support/transformer.h"

namespace partita::detail::test {
namespace {

constexpr double kNoSplit = std::numeric_limits<double>::infinity();

FreeSplit search(const NetGraph& graph, const StagePlatform& platform, std::uint64_t ticks, std::uint64_t seed = 1) {
  const FreeInstance instance = instance_of(graph, platform);
  FreeSearch<SumLoads> search(instance, seed);
  Budget budget(Budget::Limits{.ticks = ticks});
  search.improve(budget);
  return search.best();
}

void expect_legal_free(const NetGraph& graph, const StagePlatform& platform, const FreeSplit& split,
                       const std::string& where) {
  ASSERT_EQ(split.device_of.size(), graph.size()) << where;
  const NetEvaluation truth = evaluate(graph, platform, split.device_of);
  EXPECT_TRUE(truth.legal) << where;
  EXPECT_NEAR(truth.value, split.value, 1e-9 * (1 + truth.value)) << where;
}

TEST(FreeSearch, FindsTheOptimumOfSmallGraphs) {
  for (std::uint64_t seed = 1; seed <= cases(1500); ++seed) {
    const NetCase one = random_net_case(seed);
    const double least = least_free_value(one.graph, one.platform);
    const FreeInstance instance = instance_of(one);
    FreeSearch<SumLoads> search(instance, seed);
    for (int slice = 0; slice < 60 && search.best().value > least * (1 + 1e-9); ++slice) {
      Budget budget(Budget::Limits{.ticks = 5'000});
      search.improve(budget);
    }
    const FreeSplit& found = search.best();
    const std::string where = "seed " + std::to_string(seed);
    EXPECT_EQ(found.value == kNoSplit, least == kNoSplit) << where;
    if (found.value == kNoSplit) continue;
    expect_legal_free(one.graph, one.platform, found, where);
    EXPECT_NEAR(found.value, least, 1e-9 * (1 + least)) << where;
  }
}

TEST(FreeSearch, IsLegalWhereverItStops) {
  for (std::uint64_t seed = 1; seed <= cases(400); ++seed) {
    const NetCase one = random_net_case(seed, 30);
    const FreeInstance instance = instance_of(one);
    FreeSearch<SumLoads> search(instance, seed);
    double before = search.best().value;
    for (int call = 0; call < 6; ++call) {
      Budget slice(Budget::Limits{.ticks = 1 + seed * 37 % 5000});
      const bool better = search.improve(slice);
      EXPECT_EQ(better, search.best().value < before) << "seed " << seed;
      before = search.best().value;
      if (before < kNoSplit) expect_legal_free(one.graph, one.platform, search.best(), "seed " + std::to_string(seed));
    }
  }
}

TEST(FreeSearch, TheSameSeedAndTicksGiveTheSameAnswer) {
  for (std::uint64_t seed = 1; seed <= cases(6); ++seed) {
    const NetCase one = random_net_case(seed, 60);
    const auto run = [&] {
      const FreeInstance instance = instance_of(one);
      FreeSearch<SumLoads> search(instance, seed);
      for (int call = 0; call < 20; ++call) {
        Budget slice(Budget::Limits{.ticks = 50'000});
        search.improve(slice);
      }
      return search.best();
    };
    const FreeSplit first = run(), second = run();
    EXPECT_EQ(first.value, second.value) << "seed " << seed;
    EXPECT_EQ(first.device_of, second.device_of) << "seed " << seed;
  }
}

TEST(FreeSearch, KeepsWhatItStartsFrom) {
  const NetGraph graph(IdVector<GroupId, Group>(4, Group{1, 9, 1, true, true}),
                       {{5, {GroupId(0), GroupId(1), GroupId(2), GroupId(3)}}});
  const FreeInstance instance = instance_of(graph, {2, 0, 10, 0});
  FreeSearch<SumLoads> search(instance, 1);
  EXPECT_EQ(search.best().value, kNoSplit);
  search.start_from({0, {DeviceId(0), DeviceId(0), DeviceId(1), DeviceId(1)}});  // the value given is not believed
  EXPECT_DOUBLE_EQ(search.best().value, 7);
  search.start_from({0, {DeviceId(0), DeviceId(1), DeviceId(1), DeviceId(1)}});  // worse
  EXPECT_DOUBLE_EQ(search.best().value, 7);
  search.start_from({0, {DeviceId(0), DeviceId(0), DeviceId(0), DeviceId(2)}});  // no such device
  search.start_from({0, {DeviceId(0)}});
  EXPECT_DOUBLE_EQ(search.best().value, 7);
  Budget budget(Budget::Limits{.ticks = 200'000});
  EXPECT_TRUE(search.improve(budget));
  EXPECT_DOUBLE_EQ(search.best().value, 4);  // all on one
}

TEST(FreeSearch, PacksTightMemory) {
  // Six devices, each filled to the last byte by 7 + 2 + 1.
  IdVector<GroupId, Group> groups;
  std::vector<Net> nets;
  for (std::size_t i = 0; i < 6; ++i) {
    for (double memory : {7.0, 2.0, 1.0}) groups.push_back(Group{memory == 2 ? 3.0 : 1.0, 100, memory, true, false});
  }
  for (std::size_t v = 0; v + 1 < groups.size(); ++v) nets.push_back({0.5, {GroupId(v), GroupId(v + 1)}});
  const NetGraph graph(groups, nets);
  const StagePlatform platform{6, 1, 10, 0};
  const FreeSplit found = search(graph, platform, 2'000'000);
  ASSERT_LT(found.value, kNoSplit);
  expect_legal_free(graph, platform, found, "packed");
  EXPECT_LE(found.value, 6 + 1e-9);  // three neighbours each: 5 of compute, two nets cut
}

TEST(FreeSearch, EdgeCases) {
  const Group plain{2, 3, 1, true, true};
  // No groups.
  const NetGraph empty(IdVector<GroupId, Group>(), {});
  EXPECT_EQ(search(empty, {2, 1, 1, 1}, 1000).value, 0);
  // One device.
  const NetGraph two({plain, plain}, {{1, {GroupId(0), GroupId(1)}}});
  EXPECT_DOUBLE_EQ(search(two, {1, 0, 10, 0}, 1000).value, 4);
  EXPECT_DOUBLE_EQ(search(two, {0, 1, 0, 10}, 1000).value, 6);
  // One device without room, no devices at all.
  EXPECT_EQ(search(two, {1, 0, 1, 0}, 1000).value, kNoSplit);
  EXPECT_EQ(search(two, {0, 0, 0, 0}, 1000).value, kNoSplit);
  // Hosts only: no nets are paid.
  EXPECT_DOUBLE_EQ(search(two, {0, 2, 0, 10}, 100'000).value, 3);
  // More devices than groups.
  EXPECT_DOUBLE_EQ(search(two, {9, 3, 10, 10}, 100'000).value, 3);
  // A group that nothing can run.
  const NetGraph orphaned({plain, Group{0, 0, 0, false, false}}, {});
  const FreeInstance nowhere = instance_of(orphaned, {2, 2, 10, 10});
  FreeSearch<SumLoads> hopeless(nowhere, 1);
  EXPECT_TRUE(hopeless.finished());
  Budget budget;
  EXPECT_FALSE(hopeless.improve(budget));
  EXPECT_EQ(hopeless.best().value, kNoSplit);
  // A group that only hosts can run, one that only accelerators can.
  const NetGraph mixed({Group{0, 3, 1, false, true}, Group{2, 0, 1, true, false}}, {{1, {GroupId(0), GroupId(1)}}});
  EXPECT_DOUBLE_EQ(search(mixed, {2, 2, 10, 10}, 100'000).value, 3);
  EXPECT_EQ(search(mixed, {2, 0, 10, 0}, 1000).value, kNoSplit);
  // Everything is free of cost.
  const NetGraph nothing(IdVector<GroupId, Group>(5, Group{0, 0, 0, true, true}), {});
  const FreeInstance without_cost = instance_of(nothing, {3, 1, 0, 0});
  FreeSearch<SumLoads> free(without_cost, 1);
  EXPECT_FALSE(free.finished());
  free.improve(budget);
  EXPECT_TRUE(free.finished());
  EXPECT_EQ(free.best().value, 0);
  // Many devices, no nets: a packing.
  const NetGraph loose(IdVector<GroupId, Group>(100, plain), {});
  EXPECT_DOUBLE_EQ(search(loose, {50, 0, 10, 0}, 3'000'000).value, 4);
}

TEST(FreeSearch, CopesWithManyGroupsAndDevices) {
  Problem problem;
  problem.workload = transformer_of_size(20'000, false);
  problem.shape = Shape::Free;
  const FreeInstance instance = make_free_instance(problem);
  StagePlatform many = instance.stage_platform();
  many.accelerators = 500;
  for (const StagePlatform& platform : {instance.stage_platform(), many}) {
    const FreeSplit found = search(instance.graph, platform, 3'000'000);
    ASSERT_LT(found.value, kNoSplit);
    EXPECT_TRUE(is_legal(instance_of(instance.graph, platform), found.device_of));
    EXPECT_NEAR(free_value(instance_of(instance.graph, platform), found.device_of), found.value, 1e-9 * found.value);
  }
}

}  // namespace
}  // namespace partita::detail::test
