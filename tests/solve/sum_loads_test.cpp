// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/sum_loads.h"

#include <gtest/gtest.h>

#include "partita/solve/free/part_loads.h"
#include "partita/util/dice.h"
#include "tests/support/cases.h"
#include "tests/support/net_graphs.h"

namespace partita::detail::test {
namespace {

IdVector<GroupId, DeviceId> random_assignment(const NetGraph& graph, std::size_t devices, Dice& dice) {
  IdVector<GroupId, DeviceId> device_of(graph.size());
  for (DeviceId& d : device_of) d = DeviceId(dice.below(devices));
  return device_of;
}

void expect_true(const SumLoads& loads, const NetCase& one, const std::string& where) {
  const NetEvaluation truth = evaluate(one.graph, one.platform, loads.device_of());
  double largest = 0;
  for (std::size_t d = 0; d < loads.device_count(); ++d) {
    EXPECT_NEAR(loads.load(DeviceId(d)), truth.load[d], 1e-9) << where << " device " << d;
    EXPECT_NEAR(loads.memory(DeviceId(d)), truth.memory[d], 1e-9) << where << " device " << d;
    largest = std::max(largest, truth.load[d]);
  }
  EXPECT_NEAR(loads.largest(), largest, 1e-9) << where;
}

TEST(SumLoads, StayTrueUnderMoves) {
  for (std::uint64_t seed = 1; seed <= cases(500); ++seed) {
    NetCase one = random_net_case(seed, 14);
    if (seed % 3 == 0) one.platform.accelerators = 80;  // nets of three and four get no counters
    const FreeInstance instance = instance_of(one);
    SumLoads loads(instance);
    Dice dice(seed);
    loads.reset(random_assignment(one.graph, loads.device_count(), dice));
    expect_true(loads, one, "seed " + std::to_string(seed) + " at first");
    for (int move = 0; move < 60; ++move) {
      loads.move(GroupId(dice.below(one.graph.size())),
                 DeviceId(dice.below(move % 2 ? loads.device_count() : 2) % loads.device_count()));
      expect_true(loads, one, "seed " + std::to_string(seed) + " move " + std::to_string(move));
    }
    loads.refresh();
    expect_true(loads, one, "seed " + std::to_string(seed) + " refreshed");
  }
}

TEST(SumLoads, FromScratchAgreeWithTheDefinition) {
  for (std::uint64_t seed = 1; seed <= cases(2000); ++seed) {
    const NetCase one = random_net_case(seed, 10);
    Dice dice(seed);
    const auto device_of =
        random_assignment(one.graph, static_cast<std::size_t>(one.platform.accelerators + one.platform.hosts), dice);
    const NetEvaluation truth = evaluate(one.graph, one.platform, device_of);
    EXPECT_EQ(is_legal(instance_of(one), device_of), truth.legal) << "seed " << seed;
    EXPECT_NEAR(free_value(instance_of(one), device_of), truth.value, 1e-9) << "seed " << seed;
  }
}

TEST(SumLoads, MeasureMemoryAboveTheLimit) {
  const NetGraph graph({Group{1, 1, 6, true, true}, Group{1, 1, 3, true, true}}, {});
  const FreeInstance instance = instance_of(graph, {1, 1, 6, 0});
  SumLoads loads(instance);
  loads.reset({DeviceId(0), DeviceId(0)});
  EXPECT_DOUBLE_EQ(loads.overfull(DeviceId(0)), 0.5);
  EXPECT_DOUBLE_EQ(loads.overfull(DeviceId(1)), 0);
  EXPECT_FALSE(loads.memory_fits());
  loads.move(GroupId(1), DeviceId(1));  // a host without memory: measured in units of the whole model
  EXPECT_DOUBLE_EQ(loads.overfull(DeviceId(0)), 0);
  EXPECT_DOUBLE_EQ(loads.overfull(DeviceId(1)), 1.0 / 3);
}

}  // namespace
}  // namespace partita::detail::test
