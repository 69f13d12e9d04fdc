// SPDX-License-Identifier: Apache-2.0
// The bound by packing branches into blocks is never above the optimum, and says more than labels where it should.
#include "partita/solve/latency/packing_bound.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "partita/reduce/never.h"
#include "partita/solve/latency/latency_bound.h"
#include "partita/util/dice.h"
#include "tests/support/cases.h"
#include "tests/support/latency_brute_force.h"
#include "tests/support/latency_questions.h"

namespace partita::detail::test {
namespace {

// Branches of one or two nodes that all lead to one node, or all come from it, with more to do before or behind: more
// of them than accelerators. Transfers are free, cheap or dear, hosts are slow or cannot, memory is short now and then.
Problem many_branches(std::uint64_t seed) {
  Dice dice(seed);
  Problem problem{Workload{"branches", {}, make_platform(2 + static_cast<int>(dice.below(2)), kUnlimited, 1)},
                  {.objective = Objective::Latency}};
  Graph& graph = problem.workload.change().graph;
  const bool training = dice.below(6) == 0;
  const bool hosts_are_slow = dice.below(3) > 0;
  const double unit = dice.below(4) == 0 ? 0 : dice.below(2) == 0 ? 0.1 : 1;
  const auto add_node = [&](std::size_t most) {
    const double time = static_cast<double>(dice.below(most));
    Node node;
    node.original_id = static_cast<std::int64_t>(graph.nodes.size());
    node.time = {time, hosts_are_slow ? 20 + time : dice.below(3) == 0 ? kCannotRun : 3 * time};
    node.memory = 1 + static_cast<double>(dice.below(2));
    return graph.nodes.push_back(node);
  };
  const bool outward = dice.below(2) == 0;
  std::vector<double> cost(8);
  for (double& c : cost) c = unit * static_cast<double>(dice.below(5));
  const auto connect = [&](NodeId from, NodeId to) {
    if (outward) std::swap(from, to);
    graph.edges.push_back({from, to, cost[from.index()]});
  };
  const NodeId join = add_node(4);
  const NodeId beyond = dice.below(2) == 0 ? add_node(4) : NodeId();
  if (beyond.valid()) connect(join, beyond);
  const bool common = dice.below(3) == 0;
  const NodeId source = common ? add_node(2) : NodeId();
  while (graph.nodes.size() < 7) {
    NodeId last = join;
    for (std::size_t length = graph.nodes.size() < 6 ? 1 + dice.below(2) : 1; length > 0; --length) {
      const NodeId next = add_node(6);
      connect(next, last);
      last = next;
    }
    if (common) connect(source, last);
  }
  if (training) {  // what is later than the branches is backward, or the branches are
    const bool join_too = dice.below(2) == 0;
    for (NodeId v : graph.nodes.all()) {
      const bool of_branch = v != join && v != beyond;
      graph.nodes[v].backward = v == join ? join_too : of_branch == outward;
    }
  }
  if (dice.below(5) == 0) {
    for (Node& node : graph.nodes) {
      if (dice.below(3) == 0) node.colour = static_cast<std::int64_t>(dice.below(2));
    }
  }
  if (dice.below(2) == 0)
    problem.workload.change().platform.classes[ClassId(0)].memory = 3 + static_cast<double>(dice.below(5));
  problem.subgraphs = dice.below(5) == 0 ? 2 : 1;
  return problem;
}

struct Packed {
  double bound = 0, by_labels = 0;
};

// With the labels of one sweep in each direction, for splits below the limit.
Packed pack(const LatencyInstance& instance, double limit) {
  const NodeReach reach(instance);
  LatencyFacts facts(instance);
  EdgeLabels labels[2];
  for (int round = 0; round < 2; ++round) {
    const BlockModel model(instance, facts);
    const EdgeLabels none(model.edge_count(), 0);
    if (round == 0) labels[0] = labels[1] = none;
    double bound = 0;
    for (const bool reversed : {false, true}) {
      LatencyLabels sweep(model, reach, reversed, labels[reversed], labels[!reversed], LatencyLabels::Way{limit});
      Budget budget;
      sweep.advance(budget);
      bound = std::max(bound, sweep.bound());
      labels[reversed] = sweep.labels();
    }
    if (bound >= limit) return {bound, bound};
    if (round == 0) {
      join_ends(model, labels, limit, facts);
      for (NodeId v : instance.nodes.all()) {
        const LatencyNode& node = instance.nodes[v];
        if (facts.on_host[node.group] && time_around(model, labels, v) + node.host_time >= limit)
          facts.ban_from_hosts(node.group);
      }
      continue;
    }
    PackingBound packing(model, reach, labels, limit);
    Budget budget;
    EXPECT_TRUE(packing.advance(budget));
    return {packing.bound(), bound};
  }
  return {};
}

void expect_valid(std::uint64_t count, Problem (*ask)(std::uint64_t), std::size_t& better) {
  for_each_latency_question(count, ask, [&](std::uint64_t seed, const LatencyInstance& instance, double optimum) {
    if (!(optimum > 0)) return;
    for (const double factor : {1.0, 1.0 + 1e-7, 1.05, 1.5}) {
      const double limit = optimum == kNever ? 100 * factor : optimum * factor;
      const Packed found = pack(instance, limit);
      // Of splits below the limit nothing is said where there are none.
      const double least = optimum < limit ? optimum : kNever;
      EXPECT_LE(found.bound * (1 - 1e-9), least) << "seed " << seed << " factor " << factor;
      better += found.bound > found.by_labels * (1 + 1e-6);
    }
  });
}

TEST(PackingBound, IsNeverAboveTheOptimumOfManyBranches) {
  std::size_t better = 0;
  expect_valid(cases(1500), many_branches, better);
  EXPECT_GT(better, cases(1500) / 50);  // it was asked something
  RecordProperty("better", static_cast<int>(better));
}

TEST(PackingBound, IsNeverAboveTheOptimum) {
  std::size_t better = 0;
  expect_valid(cases(1500), latency_question, better);
  RecordProperty("better", static_cast<int>(better));
}

}  // namespace
}  // namespace partita::detail::test
