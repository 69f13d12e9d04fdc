// SPDX-License-Identifier: Apache-2.0
// The bound that follows a spine is never above the optimum, whatever spine it follows.
#include "partita/solve/latency/spine_bound.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "partita/reduce/never.h"
#include "partita/solve/latency/latency_bound.h"
#include "partita/util/dice.h"
#include "tests/support/cases.h"
#include "tests/support/latency_brute_force.h"
#include "tests/support/latency_questions.h"

namespace partita::detail::test {
namespace {

// Branches that run side by side between two nodes, once or twice, with hosts that are slow and transfers that are
// cheap: where accelerators are what is short, and blocks with parts in several branches are tempting.
Problem fork_and_join(std::uint64_t seed) {
  Dice dice(seed);
  Problem problem{Workload{"fork", {}, make_platform(1 + static_cast<int>(dice.below(3)), kUnlimited, 1)},
                  {.objective = Objective::Latency}};
  Graph& graph = problem.workload.change().graph;
  const auto add_node = [&] {
    const double time = 1 + static_cast<double>(dice.below(4));
    const double host = dice.below(12) == 0 ? kCannotRun : time * (1 + static_cast<double>(dice.below(6)));
    const std::vector<double> times = {dice.below(12) == 0 && host != kCannotRun ? kCannotRun : time, host};
    Node node;
    node.original_id = static_cast<std::int64_t>(graph.nodes.size());
    node.time = times;
    node.memory = 1;
    return graph.nodes.push_back(node);
  };
  IdVector<NodeId, double> cost(16);
  for (double& c : cost) c = 0.25 * static_cast<double>(dice.below(8));
  const auto connect = [&](NodeId from, NodeId to) { graph.edges.push_back({from, to, cost[from]}); };
  NodeId fork = add_node();
  while (graph.nodes.size() < 5) {
    std::vector<NodeId> ends;
    for (std::size_t branches = 2 + dice.below(2); branches > 0; --branches) {
      NodeId end = fork;
      for (std::size_t length = 1 + dice.below(2); length > 0; --length) {
        const NodeId next = add_node();
        connect(end, next);
        end = next;
      }
      ends.push_back(end);
    }
    if (dice.below(4) == 0) ends.push_back(fork);
    const NodeId join = add_node();
    for (NodeId end : ends) connect(end, join);
    fork = join;
  }
  if (dice.below(2) == 0)
    problem.workload.change().platform.classes[ClassId(0)].memory = 2 + static_cast<double>(dice.below(4));
  problem.subgraphs = dice.below(4) == 0 ? 2 : 1;
  return problem;
}

// Up to four branches of up to three nodes between two nodes, for up to four accelerators: where branches are packed into
// blocks, and some are better left to hosts, whole or at an end.
Problem packed_branches(std::uint64_t seed) {
  Dice dice(seed);
  Problem problem{Workload{"packed", {}, make_platform(1 + static_cast<int>(dice.below(4)), kUnlimited, 1)},
                  {.objective = Objective::Latency}};
  Graph& graph = problem.workload.change().graph;
  const double unit = dice.below(2) == 0 ? 0.2 : 0.7;
  const auto add_node = [&] {
    const double time = 0.5 + static_cast<double>(dice.below(6));
    Node node;
    node.original_id = static_cast<std::int64_t>(graph.nodes.size());
    node.time = {time, time * (1 + 0.5 * static_cast<double>(dice.below(9)))};
    node.memory = 1;
    if (dice.below(20) == 0) node.time[dice.below(2)] = kCannotRun;
    return graph.nodes.push_back(node);
  };
  IdVector<NodeId, double> cost(16);
  for (double& c : cost) c = unit * static_cast<double>(dice.below(6));
  const auto connect = [&](NodeId from, NodeId to) { graph.edges.push_back({from, to, cost[from]}); };
  const bool fork_first = dice.below(4) > 0, join_last = dice.below(4) > 0;
  const NodeId fork = fork_first ? add_node() : NodeId();
  std::vector<NodeId> ends;
  const std::size_t most = 6 + dice.below(3), branches = 2 + dice.below(3);
  for (std::size_t b = 0; b < branches && graph.nodes.size() < most; ++b) {
    NodeId end = fork;
    for (std::size_t length = 1 + dice.below(3); length > 0 && graph.nodes.size() < most; --length) {
      const NodeId next = add_node();
      if (end.valid()) connect(end, next);
      end = next;
    }
    ends.push_back(end);
  }
  if (join_last) {
    const NodeId join = add_node();
    for (NodeId end : ends) connect(end, join);
  }
  if (dice.below(4) == 0)
    problem.workload.change().platform.classes[ClassId(0)].memory = 2 + static_cast<double>(dice.below(4));
  problem.subgraphs = dice.below(5) == 0 ? 2 : 1;
  return problem;
}

// A chain whose last nodes read sources that share the device of its first nodes, as tied weights do, with memory for a
// part of it: blocks that hold such a source and do not reach its reader are tempting.
Problem tied_ends(std::uint64_t seed) {
  Dice dice(seed);
  Problem problem{Workload{"tied", {}, make_platform(1 + static_cast<int>(dice.below(3)), kUnlimited, 1)},
                  {.objective = Objective::Latency}};
  Graph& graph = problem.workload.change().graph;
  const auto add_node = [&](std::size_t most_time) {
    const double time = static_cast<double>(dice.below(most_time + 1));
    Node node;
    node.original_id = static_cast<std::int64_t>(graph.nodes.size());
    node.time = {time, time * (1 + static_cast<double>(dice.below(6)))};
    node.memory = 1 + static_cast<double>(dice.below(2));
    return graph.nodes.push_back(node);
  };
  const double unit = dice.below(4) == 0 ? 0.1 : 0.5;
  const std::size_t length = 4 + dice.below(2);
  for (std::size_t i = 0; i < length; ++i) {
    const NodeId v = add_node(5);
    if (i > 0) graph.edges.push_back({NodeId(i - 1), v, unit * static_cast<double>(dice.below(4))});
  }
  for (std::size_t sources = 1 + dice.below(2); sources > 0; --sources) {
    const NodeId source = add_node(1);
    const double cost = unit * static_cast<double>(dice.below(7));
    graph.edges.push_back({source, NodeId(length - 1 - dice.below(3)), cost});
    if (dice.below(3) == 0) graph.edges.push_back({source, NodeId(0), cost});
    if (dice.below(4) > 0) {
      graph.nodes[source].colour = static_cast<std::int64_t>(sources);
      graph.nodes[NodeId(dice.below(3))].colour = static_cast<std::int64_t>(sources);
    }
  }
  problem.workload.change().platform.classes[ClassId(0)].memory = 3 + static_cast<double>(dice.below(6));
  problem.subgraphs = dice.below(5) == 0 ? 2 : 1;
  return problem;
}

void expect_never_above(const std::function<Problem(std::uint64_t)>& question, std::uint64_t count) {
  JudgedBounds bounds;
  for_each_latency_question(count, question, [&](std::uint64_t seed, const LatencyInstance& instance, double optimum) {
    const NodeReach reach(instance);
    const BlockModel model(instance, LatencyFacts(instance));
    for (const double neglect : {0.0, 0.05, 0.3, 1.0}) {
      const std::size_t states[] = {1, 3, 12, 400};
      SpineBound spine(model, reach, {neglect, states[seed % 4]});
      Budget budget;
      EXPECT_TRUE(spine.advance(budget));
      bounds.judge(spine.bound(), optimum, fmt::format("seed {} neglect {}", seed, neglect));
      // For splits below a limit, with what a spine in less detail knows.
      const double limit = optimum == kNever || optimum == 0 ? kNever : optimum * (seed % 5 == 0 ? 1.3 : 1.0001);
      SpineBound coarse(model, reach, {neglect, states[seed % 2]}, limit);
      EXPECT_TRUE(coarse.advance(budget));
      const SpineBound::ToCome known = coarse.to_come();
      SpineBound fine(model, reach, {neglect, states[2 + seed % 2]}, limit, &known);
      EXPECT_TRUE(fine.advance(budget));
      EXPECT_LE(fine.bound() * (1 - 1e-9), optimum * (1 + 1e-12)) << "seed " << seed << " limit " << limit;
    }
  });
  EXPECT_GT(bounds.met * 5, bounds.all) << bounds.met << " of " << bounds.all;
}

TEST(SpineBound, IsNeverAboveTheOptimum) { expect_never_above(latency_question, cases(4000)); }

TEST(SpineBound, IsNeverAboveTheOptimumWithParallelBranches) { expect_never_above(fork_and_join, cases(2000)); }

TEST(SpineBound, IsNeverAboveTheOptimumWithPackedBranches) { expect_never_above(packed_branches, cases(2000)); }

TEST(SpineBound, IsNeverAboveTheOptimumWithTiedEnds) { expect_never_above(tied_ends, cases(2000)); }

// Where extents are known within ranges, the shortest stretch between two of them may take longer than longer ones.
TEST(SpineBound, KnowsThatLongerStretchesMayTakeLess) {
  for (const std::uint64_t seed : {4230, 27938, 58778}) {
    const Problem problem = tied_ends(seed);
    const LatencyInstance instance = make_latency_instance(problem);
    const NodeReach reach(instance);
    const BlockModel model(instance, LatencyFacts(instance));
    SpineBound spine(model, reach, {0, 12});
    Budget budget;
    EXPECT_TRUE(spine.advance(budget));
    EXPECT_LE(spine.bound() * (1 - 1e-9), best_latency_by_brute_force(problem)) << "seed " << seed;
  }
}

// All bounds in turns, with a value just above the optimum: spines in more and more detail, each with what the one before
// knows.
TEST(SpineBound, LeavesTheOptimumInBelowALimit) {
  for (std::uint64_t seed = 1; seed <= cases(1000); ++seed) {
    const Problem problem = seed % 2 == 0 ? packed_branches(seed) : fork_and_join(seed);
    const double optimum = best_latency_by_brute_force(problem);
    if (optimum == kNever || optimum == 0) continue;
    const LatencyInstance instance = make_latency_instance(problem);
    LatencySettings settings;
    settings.spine_states = 1 + seed % 3;
    settings.spine_detail = 400;
    LatencyBound bound(instance, nullptr, settings);
    Budget budget;
    for (const double value : {optimum * 1.5, optimum * 1.0001}) bound.improve(value, budget);
    EXPECT_LE(bound.bound() * (1 - 1e-9), optimum * (1 + 1e-12)) << "seed " << seed;
  }
}

// With a limit just above the optimum, what is learned leaves the optimum in.
TEST(SpineBound, LearnsNothingThatTheOptimumContradicts) {
  for (std::uint64_t seed = 1; seed <= cases(2000); ++seed) {
    const Problem problem = seed % 4 == 0   ? packed_branches(seed)
                            : seed % 2 == 0 ? fork_and_join(seed)
                                            : latency_question(seed);
    const double optimum = best_latency_by_brute_force(problem);
    if (optimum == kNever || optimum == 0) continue;  // nothing is below 0
    const LatencyInstance instance = make_latency_instance(problem);
    const NodeReach reach(instance);
    LatencyFacts facts(instance);
    for (int round = 0; round < 3; ++round) {
      const BlockModel model(instance, facts);
      SpineBound spine(model, reach, {0.05 * static_cast<double>(seed % 3), 400}, optimum * 1.0001);
      Budget budget;
      EXPECT_TRUE(spine.advance(budget));
      EXPECT_LE(spine.bound() * (1 - 1e-9), optimum * (1 + 1e-12)) << "seed " << seed << " round " << round;
      if (!spine.learn(optimum * 1.0001, facts)) break;
    }
  }
}

}  // namespace
}  // namespace partita::detail::test
