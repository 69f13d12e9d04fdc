// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/staged_instance.h"

#include <gtest/gtest.h>

#include "partita/util/error.h"
#include "tests/support/graph_text.h"

namespace partita::detail {
namespace {

StagedInstance instance_of(const Workload& workload, bool backward_shape = false) {
  Problem problem{workload};
  problem.backward_shape = backward_shape;
  return make_staged_instance(problem);
}

GroupId group_of(const Workload& workload, const StagedInstance& instance, const char* name) {
  return instance.group_of[node_named(workload, name)];
}

TEST(StagedInstance, MakesAGroupOfEachColourClass) {
  const Workload workload =
      graph_from_text("a 1 10 mem=3 colour=7; b 2 20; c 4 40 mem=5 colour=7; a -> c : 1; b -> c : 2");
  const StagedInstance instance = instance_of(workload);
  ASSERT_EQ(instance.graph.size(), 2u);
  const Group& both = instance.graph.group(group_of(workload, instance, "a"));
  EXPECT_EQ(group_of(workload, instance, "a"), group_of(workload, instance, "c"));
  EXPECT_EQ(both.accelerator_time, 5);
  EXPECT_EQ(both.host_time, 50);
  EXPECT_EQ(both.memory, 8);
  ASSERT_EQ(instance.graph.net_count(), 1u);  // the edge within the class costs nothing
  EXPECT_EQ(instance.graph.cost(NetId(0)), 2);
}

TEST(StagedInstance, ContractsCyclesBetweenClasses) {
  const Workload workload = graph_from_text("a 1 1 colour=1; b 1 1; c 1 1 colour=1; d 1 1; a -> b -> c -> d : 1");
  const StagedInstance instance = instance_of(workload);
  EXPECT_EQ(instance.graph.size(), 2u);
  EXPECT_EQ(group_of(workload, instance, "a"), group_of(workload, instance, "b"));
  EXPECT_NE(group_of(workload, instance, "a"), group_of(workload, instance, "d"));
}

TEST(StagedInstance, AClassRunsWhereAllItsNodesRun) {
  const Workload workload = graph_from_text("a 1 - colour=1; b - 1 colour=1; c 1 1");
  const StagedInstance instance = instance_of(workload);
  const Group& both = instance.graph.group(group_of(workload, instance, "a"));
  EXPECT_FALSE(both.on_accelerator);
  EXPECT_FALSE(both.on_host);
  EXPECT_EQ(both.accelerator_time, 0);
  EXPECT_EQ(both.host_time, 0);
}

TEST(StagedInstance, EqualCostsShareATransferAndDifferentOnesDoNot) {
  const StagedInstance equal = instance_of(graph_from_text("a 1 1; b 1 1; c 1 1; a -> b c : 2"));
  ASSERT_EQ(equal.graph.net_count(), 1u);
  EXPECT_EQ(equal.graph.members(NetId(0)).size(), 3u);
  const StagedInstance different = instance_of(graph_from_text("a 1 1; b 1 1; c 1 1; a -> b : 2; a -> c : 3"));
  ASSERT_EQ(different.graph.net_count(), 2u);
  EXPECT_EQ(different.graph.cost(NetId(0)) + different.graph.cost(NetId(1)), 5);
}

TEST(StagedInstance, OrphansFollowTheirMirroredEdgesAndTwinsOnlyWhenAsked) {
  // x is an orphan between the twins of b and a.
  const char* text =
      "a 1 1 colour=1; b 1 1 colour=2; a2 1 1 colour=1 back; b2 1 1 colour=2 back; x 1 1 back; y 1 1 colour=3; y2 1 1 "
      "colour=3 back;"
      "a -> b : 1; b -> b2 -> x -> a2 : 1; y -> y2 : 1; y2 -> a2 : 1";
  const Workload workload = graph_from_text(text);
  const StagedInstance instance = instance_of(workload);
  const auto precedes = [&](const StagedInstance& in, const char* u, const char* v) {
    return test_bit(in.graph.descendants(group_of(workload, in, u)), group_of(workload, in, v).index());
  };
  EXPECT_TRUE(precedes(instance, "a", "x"));
  EXPECT_TRUE(precedes(instance, "x", "b"));
  EXPECT_FALSE(precedes(instance, "a", "y"));
  EXPECT_TRUE(precedes(instance_of(workload, true), "a", "y"));
}

TEST(StagedInstance, HasNoMoreDevicesThanGroups) {
  const StagedInstance instance = instance_of(graph_from_text("a 1 1; b 1 1", 100, kUnlimited, 50));
  EXPECT_EQ(instance.platform.accelerators, 2);
  EXPECT_EQ(instance.platform.hosts, 2);
}

TEST(StagedInstance, RefusesTwoClassesOfAKind) {
  Platform platform = make_platform(1, kUnlimited, 1);
  platform.classes.push_back({"slow", DeviceKind::Accelerator, 1, kUnlimited});
  Problem problem{graph_from_text("a 1 1", make_platform(1, kUnlimited, 1))};
  problem.workload.change().platform = platform;
  problem.workload.change().graph.nodes[NodeId(0)].time.push_back(1);
  EXPECT_THROW(make_staged_instance(problem), InputError);
}

TEST(LiftStages, GivesEachStageADeviceOfItsKindInOrder) {
  const Problem problem{graph_from_text("a 1 1; b 1 1; c 1 1; a -> b -> c : 1", 2, kUnlimited, 1)};
  const StagedInstance instance = make_staged_instance(problem);
  const auto group = [&](const char* name) { return group_of(problem.workload, instance, name); };
  const Split split =
      lift_stages(problem, instance, {{false, {group("a")}}, {true, {group("b")}}, {false, {group("c")}}});
  EXPECT_EQ(split.device_of, (IdVector<NodeId, DeviceId>{DeviceId(0), DeviceId(2), DeviceId(1)}));
  EXPECT_EQ(split.order, (std::vector<DeviceId>{DeviceId(0), DeviceId(2), DeviceId(1)}));
}

TEST(LiftStages, ThroughAContractionKeepsEveryGroupOnce) {
  const Lift lift{GroupId(1), GroupId(0), GroupId(1)};
  const std::vector<Stage> stages = lift_stages(lift, {{true, {GroupId(0)}}, {false, {GroupId(1)}}});
  ASSERT_EQ(stages.size(), 2u);
  EXPECT_TRUE(stages[0].on_host);
  EXPECT_EQ(stages[0].groups, std::vector<GroupId>{GroupId(1)});
  EXPECT_EQ(stages[1].groups, (std::vector<GroupId>{GroupId(0), GroupId(2)}));
}

}  // namespace
}  // namespace partita::detail
