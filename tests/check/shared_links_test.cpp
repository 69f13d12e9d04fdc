// SPDX-License-Identifier: Apache-2.0
#include "partita/check/shared_links.h"

#include <gtest/gtest.h>

#include "partita/check/describe.h"
#include "partita/check/narrow_table.h"
#include "partita/check/warnings.h"
#include "tests/check/setup_fixture.h"

namespace partita::detail {
namespace {

constexpr const char* kChain = "a 10 10 out=3; b 10 10 out=5; c 10 10; a -> b; b -> c";

Problem chain_behind(const SharedLink& link, int accelerators = 3, int hosts = 1) {
  Problem problem = problem_of(graph_from_text(kChain, accelerators, kUnlimited, hosts));
  problem.workload.change().platform.shared_links = {link};
  return problem;
}

TEST(SharedLinks, AddUpWhatAllBehindThemMove) {
  const Problem problem = chain_behind({"switch", {1, 0}, {}, 0});
  const CheckReport report = check_text(problem, "a | b | c");
  ASSERT_EQ(report.shared_links.size(), 1u);
  EXPECT_EQ(report.shared_links[0].name, "switch");
  EXPECT_EQ(report.shared_links[0].forward.in, 3 + 5);
  EXPECT_EQ(report.shared_links[0].forward.out, 3 + 5);
  EXPECT_EQ(report.shared_links[0].load, 16);
  EXPECT_EQ(report.value, 18);  // b: 10 + 3 + 5
  EXPECT_FALSE(report.slowest_link);
  EXPECT_TRUE(report.is_bottleneck(DeviceId(1)));
}

TEST(SharedLinks, AreTheBottleneckWhereTheyAreSlower) {
  const Problem problem = chain_behind({"switch", {0.5, 4}, {}, 0});
  const CheckReport report = check_text(problem, "a | b | c");
  EXPECT_EQ(report.value, 2 * (0.5 * 3 + 4) + 2 * (0.5 * 5 + 4));
  ASSERT_TRUE(report.slowest_link);
  EXPECT_EQ(*report.slowest_link, 0u);
  EXPECT_EQ(report.bottleneck, DeviceId(1));  // of the devices
  EXPECT_FALSE(report.is_bottleneck(DeviceId(1)));
  EXPECT_NE(slowest_link_text(problem, report).find("the shared link switch is the bottleneck"), std::string::npos);
}

TEST(SharedLinks, StandInTheTableLikeDevices) {
  const Problem problem = chain_behind({"switch", {2, 0}, {}, 0});
  const std::string table = describe_table(problem, check_text(problem, "a | b | c"), kAnyWidth);
  EXPECT_NE(table.find("switch"), std::string::npos) << table;
  EXPECT_NE(table.find("32"), std::string::npos) << table;
  EXPECT_EQ(table.find("bottleneck"), table.rfind("bottleneck")) << table;
  EXPECT_GT(table.find("bottleneck"), table.find("switch")) << table;
}

TEST(SharedLinks, HostsAreBehindNone) {
  const Problem problem = chain_behind({"switch", {1, 0}, {ClassId(0)}, 0});
  const CheckReport report = check_text(problem, "b | | | a c");
  EXPECT_EQ(report.shared_links[0].load, 3 + 5);  // what b reads and writes
}

TEST(SharedLinks, WhatCostsNothingDoesNotMove) {
  Problem problem = problem_of(graph_from_text("a 1 1; b 1 1; a -> b", 2));
  problem.workload.change().platform.shared_links = {{"switch", {1, 7}, {}, 0}};
  EXPECT_EQ(check_text(problem, "a | b").shared_links[0].load, 0);
}

TEST(SharedLinks, WithDuplexTransfersHaveTwoDirections) {
  Problem problem = chain_behind({"switch", {1, 0}, {ClassId(0)}, 0});
  problem.transfers = TransferMode::Duplex;
  EXPECT_EQ(check_text(problem, "a | b | c").shared_links[0].load, 8);
  problem.transfers = TransferMode::Overlap;
  EXPECT_EQ(check_text(problem, "a | b | c").shared_links[0].load, 16);
}

TEST(SharedLinks, CountPassByPassForGpipe) {
  Problem problem =
      problem_of(graph_from_text("a 1 1 out=3; b 1 1 out=5; c 1 1 back out=7; d 1 1 back; a -> b; b -> c; c -> d", 2),
                 Shape::Free, Objective::GPipe);
  problem.workload.change().platform.shared_links = {{"switch", {10, 0}, {}, 0}};
  const CheckReport report = check_text(problem, "a d | b c");
  EXPECT_EQ(report.value, 60 + 140);
  EXPECT_EQ(report.shared_links[0].forward.in, 30);
  EXPECT_EQ(report.shared_links[0].backward.out, 70);
}

// Two clusters of a fast and a slow device, and a fast one outside of both.
Problem in_two_clusters(const SharedLink& link) {
  Platform platform;
  platform.classes.push_back({"fast", DeviceKind::Accelerator, 3});
  platform.classes.push_back({"slow", DeviceKind::Accelerator, 2});
  const Cluster inside = cluster_of(1, {1, 1});
  platform.clusters = cluster_of(1, {1, 0}, {inside, inside});
  platform.shared_links = {link};
  // a is read beside it and in the other cluster, b in the other cluster and outside of both.
  return problem_of(graph_from_text("a 1 1 out=3; b 1 1 out=5; c 1 1; d 1 1; a -> b c; b -> c d", platform),
                    Shape::Free);
}

TEST(SharedLinks, OfALevelCountWhatCrossesBorders) {
  const Problem problem = in_two_clusters({"card", {1, 0}, {}, 1});
  // a on fast 1 and b on slow 0, in one cluster; c on fast 2 in the other; d on fast 0.
  const CheckReport report = check_text(problem, "d | a | c | b");
  ASSERT_EQ(report.shared_links.size(), 2u);
  EXPECT_EQ(report.shared_links[0].name, "card of the cluster of fast 1");
  EXPECT_EQ(report.shared_links[0].forward.out, 3 + 5);  // each once, however many read it
  EXPECT_EQ(report.shared_links[0].forward.in, 0);       // a to b stays inside
  EXPECT_EQ(report.shared_links[1].name, "card of the cluster of fast 2");
  EXPECT_EQ(report.shared_links[1].forward.in, 3 + 5);
  EXPECT_EQ(report.shared_links[1].forward.out, 0);
}

TEST(SharedLinks, OfALevelMayBeThoseOfOneClass) {
  const Problem problem = in_two_clusters({"card", {1, 0}, {ClassId(1)}, 1});
  const CheckReport report = check_text(problem, "d | a | c | b");
  ASSERT_EQ(report.shared_links.size(), 2u);
  EXPECT_EQ(report.shared_links[0].load, 5);  // what b writes
  EXPECT_EQ(report.shared_links[1].load, 0);
}

TEST(SharedLinks, CopiesCountWithTheirShare) {
  Problem problem = chain_behind({"switch", {1, 0}, {}, 0}, 4);
  problem.replicas = 2;
  Split split = split_from_text(problem.workload, "a | b | | c");
  split.copy_of = copies({0, 1, 1, 3, 4});
  const CheckReport report = check(problem, split);
  EXPECT_TRUE(report.legal());
  EXPECT_EQ(report.load[DeviceId(1)], (10 + 3 + 5) / 2.0);
  EXPECT_EQ(report.shared_links[0].load, 16);
}

TEST(SharedLinks, AreNotMindedForLatencyWhichAWarningSays) {
  Problem problem = chain_behind({"switch", {100, 0}, {}, 0});
  EXPECT_TRUE(warnings(problem, {}).empty());
  problem.objective = Objective::Latency;
  const CheckReport report = check_text(problem, "a | b | c");
  EXPECT_TRUE(report.shared_links.empty());
  EXPECT_EQ(report.value, 30 + 16);
  const std::vector<std::string> lines = warnings(problem, report);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("does not mind shared links (switch)"), std::string::npos);
}

}  // namespace
}  // namespace partita::detail
