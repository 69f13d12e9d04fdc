// SPDX-License-Identifier: Apache-2.0
// Labels that look at several edges at once, with tolls and without, are never above the optimum, and say more where
// branches meet.
#include "partita/solve/latency/pair_times.h"

#include <gtest/gtest.h>

#include "partita/reduce/never.h"
#include "partita/solve/latency/latency_bound.h"
#include "partita/util/dice.h"
#include "tests/support/cases.h"
#include "tests/support/latency_brute_force.h"
#include "tests/support/latency_questions.h"

namespace partita::detail::test {
namespace {

// A node, two or three branches that come from it and meet in another, and perhaps the same once more: as attention
// layers do. Transfers are cheap, so branches are worth an accelerator each, if there is one left.
Problem meeting_branches(std::uint64_t seed) {
  Dice dice(seed);
  Problem problem{Workload{"joins", {}, make_platform(2 + static_cast<int>(dice.below(4)), kUnlimited, 1)},
                  {.objective = Objective::Latency}};
  Graph& graph = problem.workload.change().graph;
  const bool hosts_are_slow = dice.below(4) > 0;
  const double unit = dice.below(5) == 0 ? 0 : dice.below(2) == 0 ? 0.25 : 0.5;
  std::vector<double> cost;
  const auto add_node = [&](std::size_t most) {
    const double time = static_cast<double>(dice.below(most));
    Node node;
    node.original_id = static_cast<std::int64_t>(graph.nodes.size());
    node.time = {time, hosts_are_slow ? 20 + time : dice.below(3) == 0 ? kCannotRun : 3 * time};
    node.memory = 1 + static_cast<double>(dice.below(2));
    cost.push_back(unit * static_cast<double>(1 + dice.below(3)));
    return graph.nodes.push_back(node);
  };
  const auto connect = [&](NodeId from, NodeId to) { graph.edges.push_back({from, to, cost[from.index()]}); };
  NodeId top = add_node(4);
  for (int width = 2 + static_cast<int>(dice.below(2)); graph.nodes.size() + 2 < 8; width = 2) {
    std::vector<NodeId> branches;
    for (int i = 0; i < width; ++i) {
      branches.push_back(add_node(7));
      connect(top, branches.back());
    }
    const NodeId join = add_node(4);
    for (NodeId v : branches) connect(v, join);
    if (dice.below(3) == 0) connect(top, join);
    top = join;
  }
  if (dice.below(5) == 0) {
    for (NodeId v : graph.nodes.all()) graph.nodes[v].backward = v.index() >= graph.nodes.size() / 2;
  }
  if (dice.below(5) == 0) {
    for (Node& node : graph.nodes) {
      if (dice.below(3) == 0) node.colour = static_cast<std::int64_t>(dice.below(2));
    }
  }
  if (dice.below(3) > 0)
    problem.workload.change().platform.classes[ClassId(0)].memory = 3 + static_cast<double>(dice.below(5));
  problem.subgraphs = dice.below(6) == 0 ? 2 : 1;
  return problem;
}

using Ask = Problem (*)(std::uint64_t);

void expect_labels_valid(std::uint64_t count, Ask ask, std::size_t& better) {
  for_each_latency_question(count, ask, [&](std::uint64_t seed, const LatencyInstance& instance, double optimum) {
    if (!(optimum > 0)) return;
    const NodeReach reach(instance);
    const BlockModel model(instance, LatencyFacts(instance));
    const EdgeLabels none(model.edge_count(), 0);
    const double blocks = instance.accelerators() * instance.subgraphs * (instance.has_backward ? 2 : 1);
    for (const bool reversed : {false, true}) {
      for (const double toll : {0.0, 0.125, 0.5, 3.0}) {
        for (const double limit : {kNever, optimum * 1.2 + toll * blocks}) {
          double found[2] = {0, 0};
          for (const bool pairs : {false, true}) {
            LatencyLabels labels(model, reach, reversed, none, none, {limit, toll, pairs});
            Budget budget;
            EXPECT_TRUE(labels.advance(budget));
            found[pairs] = labels.bound() == kNever ? kNever : labels.bound() - toll * blocks;
          }
          EXPECT_LE(found[1] * (1 - 1e-9), optimum * (1 + 1e-12)) << "seed " << seed << " toll " << toll;
          better += found[1] < kNever && found[1] > found[0] + 1e-6 * (1 + optimum);
        }
      }
    }
  });
}

TEST(PairTimes, LabelsAreNeverAboveTheOptimumWhereBranchesMeet) {
  std::size_t better = 0;
  expect_labels_valid(cases(600), meeting_branches, better);
  EXPECT_GT(better, cases(600) / 50);
  RecordProperty("better", static_cast<int>(better));
}

TEST(PairTimes, LabelsAreNeverAboveTheOptimum) {
  std::size_t better = 0;
  expect_labels_valid(cases(1000), latency_question, better);
  RecordProperty("better", static_cast<int>(better));
}

// All together, with tolls that were looked for.
TEST(PairTimes, BoundsAreNeverAboveTheOptimumWhereBranchesMeet) {
  std::size_t better = 0, better_by_tolls = 0;
  for_each_latency_question(
      cases(400), meeting_branches, [&](std::uint64_t seed, const LatencyInstance& instance, double optimum) {
        if (optimum == kNever) return;
        for (const double factor : {1.0, 1.0 + 1e-7, 1.05, 1.5}) {
          double plain = 0, found[2] = {0, 0};
          for (const bool tolls : {false, true}) {
            LatencySettings settings;
            settings.tolls = tolls;
            LatencyBound bound(instance, nullptr, settings);
            Budget budget;
            bound.improve(optimum * factor, budget);
            plain = bound.bound();
            if (bound.look_at_pairs()) bound.improve(optimum * factor, budget);
            EXPECT_TRUE(bound.finished()) << "seed " << seed;
            EXPECT_LE(bound.bound(), optimum * (1 + 1e-12)) << "seed " << seed << " factor " << factor;
            found[tolls] = bound.bound();
          }
          better += found[1] > plain * (1 + 1e-6);
          better_by_tolls += found[1] > std::max(plain, found[0]) * (1 + 1e-6);
        }
      });
  RecordProperty("better", static_cast<int>(better));
  RecordProperty("better by tolls", static_cast<int>(better_by_tolls));
  if (all_usual_cases()) {
    EXPECT_GT(better, 0u);
    EXPECT_GT(better_by_tolls, 0u);
  }
}

}  // namespace
}  // namespace partita::detail::test
