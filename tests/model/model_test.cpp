// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "partita/model/problem.h"
#include "partita/model/result.h"

namespace partita::detail::test {
namespace {

TEST(Platform, NumbersDevicesClassByClass) {
  Platform platform = make_platform(3, 100, 2);
  EXPECT_EQ(platform.device_count(), 5u);
  EXPECT_EQ(platform.device_count(DeviceKind::Accelerator), 3u);
  EXPECT_EQ(platform.device_count(DeviceKind::Host), 2u);
  const ClassId accelerator(0), host(1);
  EXPECT_EQ(platform.class_of(DeviceId(2)), accelerator);
  EXPECT_EQ(platform.class_of(DeviceId(3)), host);
  EXPECT_EQ(platform.first_device(accelerator), DeviceId(0));
  EXPECT_EQ(platform.first_device(host), DeviceId(3));
  EXPECT_EQ(platform.device_name(DeviceId(2)), "accelerator 2");
  EXPECT_EQ(platform.device_name(DeviceId(4)), "host 1");
  EXPECT_EQ(platform.classes[accelerator].memory, 100);
  EXPECT_EQ(platform.classes[host].memory, kUnlimited);
}

TEST(Platform, ClassesMayBeEmpty) {
  const Platform platform = make_platform(0, 100, 1);
  EXPECT_EQ(platform.device_count(), 1u);
  EXPECT_EQ(platform.class_of(DeviceId(0)), ClassId(1));
}

TEST(Graph, HasABackwardPartIfANodeIsBackward) {
  Graph graph;
  EXPECT_FALSE(graph.has_backward());
  graph.nodes.push_back(Node{});
  EXPECT_FALSE(graph.has_backward());
  graph.nodes.push_back(Node{});
  graph.nodes[NodeId(1)].backward = true;
  EXPECT_TRUE(graph.has_backward());
}

TEST(Result, TheGapIsRelativeToTheValue) {
  Result result;
  EXPECT_EQ(result.gap(), 1);  // no split
  result.split = Split{};
  result.value = 10;
  result.bound = 8;
  EXPECT_DOUBLE_EQ(result.gap(), 0.2);
  result.bound = 11;
  EXPECT_EQ(result.gap(), 0);
  result.value = result.bound = 0;
  EXPECT_EQ(result.gap(), 0);
}

TEST(Names, AreReadAsTheyAreWritten) {
  for (const Objective o : {Objective::MaxLoad, Objective::GPipe, Objective::Latency})
    EXPECT_EQ(parse_objective(to_string(o)), o);
  for (const Shape s : {Shape::Staged, Shape::Contiguous, Shape::Free}) EXPECT_EQ(parse_shape(to_string(s)), s);
  for (const TransferMode m : {TransferMode::Sum, TransferMode::Overlap, TransferMode::Duplex}) {
    EXPECT_EQ(parse_transfer_mode(to_string(m)), m);
  }
  EXPECT_EQ(parse_objective("throughput"), Objective::MaxLoad);
  EXPECT_EQ(parse_objective("speed"), std::nullopt);
  EXPECT_EQ(parse_shape(""), std::nullopt);
  EXPECT_EQ(parse_transfer_mode("SUM"), std::nullopt);
}

TEST(Names, EveryStatusHasOne) {
  EXPECT_STREQ(to_string(Status::Optimal), "optimal");
  EXPECT_STREQ(to_string(Status::Feasible), "feasible");
  EXPECT_STREQ(to_string(Status::Infeasible), "infeasible");
  EXPECT_STREQ(to_string(Status::Unknown), "unknown");
}

}  // namespace
}  // namespace partita::detail::test
