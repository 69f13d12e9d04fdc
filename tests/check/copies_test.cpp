// SPDX-License-Identifier: Apache-2.0
#include "partita/check/copies.h"

#include <gtest/gtest.h>

#include "tests/check/setup_fixture.h"

namespace partita::detail {
namespace {

using Kind = Violation::Kind;

constexpr const char* kTwoNodes = "a 6 60 mem=4 out=1; b 2 20 mem=8; a -> b";

Problem with_copies(int accelerators, int replicas, double bandwidth = 1) {
  Problem problem = problem_of(graph_from_text(kTwoNodes, accelerators));
  weights_are_memory(problem);
  problem.replicas = replicas;
  problem.workload.change().platform.sync_bandwidth = bandwidth;
  return problem;
}

Messages faults(const Problem& problem, const char* text, IdVector<DeviceId, DeviceId> copy_of) {
  Split split = split_from_text(problem.workload, text);
  split.copy_of = std::move(copy_of);
  return messages(check(problem, split), Kind::Copies);
}

TEST(Copies, ShareTheLoadAndExchangeWeights) {
  Problem problem = with_copies(3, 2, 4);
  Split split = split_from_text(problem.workload, "a | | b");
  split.copy_of = copies({0, 0, 2, 3});
  CheckReport report = check(problem, split);
  EXPECT_TRUE(report.legal());
  EXPECT_EQ(loads(report), (std::vector<double>{7.0 / 2 + 0.5, 7.0 / 2 + 0.5, 3, 0}));  // 4 / (2 * 4)
  EXPECT_EQ(report.value, 4);
  EXPECT_EQ(report.devices[DeviceId(1)].original, DeviceId(0));
  EXPECT_EQ(report.devices[DeviceId(1)].sharing, 2u);
  EXPECT_EQ(report.devices[DeviceId(1)].memory, 4);
  EXPECT_EQ(report.devices[DeviceId(1)].node_count, 0u);
  EXPECT_EQ(report.order, (Devices{DeviceId(0), DeviceId(2)}));
  EXPECT_EQ(report.bottleneck, DeviceId(0));
  problem.transfers = TransferMode::Overlap;
  problem.workload.change().platform.sync_bandwidth = 0.5;
  report = check(problem, split);
  EXPECT_EQ(loads(report), (std::vector<double>{4, 4, 2, 0}));  // 4 / (2 * 0.5) beside 6 / 2
}

TEST(Copies, OfABackwardPassExchangeInIt) {
  Problem problem = problem_of(graph_from_text("a 6 6 mem=4 colour=1; A 8 8 back colour=1; b 5 5; a -> b; a -> A", 3),
                               Shape::Staged, Objective::GPipe);
  weights_are_memory(problem);
  problem.replicas = 2;
  problem.workload.change().platform.sync_bandwidth = 2;
  Split split = split_from_text(problem.workload, "a A | | b");
  split.copy_of = copies({0, 0, 2, 3});
  EXPECT_EQ(check(problem, split).value, 5 + (8.0 / 2 + 1));
  problem.transfers = TransferMode::Duplex;
  problem.workload.change().platform.sync_bandwidth = 0.2;
  EXPECT_EQ(check(problem, split).value, 5 + 10);
}

TEST(Copies, ThatMakeNoSenseAreNamed) {
  const Problem problem = with_copies(3, 2);
  EXPECT_EQ(faults(problem, "a | | b", copies({0, 0})),
            Messages{"the list of who copies what has 2 entries, but the platform has 4 devices"});
  EXPECT_EQ(faults(problem, "a | | b", copies({0, 9, 2, 3})),
            Messages{"accelerator 1 copies device 9, but the platform has only 4 devices, numbered from 0"});
  EXPECT_EQ(faults(problem, "a | | b", copies({2, 1, 2, 3})),
            Messages{"accelerator 0 copies accelerator 2, but has nodes of its own"});
  EXPECT_EQ(faults(problem, "a b", copies({0, 2, 0, 3})),
            Messages{"accelerator 1 copies accelerator 2, which is a copy itself"});
  EXPECT_EQ(faults(problem, "a b", copies({0, 2, 2, 3})),
            Messages{"accelerator 1 copies accelerator 2, which has no nodes"});
  EXPECT_EQ(faults(problem, "a b", copies({0, 1, 2, 0})),
            Messages{"host 0 copies accelerator 0, which is of another class"});
  EXPECT_EQ(faults(problem, "a b", copies({0, 0, 0, 3})),
            Messages{"accelerator 0 and its copies are 3, but at most 2 may share a stage"});
  Problem free = problem;
  free.shape = Shape::Free;
  EXPECT_EQ(faults(free, "a b", copies({0, 0, 2, 3})),
            Messages{"the split has copies, which only staged splits for throughput may have"});
}

TEST(Copies, InAListing) {
  const Problem problem = with_copies(2, 2);
  SplitListing listing;
  listing.devices.resize(3);
  listing.devices[0].node_ids = {1, 2};
  listing.devices[1].copy_of = 0;
  listing.devices[2].kind = DeviceKind::Host;
  EXPECT_TRUE(check(problem, listing).legal());
  EXPECT_EQ(check(problem, listing).value, 8.0 / 2 + 6);
  listing.devices[1].copy_of = 7;
  EXPECT_EQ(messages(check(problem, listing), Kind::Copies),
            Messages{"accelerator 1 copies entry 7 of the split's devices, which is no device of the platform"});
  listing.devices[1].copy_of = 0;
  listing.devices.push_back(listing.devices[1]);
  EXPECT_EQ(messages(check(problem, listing), Kind::Copies),
            Messages{"entry 3 of the split's devices is a copy, but the platform has no such device"});
  listing.devices.pop_back();
  listing.devices[1].recomputes = true;
  EXPECT_EQ(messages(check(problem, listing), Kind::Recompute),
            Messages{"accelerator 1 recomputes activations, which the question does not allow"});
}

// Clusters of two accelerators each, three of them equal and one with other links.
Problem with_clusters(int replicas) {
  Problem problem = with_copies(8, replicas, 2);
  const Cluster equal = cluster_of(0.5, {2, 0});
  problem.workload.change().platform.clusters = cluster_of(4, {0, 1}, {equal, equal, equal, cluster_of(1, {2, 0})});
  return problem;
}

TEST(Copies, OfWholeClusters) {
  const Problem problem = with_clusters(3);
  Split split = split_from_text(problem.workload, "a | b");
  split.copy_of = copies({0, 1, 0, 1, 0, 1, 6, 7, 8});
  const CheckReport report = check(problem, split);
  EXPECT_TRUE(report.legal());
  // Three clusters with weights of 12, over links with the factor 4.
  const double sync = 4.0 * 2 * 12 / (3 * 2);
  EXPECT_DOUBLE_EQ(report.load[DeviceId(0)], 6.5 / 3 + sync);
  EXPECT_DOUBLE_EQ(report.load[DeviceId(5)], 2.5 / 3 + sync);
  EXPECT_EQ(report.devices[DeviceId(3)].sharing, 3u);
}

TEST(Copies, OfClustersWithCopiesInside) {
  const Problem problem = with_clusters(2);
  Split split = split_from_text(problem.workload, "a b");
  split.copy_of = copies({0, 0, 0, 0, 4, 5, 6, 7, 8});
  const CheckReport report = check(problem, split);
  EXPECT_TRUE(report.legal());
  const double inside = 0.5 * 12 / (2 * 2);
  const double around = 4.0 * 12 / (2 * 2);
  EXPECT_DOUBLE_EQ(report.load[DeviceId(0)], (8.0 / 2 + inside) / 2 + around);
  EXPECT_EQ(report.load[DeviceId(3)], report.load[DeviceId(0)]);
  EXPECT_EQ(report.devices[DeviceId(3)].sharing, 4u);
}

TEST(Copies, StandOnlyWhereTheyMay) {
  const Problem problem = with_clusters(3);
  EXPECT_EQ(
      faults(problem, "a | b", copies({0, 1, 2, 1, 4, 5, 6, 7, 8})),
      Messages{"accelerator 3 copies accelerator 1, but accelerator 2 does not run what accelerator 0, in the same "
               "place, does"});
  EXPECT_EQ(
      faults(problem, "a | b", copies({0, 1, 2, 3, 4, 5, 0, 1, 8})),
      Messages{"accelerator 6 copies accelerator 0, but the cluster of accelerator 6 is not equal to the cluster of "
               "accelerator 0"});
  EXPECT_EQ(faults(problem, "a | b", copies({0, 1, 1, 0, 4, 5, 6, 7, 8})).size(), 1u);
  EXPECT_EQ(faults(with_clusters(2), "a | b", copies({0, 1, 0, 1, 0, 1, 6, 7, 8})),
            Messages{"the cluster of accelerator 0 and its copies are 3, but at most 2 may share a stage"});
  Problem beside = problem;
  beside.workload.change().platform.clusters = cluster_of(1, {4, 1}, {cluster_of(1, {4, 0})});
  EXPECT_EQ(faults(beside, "| | | | a b", copies({4, 1, 2, 3, 4, 5, 6, 7, 8})),
            Messages{"accelerator 0 copies accelerator 4, which is not beside it in the same cluster"});
  EXPECT_EQ(
      faults(beside, "a b", copies({0, 1, 2, 3, 0, 5, 6, 7, 8})),
      Messages{"accelerator 4 copies accelerator 0, which is not beside it in the same cluster, nor in one that its "
               "own could be a copy of"});
}

}  // namespace
}  // namespace partita::detail
