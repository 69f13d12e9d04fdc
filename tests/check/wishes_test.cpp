// SPDX-License-Identifier: Apache-2.0
// Wishes that a split breaks, by hand.
#include <gtest/gtest.h>

#include "tests/check/check_fixture.h"

namespace partita::detail {
namespace {

using Kind = Violation::Kind;

class CheckWishes : public testing::Test {
 protected:
  NodeId node(const char* name) const { return node_named(problem.workload, name); }

  Problem problem =
      problem_of(graph_from_text("a 1 1; b 1 1; c 1 1; d 1 1; a -> b -> c -> d", 2, kUnlimited, 1), Shape::Free);
};

TEST_F(CheckWishes, NoneAreKeptByAll) { EXPECT_TRUE(check_text(problem, "a b c d").legal()); }

TEST_F(CheckWishes, PinToADevice) {
  problem.wishes.pins = {{node("a"), DeviceId(1)}, {node("b"), DeviceId(1)}};
  EXPECT_TRUE(check_text(problem, "c d | a b").legal());
  const CheckReport report = check_text(problem, "a b | c d");
  EXPECT_EQ(messages(report, Kind::Pin), Messages{"accelerator 0 holds 2 nodes pinned to accelerator 1: 1 (a), 2 (b)"});
  EXPECT_EQ(report.violations.size(), 1u);
}

TEST_F(CheckWishes, PinToAClass) {
  problem.wishes.pins = {{node("c"), ClassId(1)}};
  EXPECT_TRUE(check_text(problem, "a b | d | c").legal());
  EXPECT_EQ(messages(check_text(problem, "a b | c d"), Kind::Pin),
            Messages{"accelerator 1 holds 1 node pinned to class host: 3 (c)"});
}

TEST_F(CheckWishes, Together) {
  problem.wishes.together = {{node("a"), node("c"), node("a")}};
  EXPECT_TRUE(check_text(problem, "a c | b d").legal());
  EXPECT_EQ(
      messages(check_text(problem, "a b | c d"), Kind::Together),
      Messages{"nodes that are to be together are on 2 devices: accelerator 0 holds 1 (a); accelerator 1 holds 3 (c)"});
}

TEST_F(CheckWishes, ApartOfOnesElfIsNoWish) {
  problem.wishes.apart = {{node("a"), node("a")}};
  EXPECT_TRUE(check_text(problem, "a b c d").legal());
}

TEST_F(CheckWishes, Apart) {
  problem.wishes.apart = {{node("a"), node("b"), node("c")}};
  EXPECT_TRUE(check_text(problem, "a d | b | c").legal());
  EXPECT_EQ(messages(check_text(problem, "a c | b d"), Kind::Apart),
            Messages{"accelerator 0 holds 2 nodes that are to be apart: 1 (a), 3 (c)"});
}

TEST_F(CheckWishes, NodesOnNoDeviceBreakNone) {
  problem.wishes.pins = {{node("a"), DeviceId(1)}};
  problem.wishes.together = {{node("a"), node("b")}};
  EXPECT_EQ(check_text(problem, "b c d").violations.size(), 1u);  // a is missing
}

TEST_F(CheckWishes, APinnedNodeHasNoCopies) {
  problem.shape = Shape::Staged;
  problem.replicas = 2;
  Split split = split_from_text(problem.workload, "a b c d");
  split.copy_of = {DeviceId(0), DeviceId(0), DeviceId(2)};
  EXPECT_TRUE(check(problem, split).legal());
  problem.wishes.pins = {{node("a"), DeviceId(0)}};
  EXPECT_EQ(messages(check(problem, split), Kind::Pin),
            Messages{"accelerator 1 runs a copy of 1 node pinned to accelerator 0 alone: 1 (a)"});
  problem.wishes.pins = {{node("a"), ClassId(0)}};
  EXPECT_TRUE(check(problem, split).legal());
}

}  // namespace
}  // namespace partita::detail
