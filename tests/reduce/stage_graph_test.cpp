// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/stage_graph.h"

#include <gtest/gtest.h>

#include "tests/support/cases.h"
#include "tests/support/stage_graphs.h"

namespace partita::detail::test {
namespace {

using Precedence = std::vector<std::pair<GroupId, GroupId>>;

GroupId g(std::size_t index) { return GroupId(index); }

std::vector<std::size_t> indices(std::span<const GroupId> groups) {
  std::vector<std::size_t> result;
  for (GroupId v : groups) result.push_back(v.index());
  return result;
}

TEST(StageGraph, KeepsTheTransitiveReduction) {
  const Precedence precedence{{g(0), g(1)}, {g(1), g(2)}, {g(0), g(2)}, {g(0), g(1)}, {g(0), g(3)}, {g(2), g(3)}};
  const StageGraph graph(IdVector<GroupId, Group>(4), precedence, {});
  EXPECT_EQ(graph.edge_count(), 3u);
  EXPECT_EQ(indices(graph.successors(g(0))), std::vector<std::size_t>{1});
  EXPECT_EQ(indices(graph.predecessors(g(3))), std::vector<std::size_t>{2});
  EXPECT_TRUE(test_bit(graph.descendants(g(0)), 3));
  EXPECT_TRUE(test_bit(graph.ancestors(g(3)), 0));
  EXPECT_TRUE(test_bit(graph.ancestors(g(3)), 3));
  EXPECT_FALSE(test_bit(graph.descendants(g(3)), 0));
}

TEST(StageGraph, AddsUpEqualNetsAndDropsThoseThatCostNothing) {
  const StageGraph graph(
      IdVector<GroupId, Group>(3), {},
      {{2, {g(0), g(1)}}, {3, {g(1), g(0), g(1)}}, {5, {g(2)}}, {7, {g(2), g(2)}}, {0, {g(0), g(2)}}, {1, {}}});
  ASSERT_EQ(graph.net_count(), 1u);
  EXPECT_EQ(graph.cost(NetId(0)), 5);
  EXPECT_EQ(indices(graph.members(NetId(0))), (std::vector<std::size_t>{0, 1}));
  EXPECT_TRUE(graph.nets_of(g(2)).empty());
}

TEST(StageGraph, CappedCostsLeaveLowerOnesAlone) {
  StageGraph graph(IdVector<GroupId, Group>(3), {}, {{2, {g(0), g(1)}}, {1e18, {g(1), g(2)}}});
  graph.cap_costs(10);
  EXPECT_EQ(graph.cost(NetId(0)), 2);
  EXPECT_EQ(graph.cost(NetId(1)), 10);
}

TEST(Contract, AddsUpWeightsAndForgetsTimesOfWhatCannotRun) {
  IdVector<GroupId, Group> groups(3);
  groups[g(0)] = {1, 10, 100, true, true};
  groups[g(1)] = {0, 20, 200, false, true};
  groups[g(2)] = {4, 40, 400, true, true};
  const StageGraph graph(groups, {{g(0), g(1)}, {g(1), g(2)}}, {{1, {g(0), g(1)}}, {2, {g(1), g(2)}}});
  const Contraction result = contract(graph, {g(0), g(0), g(2)});
  ASSERT_EQ(result.graph.size(), 2u);
  const Group& both = result.graph.group(result.lift[g(0)]);
  EXPECT_EQ(result.lift[g(0)], result.lift[g(1)]);
  EXPECT_FALSE(both.on_accelerator);
  EXPECT_EQ(both.accelerator_time, 0);
  EXPECT_EQ(both.host_time, 30);
  EXPECT_EQ(both.memory, 300);
  ASSERT_EQ(result.graph.net_count(), 1u);
  EXPECT_EQ(result.graph.cost(NetId(0)), 2);
}

TEST(Contract, JoinsWhatLiesOnACycleThatArises) {
  // Joining 0 and 2 puts 1 between them; 3 only follows.
  const StageGraph graph(IdVector<GroupId, Group>(4), {{g(0), g(1)}, {g(1), g(2)}, {g(1), g(3)}}, {});
  const Contraction result = contract(graph, {g(0), g(1), g(0), g(3)});
  EXPECT_EQ(result.graph.size(), 2u);
  EXPECT_EQ(result.lift[g(0)], result.lift[g(1)]);
  EXPECT_EQ(result.lift[g(1)], result.lift[g(2)]);
  EXPECT_LT(result.lift[g(0)], result.lift[g(3)]);
}

TEST(Contract, NumbersGroupsAlongTheOrderAndOtherwiseAsBefore) {
  // Joining 0 and 3 makes it wait for 2; 1 keeps its place before 2.
  const StageGraph graph(IdVector<GroupId, Group>(4), {{g(2), g(3)}}, {});
  const Contraction result = contract(graph, {g(0), g(1), g(2), g(0)});
  EXPECT_EQ(result.lift, (Lift{g(2), g(0), g(1), g(2)}));
}

TEST(Contract, ByIdentityChangesNothing) {
  for (std::uint64_t seed = 1; seed <= cases(200); ++seed) {
    const StageGraph graph = random_stage_case(seed).graph;
    Lift identity(graph.size());
    for (GroupId v : graph.all()) identity[v] = v;
    const Contraction result = contract(graph, identity);
    EXPECT_EQ(result.lift, identity);
    ASSERT_EQ(result.graph.net_count(), graph.net_count());
    EXPECT_EQ(result.graph.edge_count(), graph.edge_count());
    for (NetId e : graph.nets()) EXPECT_EQ(result.graph.cost(e), graph.cost(e));
  }
}

TEST(Reversed, HasTheSameOptimumAndIsItsOwnInverse) {
  for (std::uint64_t seed = 1; seed <= cases(300); ++seed) {
    const StageCase one = random_stage_case(seed, 7);
    const StageGraph back = reversed(one.graph), again = reversed(back);
    EXPECT_EQ(least_value(back, one.platform), least_value(one.graph, one.platform)) << "seed " << seed;
    for (GroupId v : one.graph.all()) {
      EXPECT_EQ(indices(again.successors(v)), indices(one.graph.successors(v)));
      EXPECT_EQ(again.accelerator_time(v), one.graph.accelerator_time(v));
    }
  }
}

TEST(Compose, LooksUpOneLiftInTheOther) {
  EXPECT_EQ(compose(Lift{g(1), g(0), g(1)}, Lift{g(4), g(2)}), (Lift{g(2), g(4), g(2)}));
}

TEST(StageGraph, MayBeEmpty) {
  const StageGraph graph({}, {}, {});
  EXPECT_EQ(graph.size(), 0u);
  EXPECT_TRUE(graph.has_closure());
  EXPECT_EQ(contract(graph, {}).graph.size(), 0u);
}

}  // namespace
}  // namespace partita::detail::test
