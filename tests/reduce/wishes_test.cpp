// SPDX-License-Identifier: Apache-2.0
// What becomes of wishes: groups, contradictions, cases. That they lose nothing: tests/property/wishes_test.cpp.
#include <gtest/gtest.h>

#include "partita/reduce/device_table.h"
#include "partita/reduce/wish_cases.h"
#include "partita/util/error.h"
#include "tests/support/graph_text.h"

namespace partita::detail {
namespace {

class WishesReduced : public testing::Test {
 protected:
  void use(const char* text, int accelerators, int hosts) {
    problem = Problem(graph_from_text(text, accelerators, kUnlimited, hosts));
  }
  NodeId node(const char* name) const { return node_named(problem.workload, name); }
  std::string contradiction() const { return group_by_wishes(problem).contradiction; }
  std::size_t cases() const {
    const WishGroups groups = group_by_wishes(problem);
    EXPECT_EQ(groups.contradiction, "");
    return WishCases(groups).size();
  }

  Problem problem =
      Problem(graph_from_text("a 1 1; b 1 1; c 1 -; d - 1; e 1 1 colour=4; f 1 1 colour=4 back", 3, kUnlimited, 2));
};

TEST_F(WishesReduced, PinsThatContradictEachOtherAreNamed) {
  problem.wishes.pins = {{node("a"), DeviceId(0)}, {node("a"), DeviceId(1)}};
  EXPECT_EQ(contradiction(), "node 1 (a) is pinned to accelerator 0, but also to accelerator 1");
  problem.wishes.pins = {{node("e"), DeviceId(0)}, {node("f"), ClassId(1)}};
  EXPECT_EQ(contradiction(),
            "node 5 (e) is pinned to accelerator 0, but node 6 (f), which must share its device, to class host");
  problem.wishes.pins = {{node("a"), ClassId(0)}, {node("a"), DeviceId(1)}};
  EXPECT_EQ(contradiction(), "");
}

TEST_F(WishesReduced, PinsToWhereANodeCannotRunAreNamed) {
  problem.wishes.pins = {{node("c"), ClassId(1)}};
  EXPECT_EQ(contradiction(), "node 3 (c) is pinned to class host, which cannot run it");
  problem.wishes.pins = {{node("a"), DeviceId(4)}};
  problem.wishes.together = {{node("a"), node("c")}};
  EXPECT_EQ(contradiction(),
            "node 1 (a) is pinned to host 1, which cannot run node 3 (c), and the two must share a device");
}

TEST_F(WishesReduced, ListsThatCannotBeKeptAreNamed) {
  problem.wishes.together = {{node("a"), node("c"), node("d")}};
  EXPECT_EQ(contradiction(), "node 1 (a) and the nodes to be together with it run on no class of devices in common");
  problem.wishes.together = {};
  problem.wishes.apart = {{node("e"), node("f")}};
  EXPECT_EQ(contradiction(),
            "node 5 (e) and node 6 (f) are to be apart, but colours or other wishes put them on one device");
  use("a 1 1; b 1 1; c 1 1", 1, 1);
  problem.wishes.apart = {{node("a"), node("b"), node("c")}};
  EXPECT_EQ(contradiction(), "3 nodes are to be apart (node 1 (a) ...), but there are only 2 devices");
}

TEST_F(WishesReduced, OnePinnedDeviceOfAClassLeavesThePlatformAsItIs) {
  problem.wishes.pins = {{node("a"), DeviceId(1)}, {node("b"), DeviceId(1)}, {node("d"), DeviceId(3)}};
  const WishGroups groups = group_by_wishes(problem);
  const WishCases all(groups);
  ASSERT_EQ(all.size(), 1u);
  const WishCase one = all.make(0);
  EXPECT_TRUE(one.possible);
  EXPECT_TRUE(is_plain(one.problem.workload->platform));
  EXPECT_EQ(one.to_swap.size(), 2u);
  const Graph& graph = one.problem.workload->graph;
  EXPECT_TRUE(graph.nodes[node("a")].colour.has_value());
  EXPECT_EQ(graph.nodes[node("a")].colour, graph.nodes[node("b")].colour);
  EXPECT_EQ(graph.nodes[node("a")].time[1], kCannotRun);
}

TEST_F(WishesReduced, SeveralPinnedDevicesAreOneCase) {
  problem.wishes.pins = {{node("a"), DeviceId(1)}, {node("b"), DeviceId(2)}};
  const WishGroups groups = group_by_wishes(problem);
  const WishCases all(groups);
  ASSERT_EQ(all.size(), 1u);
  const WishCase one = all.make(0);
  EXPECT_EQ(one.problem.workload->platform.classes.size(), 3u);
  EXPECT_EQ(one.devices.original.size(), 5u);
  EXPECT_EQ(one.to_swap.size(), 1u);
}

TEST_F(WishesReduced, NodesApartAreACaseForEachPlaceOfAllButOne) {
  problem.wishes.apart = {{node("a"), node("b")}};
  EXPECT_EQ(cases(), 2u);
  problem.wishes.apart = {{node("a"), node("b"), node("e")}};
  EXPECT_EQ(cases(), 4u);
  problem.wishes.pins = {{node("a"), ClassId(0)}, {node("b"), DeviceId(0)}};
  EXPECT_EQ(cases(), 1u);
  use("a 1 1; b 1 1; c 1 1; d 1 1", 4, 0);
  problem.wishes.apart = {{node("a"), node("b"), node("c"), node("d")}};
  EXPECT_EQ(cases(), 1u);
}

TEST_F(WishesReduced, TooManyCasesAreRefused) {
  use("a 1 1; b 1 1; c 1 1; d 1 1; e 1 1; f 1 1; g 1 1; h 1 1", 9, 9);
  problem.wishes.apart = {{node("a"), node("b"), node("c"), node("d"), node("e"), node("f"), node("g"), node("h")}};
  EXPECT_THROW(cases(), InputError);
}

TEST_F(WishesReduced, DevicesThatAreSwappedTakeEverythingAlong) {
  Split split = split_from_text(problem.workload, "a | b | c");
  split.order = {DeviceId(0), DeviceId(1), DeviceId(2)};
  split.copy_of = {DeviceId(0), DeviceId(1), DeviceId(2), DeviceId(0)};
  split.recomputes = {1, 0, 0, 1};
  const Split swapped = swap_devices(split, DeviceId(0), DeviceId(2));
  EXPECT_EQ(swapped.device_of[node("a")], DeviceId(2));
  EXPECT_EQ(swapped.device_of[node("c")], DeviceId(0));
  EXPECT_EQ(swapped.order, (std::vector{DeviceId(2), DeviceId(1), DeviceId(0)}));
  EXPECT_EQ(swapped.copy_of, (IdVector<DeviceId, DeviceId>{DeviceId(0), DeviceId(1), DeviceId(2), DeviceId(2)}));
  EXPECT_EQ(swapped.recomputes, (IdVector<DeviceId, char>{0, 0, 1, 1}));
}

}  // namespace
}  // namespace partita::detail
