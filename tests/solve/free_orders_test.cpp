// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/configuration/frontier_orders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "partita/solve/configuration/narrow_order.h"
#include "partita/solve/configuration/order_estimate.h"
#include "partita/solve/staged/linear.h"
#include "tests/support/cases.h"
#include "tests/support/net_graphs.h"

namespace partita::detail::test {
namespace {

std::size_t widest_frontier(const NetGraph& graph, const std::vector<GroupId>& order) {
  IdVector<NetId, std::size_t> placed(graph.net_count(), 0);
  std::size_t open = 0, widest = 0;
  for (GroupId v : order) {
    for (NetId e : graph.nets_of(v)) {
      if (placed[e]++ == 0) ++open;
      if (placed[e] == graph.members(e).size()) --open;
    }
    widest = std::max(widest, open);
  }
  return widest;
}

TEST(FrontierOrders, HoldEachGroupOnce) {
  for (std::uint64_t seed = 1; seed <= cases(500); ++seed) {
    const NetCase one = random_net_case(seed, 20);
    Dice dice(seed);
    std::vector<GroupId> order = frontier_order(one.graph, {dice.chance(), dice.chance()}, dice);
    std::sort(order.begin(), order.end());
    ASSERT_EQ(order.size(), one.graph.size()) << "seed " << seed;
    for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], GroupId(i)) << "seed " << seed;
  }
}

TEST(FrontierOrders, OfSomeGroupsHoldJustThose) {
  for (std::uint64_t seed = 1; seed <= cases(500); ++seed) {
    const NetCase one = random_net_case(seed, 20);
    Dice dice(seed);
    std::vector<GroupId> among;
    for (GroupId v : one.graph.all()) {
      if (dice.one_in(2)) among.push_back(v);
    }
    std::vector<GroupId> order = frontier_order(one.graph, among, {}, dice);
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, among) << "seed " << seed;
  }
}

TEST(FrontierOrders, FollowTheBranchesOfATree) {
  // Forty chains of five that meet in one hub: in order of the ids every chain is open at once.
  constexpr std::size_t kChains = 40, kLength = 5;
  std::vector<Net> nets;
  const auto at = [](std::size_t chain, std::size_t i) { return GroupId(1 + i * kChains + chain); };
  for (std::size_t chain = 0; chain < kChains; ++chain) {
    nets.push_back({1, {GroupId(0), at(chain, 0)}});
    for (std::size_t i = 1; i < kLength; ++i) nets.push_back({1, {at(chain, i - 1), at(chain, i)}});
  }
  const NetGraph graph(IdVector<GroupId, Group>(1 + kChains * kLength), nets);
  std::vector<GroupId> by_id;
  for (GroupId v : graph.all()) by_id.push_back(v);
  EXPECT_EQ(widest_frontier(graph, by_id), kChains);
  // Each chain is walked to its end before the next: the open nets are those of the hub, fewer by one after each chain.
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Dice dice(seed);
    EXPECT_LE(widest_frontier(graph, frontier_order(graph, {0.01, 0}, dice)), kChains + 1) << "seed " << seed;
  }
  const NetGraph ring = [] {
    std::vector<Net> around;
    for (std::size_t v = 0; v < 60; ++v) around.push_back({1, {GroupId(v), GroupId((v * 7 + 7) % 60)}});
    return NetGraph(IdVector<GroupId, Group>(60), around);
  }();
  Dice dice(1);
  EXPECT_LE(widest_frontier(ring, frontier_order(ring, {0.01, 0}, dice)), 6u);
}

TEST(OrderEstimate, OfAMovedOrderIsThatOfTheOrder) {
  for (std::uint64_t seed = 1; seed <= cases(200); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const NetCase one = random_net_case(seed, 20);
    const std::size_t n = one.graph.size();
    Dice dice(seed);
    OrderEstimate estimate(one.graph);
    estimate.take(frontier_order(one.graph, {dice.chance(), 0}, dice));
    double before = estimate.states();
    for (int i = 0; i < 30; ++i) {
      const std::size_t length = 1 + dice.below(std::min<std::size_t>(n, 4));
      estimate.try_move({dice.below(n - length + 1), length, dice.below(n - length + 1), dice.one_in(2)});
      EXPECT_DOUBLE_EQ(estimate.states(), OrderEstimate(one.graph).take(estimate.order()));
      EXPECT_LE(estimate.states(), before * (1 + 1e-12));
      before = estimate.states();
    }
    std::vector<GroupId> order = estimate.order();
    std::sort(order.begin(), order.end());
    for (std::size_t v = 0; v < n; ++v) EXPECT_EQ(order[v], GroupId(v));
  }
}

// Branches that begin and end at hubs: with the hubs decided, all nets to branches that are not begun stand alike.
TEST(NarrowOrder, DecidesHubsFirst) {
  constexpr std::size_t kBranches = 30, kLength = 4;
  std::vector<Net> nets;
  const GroupId from(kBranches * kLength), to(kBranches * kLength + 1);
  const auto at = [](std::size_t branch, std::size_t i) { return GroupId(i * kBranches + branch); };
  for (std::size_t branch = 0; branch < kBranches; ++branch) {
    nets.push_back({1, {from, at(branch, 0)}});
    nets.push_back({1, {at(branch, kLength - 1), to}});
    for (std::size_t i = 1; i < kLength; ++i) nets.push_back({1, {at(branch, i - 1), at(branch, i)}});
  }
  const NetGraph graph(IdVector<GroupId, Group>(kBranches * kLength + 2), nets);
  // Two hubs and one net of a branch are open at a time.
  const double narrow = static_cast<double>(graph.size()) * std::pow(2.2, 3);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const std::vector<GroupId> order = narrow_order(graph, seed);
    EXPECT_LE(estimated_states(graph, order), narrow) << "seed " << seed;
    EXPECT_EQ(estimated_states(graph, order), OrderEstimate(graph).take(order));
  }
}

// Cutting a random order: legal, of the value it says, and never better than the best assignment.
TEST(LinearSplit, OnAnyOrderGivesAFreeSplit) {
  for (std::uint64_t seed = 1; seed <= cases(1500); ++seed) {
    const NetCase one = random_net_case(seed, 7);
    Dice dice(seed);
    std::uint64_t steps = 0;
    LinearOptions options;
    options.steps = &steps;
    const auto split =
        linear_split(one.graph, one.platform, frontier_order(one.graph, {1, 0}, dice), options, Budget());
    if (!split) continue;
    EXPECT_GT(steps, 0u);
    IdVector<GroupId, DeviceId> device_of(one.graph.size());
    std::size_t accelerator = 0, host = static_cast<std::size_t>(one.platform.accelerators);
    for (const Stage& stage : split->stages) {
      const DeviceId d(stage.on_host ? host++ : accelerator++);
      for (GroupId v : stage.groups) device_of[v] = d;
    }
    const NetEvaluation truth = evaluate(one.graph, one.platform, device_of);
    EXPECT_TRUE(truth.legal) << "seed " << seed;
    EXPECT_NEAR(truth.value, split->value, 1e-9) << "seed " << seed;
    EXPECT_GE(split->value, least_free_value(one.graph, one.platform) - 1e-9) << "seed " << seed;
  }
}

}  // namespace
}  // namespace partita::detail::test
