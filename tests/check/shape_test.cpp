// SPDX-License-Identifier: Apache-2.0
// Staged and contiguous, forward and backward, and the order of a pipeline.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/check/check_fixture.h"

namespace partita::detail {
namespace {

constexpr DeviceId kFirstOfTwo(0);
constexpr DeviceId kSecondOfTwo(1);
constexpr DeviceId kThird(2);

Messages shape_messages(const Problem& problem, std::string_view split) {
  return messages(check_text(problem, split), Violation::Kind::Shape);
}

TEST(Staged, NamesTheCircleWithAnEdgeForEachStep) {
  const Problem problem = problem_of(graph_from_text("a 1 1; b 1 1; c 1 1; a -> b -> c"));
  EXPECT_EQ(
      shape_messages(problem, "a c | b"),
      Messages{
          "not staged: the devices would have to come before each other: accelerator 0 before accelerator 1 (by edge 1 "
          "(a) -> 2 (b)), accelerator 1 before accelerator 0 (by edge 2 (b) -> 3 (c))"});
  EXPECT_TRUE(check_text(problem, "a c | b").order.empty());
  EXPECT_TRUE(check_text(problem, "a | b c").legal());
}

TEST(Staged, TwoContiguousSetsThatNeedEachOtherAreNotStaged) {
  Problem problem = problem_of(graph_from_text("a 1 1; b 1 1; c 1 1; d 1 1; a -> b; c -> d"));
  EXPECT_EQ(shape_messages(problem, "a d | b c").size(), 1u);
  problem.shape = Shape::Contiguous;
  EXPECT_TRUE(check_text(problem, "a d | b c").legal());
}

TEST(Staged, HostsAreStagesToo) {
  const Problem problem = problem_of(graph_from_text("a 1 1; b 1 1; c 1 1; a -> b -> c"));
  const CheckReport report = check_text(problem, "c | a | b");
  EXPECT_TRUE(report.legal());
  EXPECT_EQ(report.order, (Devices{kSecondOfTwo, kThird, kFirstOfTwo}));
  EXPECT_EQ(shape_messages(problem, "b | | a c").size(), 1u);
}

TEST(Staged, ALongCircleIsFound) {
  // a1 -> b2, b1 -> c2, c1 -> a2: each device must come before the next, all the way round.
  const Problem problem =
      problem_of(graph_from_text("a1 1 1; a2 1 1; b1 1 1; b2 1 1; c1 1 1; c2 1 1; a1 -> b2; b1 -> c2; c1 -> a2", 5));
  const Messages found = shape_messages(problem, "a1 a2 | | b1 b2 | c1 c2");
  ASSERT_EQ(found.size(), 1u);
  for (const char* step : {"accelerator 0 before accelerator 2 (by edge 1 (a1) -> 4 (b2))",
                           "accelerator 2 before accelerator 3 (by edge 3 (b1) -> 6 (c2))",
                           "accelerator 3 before accelerator 0 (by edge 5 (c1) -> 2 (a2))"}) {
    EXPECT_NE(found[0].find(step), std::string::npos) << found[0];
  }
}

TEST(Staged, KeepsTheSplitsOwnOrderWhereItIsOne) {
  const Problem problem = problem_of(graph_from_text("a 1 1; b 1 1; c 1 1; a -> c; b -> c"));
  Split split = split_from_text(problem.workload, "a | b | c");
  EXPECT_EQ(check(problem, split).order, (Devices{kFirstOfTwo, kSecondOfTwo, kThird}));
  split.order = {kSecondOfTwo, kFirstOfTwo, kThird};
  EXPECT_EQ(check(problem, split).order, split.order);
  for (const Devices& wrong : {Devices{kThird, kFirstOfTwo, kSecondOfTwo}, Devices{kFirstOfTwo, kThird},
                               Devices{kFirstOfTwo, kFirstOfTwo, kThird},
                               Devices{kFirstOfTwo, kSecondOfTwo, kThird, DeviceId(9)}, Devices{DeviceId()}}) {
    split.order = wrong;
    const CheckReport report = check(problem, split);
    EXPECT_TRUE(report.legal());
    EXPECT_EQ(report.order, (Devices{kFirstOfTwo, kSecondOfTwo, kThird}));
  }
}

TEST(Staged, AnOrderMayNameEmptyDevices) {
  const Problem problem = problem_of(graph_from_text("a 1 1; b 1 1"));
  Split split = split_from_text(problem.workload, "a | | b");
  split.order = {kThird, kSecondOfTwo, kFirstOfTwo};
  EXPECT_EQ(check(problem, split).order, (Devices{kThird, kFirstOfTwo}));
}

TEST(Staged, KeepsTheOrderOfAListing) {
  const Problem problem = problem_of(graph_from_text("a 1 1; b 1 1; c 1 1; a -> c"));
  SplitListing listing;
  listing.devices = {
      {DeviceKind::Host, "", {3}}, {DeviceKind::Accelerator, "", {1}}, {DeviceKind::Accelerator, "", {2}}};
  listing.order = {2, 1, 0};
  EXPECT_EQ(check(problem, listing).order, (Devices{kSecondOfTwo, kFirstOfTwo, kThird}));
  listing.order = {7};
  EXPECT_EQ(check(problem, listing).order, (Devices{kFirstOfTwo, kSecondOfTwo, kThird}));
}

// Forward a -> b, so device 0 comes before device 1; backward X -> Y as the test colours them.
Problem with_backward_edge(const std::string& colour_x, const std::string& colour_y) {
  return problem_of(graph_from_text(fmt::format(
      "a 1 1 colour=1; b 1 1 colour=2; X 1 1 back {}; Y 1 1 back {}; a -> b; b -> X; X -> Y", colour_x, colour_y)));
}

TEST(Staged, BackwardEdgesOfOrphansAreMirrored) {
  for (const auto& [x, y] : {std::pair{"", ""}, std::pair{"colour=3", "colour=4"}}) {
    const Problem problem = with_backward_edge(x, y);
    EXPECT_TRUE(check_text(problem, "a Y | b X").legal());
    const Messages found = shape_messages(problem, "a X | b Y");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NE(found[0].find("accelerator 1 before accelerator 0 (by backward edge 3 (X) -> 4 (Y), mirrored)"),
              std::string::npos)
        << found[0];
  }
}

TEST(Staged, OneOrphanEndIsEnough) {
  EXPECT_EQ(shape_messages(with_backward_edge("colour=1", ""), "a X | b Y").size(), 1u);
  EXPECT_EQ(shape_messages(with_backward_edge("", "colour=2"), "a X | b Y").size(), 1u);
}

TEST(Staged, BackwardEdgesBetweenPartnersOnlyCountWhenAsked) {
  Problem problem = with_backward_edge("colour=1", "colour=2");
  EXPECT_TRUE(check_text(problem, "a X | b Y").legal());
  problem.backward_shape = true;
  EXPECT_EQ(shape_messages(problem, "a X | b Y").size(), 1u);
  Problem mirrored = with_backward_edge("colour=2", "colour=1");
  mirrored.backward_shape = true;
  EXPECT_TRUE(check_text(mirrored, "a Y | b X").legal());
}

TEST(Staged, EdgesFromForwardToBackwardDoNotCount) {
  Problem problem = problem_of(graph_from_text("a 1 1; b 1 1; X 1 1 back; a -> b; b -> X; a -> X"));
  problem.backward_shape = true;
  EXPECT_TRUE(check_text(problem, "a X | b").legal());
}

TEST(Staged, TheOrderTakesMirroredEdgesBackward) {
  const Problem problem = problem_of(graph_from_text("a 1 1; X 1 1 back; Y 1 1 back; X -> Y", 3));
  EXPECT_EQ(check_text(problem, "X | Y | a").order, (Devices{kSecondOfTwo, kFirstOfTwo, kThird}));
}

TEST(Contiguous, PrintsThePath) {
  const Problem problem =
      problem_of(graph_from_text("a 1 1 id=5; b 1 1; c 1 1; d 1 1; a -> b -> c -> d; a -> d"), Shape::Contiguous);
  EXPECT_EQ(shape_messages(problem, "a d | b | c"),
            Messages{"accelerator 0 is not contiguous: a path leaves it and comes back: 5 (a) "
                     "-> 2 (b) on accelerator 1 -> 3 (c) on host 0 -> 4 (d)"});
  EXPECT_TRUE(check_text(problem, "a | b c d").legal());
  EXPECT_TRUE(check_text(problem, "a d | b | c").order.empty());
}

TEST(Contiguous, EachDeviceIsNamed) {
  const Problem problem =
      problem_of(graph_from_text("a 1 1; b 1 1; c 1 1; d 1 1; a -> b -> c -> d"), Shape::Contiguous);
  EXPECT_EQ(shape_messages(problem, "a c | b d").size(), 2u);
}

TEST(Contiguous, LongPathsAreCutShort) {
  std::string text = "n0 1 1;";
  std::string chain = "n0";
  std::string middle;
  for (int i = 1; i <= 12; ++i) {
    text += fmt::format("n{} 1 1;", i);
    chain += fmt::format(" -> n{}", i);
    if (i < 12) middle += fmt::format(" n{}", i);
  }
  const Problem problem = problem_of(graph_from_text(text + chain), Shape::Contiguous);
  const Messages found = shape_messages(problem, "n0 n12 |" + middle);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].find("5 (n4) on accelerator 1 -> ... (5 more) ... -> 11 (n10) on accelerator 1"),
            std::string::npos)
      << found[0];
  EXPECT_NE(found[0].find("-> 13 (n12)"), std::string::npos) << found[0];
}

TEST(Contiguous, AsksTheForwardPartAndTheBackwardPartIfTold) {
  Problem problem = problem_of(
      graph_from_text("a 1 1; b 1 1; X 1 1 back; Y 1 1 back; Z 1 1 back; a -> b -> X -> Y -> Z"), Shape::Contiguous);
  // Forward: fine. Through both passes device 0 is left and entered again; backward alone it is too.
  EXPECT_TRUE(check_text(problem, "a X Z | b Y").legal());
  problem.backward_shape = true;
  EXPECT_EQ(shape_messages(problem, "a X Z | b Y"),
            Messages{"accelerator 0 is not contiguous in its backward part: a path leaves it and "
                     "comes back: 3 (X) -> 4 (Y) on accelerator 1 -> 5 (Z)"});
  EXPECT_TRUE(check_text(problem, "a X Y Z | b").legal());
}

TEST(Free, AsksForNothing) {
  const Problem problem = problem_of(graph_from_text("a 1 1; b 1 1; c 1 1; d 1 1; a -> b -> c -> d"), Shape::Free);
  EXPECT_TRUE(check_text(problem, "a c | b d").legal());
}

}  // namespace
}  // namespace partita::detail
