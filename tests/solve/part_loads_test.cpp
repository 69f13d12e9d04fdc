// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/part_loads.h"

#include <gtest/gtest.h>

#include "partita/reduce/contradiction.h"
#include "partita/util/dice.h"
#include "tests/support/brute_force.h"
#include "tests/support/cases.h"
#include "tests/support/free_questions.h"

namespace partita::detail::test {
namespace {

void expect_true(const Problem& problem, const FreeInstance& instance, const PartLoads& loads) {
  const Evaluation truth = evaluate_by_definition(problem, devices_by_node(instance, loads.device_of()));
  for (DeviceId d : ids<DeviceId>(loads.device_count())) {
    const DeviceTable& table = instance.devices;
    const std::size_t there = table.class_of(d).first_in_platform.index() + table.place_in_class(d);
    EXPECT_NEAR(loads.load(d), truth.load[there], 1e-9) << describe(problem);
  }
  EXPECT_NEAR(loads.largest(), truth.value, 1e-9);
  EXPECT_NEAR(free_value(instance, loads.device_of()), truth.value, 1e-9);
  EXPECT_EQ(loads.memory_fits(), truth.memory_ok);
  EXPECT_EQ(is_legal(instance, loads.device_of()), truth.memory_ok && truth.support_ok);
  EXPECT_TRUE(truth.support_ok);
}

TEST(PartLoads, StayTrueUnderMoves) {
  int tried = 0;
  for (std::uint64_t seed = 1; seed <= cases(1500); ++seed) {
    Problem problem = random_free_question(seed);
    if (seed % 5 == 0)
      problem.workload.change().platform.classes[ClassId(0)].count += 60;  // large nets get no counters
    const FreeInstance instance = make_free_instance(problem);
    PartLoads loads(instance);
    Dice dice(seed);
    if (!find_contradiction(problem, instance.group_of).empty()) continue;
    const auto device_for = [&](GroupId v, std::size_t most) {
      for (int i = 0; i < 20; ++i) {
        const DeviceId d(dice.below(most) % loads.device_count());
        if (loads.can_run(v, d)) return d;
      }
      DeviceId d(0);
      while (!loads.can_run(v, d)) ++d;
      return d;
    };
    IdVector<GroupId, DeviceId> device_of(instance.graph.size());
    for (GroupId v : device_of.all()) device_of[v] = device_for(v, loads.device_count());
    loads.reset(device_of);
    ++tried;
    expect_true(problem, instance, loads);
    for (int move = 0; move < 30; ++move) {
      const GroupId v(dice.below(instance.graph.size()));
      loads.move(v, device_for(v, move % 2 ? loads.device_count() : 2));
      expect_true(problem, instance, loads);
      if (testing::Test::HasFailure()) return;
    }
    std::size_t cut = 0;
    for (NetId e : instance.graph.nets()) {
      const auto members = instance.graph.members(e);
      cut += std::any_of(members.begin(), members.end(),
                         [&](GroupId v) { return loads.device_of(v) != loads.device_of(members[0]); });
    }
    EXPECT_EQ(loads.cut_nets().size(), cut);
  }
  EXPECT_GT(2 * tried, static_cast<int>(cases(1500)));
}

TEST(PartLoads, GoBackWhereTheyWere) {
  for (std::uint64_t seed = 1; seed <= cases(300); ++seed) {
    const Problem problem = random_free_question(seed);
    const FreeInstance instance = make_free_instance(problem);
    PartLoads loads(instance);
    loads.reset(IdVector<GroupId, DeviceId>(instance.graph.size(), DeviceId(0)));
    const DeviceId there(loads.device_count() - 1);
    const double before[2] = {loads.load(DeviceId(0)), loads.load(there)};
    const PartLoads::Saved saved[2] = {loads.save(DeviceId(0)), loads.save(there)};
    loads.move(GroupId(0), there);
    loads.move(GroupId(0), DeviceId(0));
    for (const auto& numbers : saved) loads.restore(numbers);
    EXPECT_EQ(loads.load(DeviceId(0)), before[0]);
    EXPECT_EQ(loads.load(there), before[1]);
  }
}

}  // namespace
}  // namespace partita::detail::test
