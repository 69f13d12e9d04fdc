// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/usable_devices.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/graph_text.h"

namespace partita::detail::test {
namespace {

Problem three_nodes() { return {graph_from_text("a 4 9; b 4 9; c 4 9; a -> b : 3; b -> c : 1", 2, kUnlimited, 1)}; }

TEST(UsableDevices, SmallPlatformsStayAsTheyAre) { EXPECT_FALSE(leave_out_idle(three_nodes())); }

TEST(UsableDevices, OfEachClassNoMoreThanThereAreNodes) {
  Problem problem = three_nodes();
  problem.workload.change().platform.classes[ClassId(0)].count = 1'000'000;
  const auto usable = leave_out_idle(problem);
  ASSERT_TRUE(usable);
  EXPECT_EQ(usable->platform.classes[ClassId(0)].count, 3);
  EXPECT_EQ(usable->platform.classes[ClassId(1)].count, 1);
  EXPECT_EQ(usable->original[DeviceId(2)], DeviceId(2));
  EXPECT_EQ(usable->original[DeviceId(3)], DeviceId(1'000'000));  // the host comes after all accelerators
}

TEST(UsableDevices, CopiesNeedMore) {
  Problem problem = three_nodes();
  problem.workload.change().platform.classes[ClassId(0)].count = 100;
  problem.replicas = 4;
  EXPECT_EQ(leave_out_idle(problem)->platform.classes[ClassId(0)].count, 12);
}

TEST(UsableDevices, EqualClustersAreThinnedOutAndOthersKept) {
  Problem problem = three_nodes();
  Platform& platform = problem.workload.change().platform;
  const Cluster pair{0.1, {2, 0}, {}}, single{0.2, {1, 0}, {}};
  Cluster all{1, {0, 1}, {}};
  for (int i = 0; i < 10; ++i) all.clusters.push_back(pair);
  all.clusters.push_back(single);
  platform.clusters = all;
  platform.classes[ClassId(0)].count = 21;
  const auto usable = leave_out_idle(problem);
  ASSERT_TRUE(usable);
  ASSERT_EQ(usable->platform.clusters->clusters.size(), 4u);
  EXPECT_EQ(usable->platform.clusters->clusters[3], single);
  EXPECT_EQ(usable->platform.classes[ClassId(0)].count, 7);
  EXPECT_EQ(usable->original[DeviceId(5)], DeviceId(5));
  EXPECT_EQ(usable->original[DeviceId(6)], DeviceId(20));  // in the single cluster, after ten pairs
  EXPECT_EQ(usable->original[DeviceId(7)], DeviceId(21));  // the host
}

TEST(UsableDevices, SplitsAreLiftedWithTheirCopies) {
  Problem problem = three_nodes();
  problem.workload.change().platform.classes[ClassId(0)].count = 100;
  problem.replicas = 2;
  const auto usable = leave_out_idle(problem);
  Split split;
  for (const std::size_t d : {0, 1, 6}) split.device_of.push_back(DeviceId(d));
  split.order = {DeviceId(0), DeviceId(1), DeviceId(6)};
  for (DeviceId d : usable->original.all()) split.copy_of.push_back(d);
  split.copy_of[DeviceId(2)] = DeviceId(1);
  const Split lifted = lift_devices(*usable, 101, split);
  EXPECT_EQ(lifted.device_of[NodeId(2)], DeviceId(100));
  EXPECT_EQ(lifted.order.back(), DeviceId(100));
  ASSERT_EQ(lifted.copy_of.size(), 101u);
  EXPECT_EQ(lifted.copy_of[DeviceId(2)], DeviceId(1));
  EXPECT_EQ(lifted.copy_of[DeviceId(50)], DeviceId(50));
}

}  // namespace
}  // namespace partita::detail::test
