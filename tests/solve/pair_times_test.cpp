// SPDX-License-Identifier: Apache-2.0
// Labels that look at several edges at once, with tolls and without, are never above the optimum, and say more where
// branches meet.
#include "partita/solve/latency/pair_times.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "partita/reduce/never.h"
#include "partita/solve/latency/latency_bound.h"
#include "partita/util/dice.h"
#include "partita/util/parallel.h"
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

// The same, without a shape: nodes come after one, two or three of those shortly before them.
Problem tangled_branches(std::uint64_t seed) {
  Problem problem = meeting_branches(seed);
  Dice dice(seed ^ 0x5a5a5a5a);
  Graph& graph = problem.workload.change().graph;
  std::vector<double> cost(graph.nodes.size(), 0);
  for (const Edge& edge : graph.edges) cost[edge.from.index()] = edge.cost;
  graph.edges.clear();
  for (NodeId v : graph.nodes.all()) {
    const std::size_t near = std::min<std::size_t>(v.index(), 4);
    if (near == 0 || dice.below(6) == 0) continue;
    std::vector<NodeId> from;
    for (std::size_t i = 0; i < 1 + dice.below(3); ++i) from.push_back(NodeId(v.index() - 1 - dice.below(near)));
    std::sort(from.begin(), from.end());
    from.erase(std::unique(from.begin(), from.end()), from.end());
    for (NodeId u : from) graph.edges.push_back({u, v, cost[u.index()]});
  }
  return problem;
}

// A node whose output is dear to send has two readers, one of which also reads a branch that is late: blocks with that
// reader are cheaper, and those without it start sooner.
Problem dear_outputs(std::uint64_t seed) {
  Dice dice(seed);
  Problem problem{Workload{"asides", {}, make_platform(3 + static_cast<int>(dice.below(3)), kUnlimited, 1)},
                  {.objective = Objective::Latency}};
  Graph& graph = problem.workload.change().graph;
  const auto add_node = [&](std::size_t least_time, std::size_t more) {
    const double time = static_cast<double>(least_time + dice.below(more));
    Node node;
    node.original_id = static_cast<std::int64_t>(graph.nodes.size());
    node.time = {time, 20 + time};
    node.memory = 1;
    return graph.nodes.push_back(node);
  };
  const auto connect = [&](NodeId from, std::initializer_list<NodeId> readers, double cost) {
    for (NodeId to : readers) graph.edges.push_back({from, to, cost});
  };
  const auto cost = [&](std::size_t least, std::size_t more) {
    return 0.5 * static_cast<double>(least + dice.below(more));
  };
  const NodeId top = add_node(0, 3), first = add_node(3, 5), second = add_node(3, 5), dear = add_node(0, 3),
               reader = add_node(1, 3), aside = add_node(0, 2);
  connect(top, {first, second}, cost(1, 6));
  connect(first, {dear}, cost(0, 3));
  connect(second, {aside}, cost(0, 3));
  connect(dear, {reader, aside}, cost(0, 12));
  if (dice.below(2) == 0) {
    const NodeId end = add_node(0, 8);
    connect(reader, {end}, cost(0, 3));
    if (dice.below(2) == 0) connect(aside, {end}, cost(0, 3));
  }
  problem.workload.change().platform.classes[ClassId(0)].memory = 2 + static_cast<double>(dice.below(4));
  return problem;
}

// What labels are: for each edge, the least over the splits below the limit that cut it.
class LabelsByDefinition {
 public:
  LabelsByDefinition(const BlockModel& model, double toll)
      : model_(model),
        toll_(toll),
        least_{EdgeLabels(model.edge_count(), kNever), EdgeLabels(model.edge_count(), kNever)} {}

  void see(const SplitTimes& split) {
    for (EdgeId e : model_.edges()) {
      const BlockModel::Edge& edge = model_.edge(e);
      const SplitTimes::OfNode &u = split.nodes[edge.from.index()], &w = split.nodes[edge.to.index()];
      if (u.block == w.block) continue;
      least_[0][e] = std::min(least_[0][e], u.time[0] + toll_ * u.blocks[0]);
      least_[1][e] = std::min(least_[1][e], w.time[1] + toll_ * w.blocks[1]);
    }
  }
  const EdgeLabels& least(bool reversed) const { return least_[reversed]; }
  double toll() const { return toll_; }

 private:
  const BlockModel& model_;
  const double toll_;
  EdgeLabels least_[2];
};

// Sweeps from either end in turns, each with what the others taught, as long as that is something.
struct Sweeps {
  EdgeLabels labels[2];
  LatencyFacts facts;
  double bound = 0;
};

Sweeps sweep(const LatencyInstance& instance, const NodeReach& reach, double limit, double toll, bool pairs) {
  Sweeps found{{}, LatencyFacts(instance)};
  for (int round = 0; round < 3 && found.bound < kNever; ++round) {
    const BlockModel model(instance, found.facts);
    for (EdgeLabels& labels : found.labels) labels = labels.size() ? labels : EdgeLabels(model.edge_count(), 0);
    for (const int direction : {0, 1}) {
      LatencyLabels labels(model, reach, direction == 1, found.labels[direction], found.labels[1 - direction],
                           {limit, toll, pairs});
      Budget budget;
      EXPECT_TRUE(labels.advance(budget));
      found.labels[direction] = labels.labels();
      found.bound = std::max(found.bound, labels.bound());
    }
    if (limit == kNever || !join_ends(model, found.labels, limit, found.facts)) break;
  }
  return found;
}

// Each label by itself, which tells far more than what they say about the whole graph.
void expect_each_label_valid(std::uint64_t count, Ask ask, std::size_t& better) {
  for_each_latency_question(count, ask, [&](std::uint64_t seed, const LatencyInstance& instance, double optimum) {
    const Problem problem = ask(seed);
    if (!(optimum > 0) || optimum == kNever || instance.views.size() > 1) return;
    const double limit = seed % 3 == 0 && instance.size() < 7 && problem.subgraphs == 1
                             ? kNever
                             : optimum * (1.01 + 0.1 * static_cast<double>(seed % 5));
    const NodeReach reach(instance);
    const BlockModel model(instance, LatencyFacts(instance));
    std::vector<LabelsByDefinition> truth;
    for (const double toll : {0.0, 0.03, 0.3, 2.0}) truth.emplace_back(model, toll);
    for_each_split_below(limit, problem, [&](const SplitTimes& split) {
      for (LabelsByDefinition& labels : truth) labels.see(split);
    });
    const double blocks = instance.accelerators() * instance.subgraphs * (instance.has_backward ? 2 : 1);
    for (const LabelsByDefinition& labels : truth) {
      const double up_to = limit + labels.toll() * blocks;
      const Sweeps plain = sweep(instance, reach, up_to, labels.toll(), false);
      const Sweeps pairs = sweep(instance, reach, up_to, labels.toll(), true);
      EXPECT_LT(pairs.bound, kNever) << "seed " << seed << ": there is a split";
      for (const bool reversed : {false, true}) {
        for (EdgeId e : model.edges()) {
          const double found = pairs.labels[reversed][e], least = labels.least(reversed)[e];
          if (!(found * (1 - 1e-9) <= least)) {
            ADD_FAILURE() << "seed " << seed << " edge " << e.index() << (reversed ? " reversed" : "") << " toll "
                          << labels.toll() << ": " << found << " above " << least;
          }
          better += found < kNever && found > plain.labels[reversed][e] * (1 + 1e-6);
        }
      }
    }
  });
}

TEST(PairTimes, EachLabelHoldsWhereBranchesMeet) {
  std::size_t better = 0;
  expect_each_label_valid(cases(600), meeting_branches, better);
  EXPECT_GT(better, cases(600) / 50);
  RecordProperty("better", static_cast<int>(better));
}

TEST(PairTimes, EachLabelHoldsInATangle) {
  std::size_t better = 0;
  expect_each_label_valid(cases(600), tangled_branches, better);
  EXPECT_GT(better, cases(600) / 50);
  RecordProperty("better", static_cast<int>(better));
}

TEST(PairTimes, EachLabelHoldsWhereOutputsAreDear) {
  std::size_t better = 0;
  expect_each_label_valid(cases(600), dear_outputs, better);
  EXPECT_GT(better, cases(600) / 50);
  RecordProperty("better", static_cast<int>(better));
}

// All together, with tolls that were looked for; every other time by several threads.
TEST(PairTimes, BoundsAreNeverAboveTheOptimumWhereBranchesMeet) {
  Workers workers(3, 0);
  std::size_t better = 0, better_by_tolls = 0;
  for_each_latency_question(
      cases(400), meeting_branches, [&](std::uint64_t seed, const LatencyInstance& instance, double optimum) {
        if (optimum == kNever) return;
        for (const double factor : {1.0, 1.0 + 1e-7, 1.05, 1.5}) {
          double plain = 0, found[2] = {0, 0};
          for (const bool tolls : {false, true}) {
            LatencySettings settings;
            settings.tolls = tolls;
            Budget budget;
            if (seed % 2 == 0) budget.work_with(workers);
            LatencyBound bound(instance, &budget, settings);
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
