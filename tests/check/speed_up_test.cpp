// SPDX-License-Identifier: Apache-2.0
#include "partita/check/speed_up.h"

#include <gtest/gtest.h>

#include "tests/check/check_fixture.h"

namespace partita::detail {
namespace {

TEST(SpeedUp, OverOneAcceleratorThatMovesNothing) {
  Problem problem = problem_of(graph_from_text("a 3 30 out=0.5; b 2 20; c 1 10; a -> b -> c", 3, 1, 1));
  const std::optional<SpeedUp> gain = speed_up(problem, 3.5);
  ASSERT_TRUE(gain);
  EXPECT_DOUBLE_EQ(gain->one_device, 6);
  EXPECT_DOUBLE_EQ(gain->factor, 6 / 3.5);
  EXPECT_EQ(speed_up_text(problem, *gain), "speed-up over one accelerator: 1.71x of 3");
  problem.objective = Objective::Latency;
  EXPECT_FALSE(speed_up(problem, 3.5));
}

TEST(SpeedUp, OverTheFastestClassAndOverAHostWhereThatIsAllThereIs) {
  Workload workload = graph_from_text("a 3 30; b 2 20; a -> b", 2, kUnlimited, 2);
  workload.platform.classes.push_back({"fast", DeviceKind::Accelerator, 1});
  for (Node& node : workload.graph.nodes) node.time.push_back(node.time[0] / 2);
  Problem problem = problem_of(workload);
  EXPECT_EQ(speed_up_text(problem, *speed_up(problem, 1)), "speed-up over one accelerator of class fast: 2.50x of 3");
  const Problem hosts = problem_of(graph_from_text("a 3 30; b 2 20; a -> b", 0, kUnlimited, 2));
  EXPECT_EQ(speed_up_text(hosts, *speed_up(hosts, 30)), "speed-up over one host: 1.67x of 2");
}

TEST(SpeedUp, SaysWhyThereIsNone) {
  const Problem problem = problem_of(graph_from_text("a - 30; b 2 20; a -> b", 2, kUnlimited, 1));
  EXPECT_EQ(speed_up_text(problem, *speed_up(problem, 30)),
            "speed-up over one accelerator: not known, as 1 node cannot run on one");
}

TEST(LoneBottleneck, ANodeThatTakesTheWholeValue) {
  Problem problem = problem_of(graph_from_text("a 3 30; b 2 20; c 1 10; a -> b -> c", 3, kUnlimited, 1));
  problem.workload.change().time_unit = "ms";
  const std::optional<LoneBottleneck> alone = lone_bottleneck(problem, 3);
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->nodes, std::vector<NodeId>{node_named(problem.workload, "a")});
  EXPECT_EQ(lone_bottleneck_text(problem, *alone, 3),
            "node " + std::to_string(problem.workload->graph.nodes[alone->nodes[0]].original_id) +
                " (a) alone takes 3 ms on its fastest device (accelerator): no split is faster, however many devices "
                "there are");
  EXPECT_FALSE(lone_bottleneck(problem, 3.001));
  problem.replicas = 2;  // devices that take turns make it faster
  EXPECT_FALSE(lone_bottleneck(problem, 3));
}

TEST(LoneBottleneck, AColourClassSharesADevice) {
  const Problem problem =
      problem_of(graph_from_text("a 3 30 colour=7; b 2 20; c 1 10 colour=7; a -> b -> c", 3, kUnlimited, 1));
  const std::optional<LoneBottleneck> alone = lone_bottleneck(problem, 4);
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->nodes.size(), 2u);
  EXPECT_NE(lone_bottleneck_text(problem, *alone, 4).find("(colour class 7) alone take 4 on their"), std::string::npos);
  EXPECT_FALSE(lone_bottleneck(problem, 3));  // less than the class alone takes: no such split, and no claim
}

}  // namespace
}  // namespace partita::detail
