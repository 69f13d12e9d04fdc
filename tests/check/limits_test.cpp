// SPDX-License-Identifier: Apache-2.0
// What a device may hold, and splits that do not match the graph.
#include <gtest/gtest.h>

#include <limits>

#include "tests/check/check_fixture.h"

namespace partita::detail {
namespace {

using Kind = Violation::Kind;

TEST(Limits, MemoryNamesUseLimitAndExcess) {
  const Problem problem = problem_of(graph_from_text("a 1 1 mem=1536; b 1 1 mem=1024; c 1 1 mem=2048", 2, 2048));
  EXPECT_TRUE(check_text(problem, "a | c | b").legal());
  const CheckReport report = check_text(problem, "a b | c");
  EXPECT_EQ(
      messages(report, Kind::Memory),
      Messages{
          "accelerator 0 holds 2.5 KiB (2560 bytes), over its limit of 2.0 KiB (2048 bytes) by 512 B (512 bytes)"});
  EXPECT_EQ(report.violations.size(), 1u);
}

TEST(Limits, MemoryIsComparedExactly) {
  const Problem over = problem_of(graph_from_text("a 1 1 mem=17179869184; b 1 1 mem=1", 1, 17179869184));
  EXPECT_TRUE(check_text(over, "a | b").legal());
  EXPECT_EQ(messages(check_text(over, "a b"), Kind::Memory).size(), 1u);
  const Problem tight = problem_of(graph_from_text("a 1 1 mem=1000000; b 1 1 mem=1", 1, 1000000));
  EXPECT_EQ(messages(check_text(tight, "a b"), Kind::Memory).size(), 1u);
}

TEST(Limits, HostsHaveALimitOnlyIfStated) {
  Workload workload = graph_from_text("a 1 1 mem=100", 1, 10);
  EXPECT_TRUE(check_text(problem_of(workload), "| a").legal());
  workload.platform.classes[ClassId(1)].memory = 99;
  EXPECT_EQ(messages(check_text(problem_of(workload), "| a"), Kind::Memory).size(), 1u);
}

TEST(Limits, ColoursSayWhichNodesAreWhere) {
  const Problem problem =
      problem_of(graph_from_text("a 1 1 colour=7 id=10; b 1 1 colour=7 id=20; c 1 1 colour=8; d 1 1 colour=8"));
  EXPECT_TRUE(check_text(problem, "a b | c d").legal());
  const CheckReport report = check_text(problem, "a c | b | d");
  EXPECT_EQ(messages(report, Kind::Colour),
            (Messages{"colour class 7 is spread over 2 devices: accelerator 0 holds 10 (a); accelerator 1 holds 20 (b)",
                      "colour class 8 is spread over 2 devices: accelerator 0 holds 3 (c); host 0 holds 4 (d)"}));
}

TEST(Limits, ColoursBindForwardAndBackwardNodes) {
  const Problem problem = problem_of(graph_from_text("a 1 1 colour=7; A 1 1 colour=7 back; a -> A"), Shape::Free);
  EXPECT_EQ(messages(check_text(problem, "a | A"), Kind::Colour).size(), 1u);
}

TEST(Limits, SupportNamesTheNodesAndLeavesTheirTimeOut) {
  const Problem problem = problem_of(graph_from_text("a - 5; b 2 2; c - 5; d 3 -"));
  const CheckReport report = check_text(problem, "a b c | | d");
  EXPECT_EQ(messages(report, Kind::Support), (Messages{"accelerator 0 cannot run 2 of its nodes: 1 (a), 3 (c)",
                                                       "host 0 cannot run 1 of its nodes: 4 (d)"}));
  EXPECT_DOUBLE_EQ(report.value, 2);
}

TEST(Limits, EveryViolationIsNamedNotOnlyTheFirst) {
  const Problem problem = problem_of(
      graph_from_text("a 1 1 mem=9 colour=1; b - 1 mem=9 colour=1; c 1 1; d 1 1; a -> b -> c; d -> a : 1", 2, 5));
  const CheckReport report = check_text(problem, "a c | b");
  EXPECT_EQ(messages(report, Kind::MissingNode), Messages{"1 of the graph's nodes is on no device: 4 (d)"});
  EXPECT_EQ(messages(report, Kind::Memory).size(), 2u);
  EXPECT_EQ(messages(report, Kind::Colour).size(), 1u);
  EXPECT_EQ(messages(report, Kind::Support).size(), 1u);
  EXPECT_EQ(messages(report, Kind::Shape).size(), 1u);
  EXPECT_DOUBLE_EQ(report.value, 2);  // the edge from d counts for nothing, as d is nowhere
}

TEST(Placement, ASplitOnDevicesThatDoNotExist) {
  const Problem problem = problem_of(graph_from_text("a 1 1; b 1 1"));
  const CheckReport report = check_text(problem, "a | | | b");
  EXPECT_EQ(messages(report, Kind::TooManyDevices),
            Messages{"the split puts 1 node on device 3, but the platform has only 3 devices, numbered from 0: 2 (b)"});
  EXPECT_TRUE(messages(report, Kind::MissingNode).empty());
}

TEST(Placement, ASplitOfAnotherSize) {
  const Problem problem = problem_of(graph_from_text("a 1 1; b 1 1"));
  EXPECT_EQ(messages(check(problem, Split{}), Kind::MissingNode),
            Messages{"2 of the graph's nodes are on no device: 1 (a), 2 (b)"});
}

SplitListing listing_of(std::vector<std::vector<std::int64_t>> accelerators,
                        std::vector<std::vector<std::int64_t>> hosts = {}) {
  SplitListing listing;
  for (auto& nodes : accelerators) listing.devices.push_back({DeviceKind::Accelerator, "", nodes});
  for (auto& nodes : hosts) listing.devices.push_back({DeviceKind::Host, "", nodes});
  return listing;
}

TEST(Listing, MatchesOriginalIdsAndKinds) {
  const Problem problem = problem_of(graph_from_text("a 1 10 id=100; b 2 20 id=-5; c 3 30 id=7"));
  SplitListing listing = listing_of({{100}}, {{7}});
  listing.devices.push_back({DeviceKind::Accelerator, "", {-5}});  // after the host, yet accelerator 1
  const CheckReport report = check(problem, listing);
  EXPECT_TRUE(report.legal());
  EXPECT_DOUBLE_EQ(report.load[DeviceId(0)], 1);
  EXPECT_DOUBLE_EQ(report.load[DeviceId(1)], 2);
  EXPECT_DOUBLE_EQ(report.load[DeviceId(2)], 30);
}

TEST(Listing, NamesUnknownDuplicateAndMissingNodes) {
  const Problem problem = problem_of(graph_from_text("a 1 1; b 1 1; c 1 1; d 1 1"));
  const CheckReport report = check(problem, listing_of({{1, 2, 99, 2}, {2, 98}}, {{1}}));
  EXPECT_EQ(messages(report, Kind::UnknownNode),
            Messages{"the split lists 2 ids that the graph does not have: 99, 98"});
  EXPECT_EQ(messages(report, Kind::DuplicateNode), Messages{"the split lists 2 nodes more than once: 2 (b), 1 (a)"});
  EXPECT_EQ(messages(report, Kind::MissingNode), Messages{"2 of the graph's nodes are on no device: 3 (c), 4 (d)"});
  EXPECT_DOUBLE_EQ(report.value, 2);  // the first device that lists a node keeps it
}

TEST(Listing, LongListsAreCutShort) {
  const Problem problem = problem_of(graph_from_text("a 1 1"));
  const CheckReport report = check(problem, listing_of({{1, 11, 12, 13, 14, 15, 16, 17, 18, 19}}));
  EXPECT_EQ(messages(report, Kind::UnknownNode),
            Messages{"the split lists 9 ids that the graph does not have: 11, 12, 13, 14, 15, 16 and 3 more"});
}

TEST(Listing, TooManyDevicesOnlyIfTheyHoldSomething) {
  const Problem problem = problem_of(graph_from_text("a 1 1; b 1 1", 1, kUnlimited, 0));
  EXPECT_TRUE(check(problem, listing_of({{1, 2}, {}, {}}, {{}})).legal());
  const CheckReport report = check(problem, listing_of({{}, {1}}, {{2}}));
  EXPECT_EQ(messages(report, Kind::TooManyDevices),
            (Messages{"the split puts nodes on accelerator 1, but the platform has only 1 accelerator, numbered from 0",
                      "the split puts nodes on host 0, but the platform has none"}));
  EXPECT_TRUE(messages(report, Kind::MissingNode).empty());
}

TEST(Listing, TheClaimedValueMustBeTheRecomputedOne) {
  const Problem problem = problem_of(graph_from_text("a 3 1"));
  SplitListing listing = listing_of({{1}});
  EXPECT_TRUE(check(problem, listing).legal());
  listing.claimed_value = 3 * (1 + 0.9e-6);
  EXPECT_TRUE(check(problem, listing).legal());
  listing.claimed_value = 2.5;
  EXPECT_EQ(messages(check(problem, listing), Kind::Value),
            Messages{"the split claims the value 2.5, but its max-load is 3"});
  listing.claimed_value = 3 * (1 + 1.1e-6);
  EXPECT_EQ(messages(check(problem, listing), Kind::Value).size(), 1u);
  for (double odd : {0.0, -3.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    listing.claimed_value = odd;
    EXPECT_EQ(messages(check(problem, listing), Kind::Value).size(), 1u) << odd;
  }
  listing.claimed_value.reset();
  EXPECT_TRUE(check(problem, listing).legal());
}

TEST(Listing, NamesStayOnOneLine) {
  Workload workload = graph_from_text("a 1 1 colour=1; b 1 1 colour=1");
  workload.graph.nodes[NodeId(0)].name = "two\nlines";
  workload.graph.nodes[NodeId(1)].name = std::string(200, 'x');
  const Messages found = messages(check_text(problem_of(workload), ""), Kind::MissingNode);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0], "2 of the graph's nodes are on no device: 1 (two\\nlines), 2 (" + std::string(48, 'x') + "...)");
}

}  // namespace
}  // namespace partita::detail
