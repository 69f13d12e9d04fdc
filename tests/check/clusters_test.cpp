// SPDX-License-Identifier: Apache-2.0
#include "partita/check/clusters.h"

#include <gtest/gtest.h>

#include "tests/check/setup_fixture.h"

namespace partita::detail {
namespace {

using Kind = Violation::Kind;

// fast 0 in the root, fast 1 and slow 0 in one cluster, fast 2 and slow 1 in the other.
Platform two_clusters() {
  Platform platform;
  platform.classes.push_back({"fast", DeviceKind::Accelerator, 3});
  platform.classes.push_back({"slow", DeviceKind::Accelerator, 2, kUnlimited, 3});
  const Cluster inside = cluster_of(0.5, {1, 1});
  platform.clusters = cluster_of(2, {1, 0}, {inside, inside});
  return platform;
}

TEST(ClusterTree, NumbersDevicesClassByClassInTheOrderOfTheTree) {
  const Platform platform = two_clusters();
  const ClusterTree tree(platform);
  EXPECT_EQ(tree.home(DeviceId(0)), tree.root());
  EXPECT_EQ(tree.home(DeviceId(1)), tree.home(DeviceId(3)));
  EXPECT_EQ(tree.home(DeviceId(2)), tree.home(DeviceId(4)));
  EXPECT_NE(tree.home(DeviceId(1)), tree.home(DeviceId(2)));
  EXPECT_EQ(tree.all_devices(tree.home(DeviceId(2))), (Devices{DeviceId(2), DeviceId(4)}));
  EXPECT_EQ(tree.all_devices(tree.root()).size(), 5u);
  EXPECT_EQ(tree.name(tree.home(DeviceId(4))), "the cluster of fast 2");
}

TEST(ClusterTree, ADevicePaysItsLinkTimesTheInnermostCluster) {
  const Platform platform = two_clusters();
  const ClusterTree tree(platform);
  EXPECT_EQ(tree.pays(DeviceId(1), DeviceId(3), 1), 0.5);
  EXPECT_EQ(tree.pays(DeviceId(3), DeviceId(1), 1), 1.5);
  EXPECT_EQ(tree.pays(DeviceId(1), DeviceId(2), 1), 2);
  EXPECT_EQ(tree.pays(DeviceId(0), DeviceId(4), 1), 2);
  EXPECT_EQ(tree.pays(DeviceId(4), DeviceId(0), 1), 6);
}

TEST(ClusterTree, ALatencyIsPaidForEachTransferThatCostsSomething) {
  Platform platform = two_clusters();
  platform.classes[ClassId(1)].link_latency = 10;
  platform.clusters->clusters[1].factor = 1;
  platform.clusters->clusters[1].link = Link{0.25, 7};
  const ClusterTree tree(platform);
  EXPECT_EQ(tree.pays(DeviceId(3), DeviceId(1), 4), 10 + 4 * 1.5);
  EXPECT_EQ(tree.pays(DeviceId(1), DeviceId(3), 4), 4 * 0.5);
  EXPECT_EQ(tree.pays(DeviceId(3), DeviceId(1), 0), 0);
  // A link of the cluster's own takes the place of the class's.
  EXPECT_EQ(tree.pays(DeviceId(4), DeviceId(2), 4), 7 + 4 * 0.25);
  EXPECT_EQ(tree.pays(DeviceId(2), DeviceId(4), 4), 7 + 4 * 0.25);
  EXPECT_EQ(tree.pays(DeviceId(4), DeviceId(3), 4), 10 + 4 * 6);
}

TEST(Clusters, AProducerPaysOnceForItsFarthestReader) {
  Problem problem = problem_of(graph_from_text("a 1 1 out=4; b 1 1; c 1 1; a -> b c", two_clusters()));
  // a on fast 1, b on slow 0 beside it, c on fast 2 in the other cluster.
  const CheckReport report = check_text(problem, " | a | c | b");
  EXPECT_EQ(loads(report), (std::vector<double>{0, 1 + 8, 1 + 8, 1 + 6, 0}));
  EXPECT_TRUE(report.legal());
}

TEST(Clusters, CountInTheTimeOfOneSample) {
  const Problem problem =
      problem_of(graph_from_text("a 1 1 out=4; b 1 1; a -> b", two_clusters()), Shape::Staged, Objective::Latency);
  EXPECT_EQ(check_text(problem, " | a | | b").value, (1 + 2) + (6 + 1));
  EXPECT_EQ(check_text(problem, " | a | b").value, (1 + 8) + (8 + 1));
}

TEST(Clusters, AreStagedAsWholes) {
  // Every device in order, but the clusters go to and fro.
  const Problem problem = problem_of(graph_from_text("a 1 1; b 1 1; c 1 1; a -> b -> c", two_clusters()));
  EXPECT_TRUE(check_text(problem, " | a | b | | c").legal());
  const CheckReport report = check_text(problem, " | a | b | c");
  EXPECT_EQ(messages(report, Kind::Shape),
            Messages{"not staged: the members of a cluster would have to come before each other: the cluster of fast 1 "
                     "before the cluster of fast 2 (by edge 1 (a) -> 2 (b)), the cluster of fast 2 before the cluster "
                     "of fast 1 (by edge 2 (b) -> 3 (c))"});
  EXPECT_TRUE(report.order.empty());
}

TEST(Clusters, StayTogetherInTheOrder) {
  // Nothing orders a and b: found by itself, the order keeps the clusters together, and a split's own one must too.
  const Problem problem = problem_of(graph_from_text("a 1 1; b 1 1; c 1 1; a -> c", two_clusters()));
  Split split = split_from_text(problem.workload, " | a | b | c");
  EXPECT_EQ(check(problem, split).order, (Devices{DeviceId(1), DeviceId(3), DeviceId(2)}));
  split.order = {DeviceId(1), DeviceId(2), DeviceId(3)};
  EXPECT_EQ(check(problem, split).order, (Devices{DeviceId(1), DeviceId(3), DeviceId(2)}));
  split.order = {DeviceId(2), DeviceId(1), DeviceId(3)};
  EXPECT_EQ(check(problem, split).order, split.order);
}

}  // namespace
}  // namespace partita::detail
