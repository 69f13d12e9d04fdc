// SPDX-License-Identifier: Apache-2.0
// Which nodes layers hold together, and which they do not.
#include "partita/reduce/layers.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "partita/partita.h"
#include "partita/read/workload.h"
#include "tests/support/graph_text.h"
#include "tests/support/workloads.h"

namespace partita::detail::test {
namespace {

// The layers of the nodes in order, '-' for none: "11-2".
std::string layers(const char* text) {
  std::string result;
  for (const auto& layer : find_layers(graph_from_text(text).graph)) result += layer ? std::to_string(*layer) : "-";
  return result;
}

Plan plan_layers(const Problem& problem) {
  PlanOptions options;
  options.contract_layers = true;
  Budget budget;
  return plan(problem, options, budget);
}

TEST(Layers, AreThoseOfTheFile) {
  EXPECT_EQ(layers("a 1 1 layer=1; b 1 1 layer=1; c 1 1; d 1 1 layer=2; a -> b -> c -> d"), "11-2");
  EXPECT_EQ(layers("a 1 1; b 1 1; a -> b"), "--");
}

TEST(Layers, TakeInTheColourClassesOfTheirNodes) {
  EXPECT_EQ(layers("a 1 1 layer=1 colour=7; b 1 1; c 1 1 colour=7; a -> b -> c"), "1-1");
}

TEST(Layers, DoNotHaveClassesThatSeveralLayersName) {
  EXPECT_EQ(layers("a 1 1 layer=1 colour=7; b 1 1 layer=2 colour=7; c 1 1 layer=2; a b -> c"), "--2");
}

TEST(Layers, DoNotHaveTiedWeightsThatAnEarlierLayerReads) {
  // w and e are one table: layer 1 begins with it, layer 3 ends with it, and it is filed under layer 3.
  EXPECT_EQ(layers("w 0 0 layer=3 colour=7; e 1 1 layer=3 colour=7; a 1 1 layer=1; b 1 1 layer=2; c 1 1 layer=3;"
                   "e -> a -> b -> c; w -> e; w -> c"),
            "--123");
  // Filed under layer 1 it is in nobody's way.
  EXPECT_EQ(layers("w 0 0 layer=1 colour=7; e 1 1 layer=1 colour=7; a 1 1 layer=1; b 1 1 layer=2; c 1 1 layer=3;"
                   "e -> a -> b -> c; w -> e; w -> c"),
            "11123");
  // A single node is not tied to anything, and a class that its own layer does not read at once is just its first part.
  EXPECT_EQ(layers("w 0 0 layer=3; a 1 1 layer=1; c 1 1 layer=3; w -> a -> c; w -> c"), "313");
  EXPECT_EQ(layers("w 0 0 layer=3 colour=7; e 1 1 layer=3 colour=7; a 1 1 layer=1; c 1 1 layer=3; w -> e -> a -> c"),
            "3313");
}

TEST(Layers, ShareADevice) {
  const Problem problem{
      graph_from_text("a 2 9 layer=1; b 2 9 layer=1; c 2 9 layer=1; d 2 9; a -> b -> c -> d : 0.5", 2, kUnlimited, 0)};
  const Plan plan = plan_layers(problem);
  EXPECT_EQ(plan.result.status, Status::Optimal);
  EXPECT_DOUBLE_EQ(plan.result.value, 6.5);  // 4.5 without layers
  EXPECT_EQ(plan.result.split->device_of.size(), 4U);
  EXPECT_NE(plan.result.proof.find("layers kept together"), std::string::npos);
}

TEST(Layers, OnACycleShareADeviceOfAStagedSplit) {
  const char* text = "a 2 9 layer=1; b 2 9 layer=2; c 2 9 layer=1; d 2 9 layer=2; a -> b -> c -> d : 0.5";
  Problem problem{graph_from_text(text, 2, kUnlimited, 0)};
  EXPECT_DOUBLE_EQ(plan_layers(problem).result.value, 8);
  problem.shape = Shape::Free;
  EXPECT_DOUBLE_EQ(plan_layers(problem).result.value, 5.5);
}

TEST(Layers, KeepTheMirrorImagesOfOrphans) {
  // The update u is an orphan: its mirror image stands before that of g, so f's device may not come before h's. Kept
  // with h, it would be mirrored no more.
  const Problem problem{graph_from_text(
      "f 2 9 colour=1; h 2 9 layer=1; g 0 0 back colour=1; u 0 0 back layer=1; f -> h; u -> g", 2, kUnlimited, 0)};
  const LayeredProblem layered = keep_layers_together(problem);
  EXPECT_EQ(layered.problem.workload->graph.nodes.size(), 6U);
  EXPECT_TRUE(plan_layers(problem).report.legal());
}

TEST(Layers, ThatFitNowhereAreInfeasible) {
  const Problem problem{
      graph_from_text("a 1 - mem=6 layer=1; b 1 - mem=6 layer=1; c 1 - mem=6; a -> b -> c", 3, 10, 1)};
  const Plan plan = plan_layers(problem);
  EXPECT_EQ(plan.result.status, Status::Infeasible);
  EXPECT_NE(plan.result.reason.find("layers kept together"), std::string::npos);
}

// Which nodes are together, a letter for each group in the order of its first node: "aab".
std::string groups(const char* text, LayerEnds ends) {
  const Problem problem{graph_from_text(text)};
  const LayeredProblem layered = keep_layers_together(problem, ends);
  std::map<std::int64_t, char> letters;
  std::string result;
  char next = 'a';
  for (NodeId v : problem.workload->graph.nodes.all()) {  // without the zero nodes behind them
    const Node& node = layered.problem.workload->graph.nodes[v];
    const auto [entry, is_new] = node.colour ? letters.emplace(*node.colour, next) : std::pair(letters.end(), true);
    result += node.colour ? entry->second : next;
    if (is_new) ++next;
  }
  return result;
}

TEST(LayerEnds, AreApartTogetherOrWithTheLayers) {
  // An embedding and a mask, two layers, a norm and a head.
  const char* text = "e 1 1; m 1 1; a 1 1 layer=4; b 1 1 layer=5; n 1 1; h 1 1; e -> a -> b -> n -> h; m -> a b";
  EXPECT_EQ(groups(text, LayerEnds::Apart), "abcdef");
  EXPECT_EQ(groups(text, LayerEnds::Together), "aabcdd");
  EXPECT_EQ(groups(text, LayerEnds::WithLayers), "aaabbb");
  // Nodes that nothing connects with a layer stand before them all.
  EXPECT_EQ(groups("e 1 1; i 1 1; a 1 1 layer=1; e -> a", LayerEnds::WithLayers), "aaa");
  EXPECT_EQ(groups("a 1 1; b 1 1; a -> b", LayerEnds::WithLayers), "ab");
}

TEST(LayerEnds, HaveWhatStandsBetweenLayersWithTheLayerBefore) {
  const char* text = "a 1 1 layer=1; x 1 1; y 1 1; b 1 1 layer=2; c 1 1 layer=3; a -> x -> y -> b -> c; x -> c";
  EXPECT_EQ(groups(text, LayerEnds::Apart), "abcde");
  EXPECT_EQ(groups(text, LayerEnds::Together), "aaabc");
}

TEST(LayerEnds, DoNotHaveTiedWeights) {
  const char* text = "e 1 1 colour=9; a 1 1 layer=1; b 1 1 layer=2; n 1 1; h 1 1 colour=9; e -> a -> b -> n -> h";
  EXPECT_EQ(groups(text, LayerEnds::WithLayers), "abcca");
  EXPECT_EQ(groups(text, LayerEnds::Together), "abcda");
}

TEST(LayerEnds, LeaveBackwardNodesWithTheirForwardOnes) {
  const char* text =
      "e 1 1 colour=1; a 1 1 layer=1; h 1 1 colour=2; g 1 1 back colour=2; b 1 1 back layer=1; f 1 1 back colour=1;"
      "e -> a -> h -> g -> b -> f";
  EXPECT_EQ(groups(text, LayerEnds::WithLayers), "aaaaaa");
  EXPECT_EQ(groups(text, LayerEnds::Together), "abccba");
}

// The paper's Table 3. Of its operator graphs, only those of BERT-12 were published with layers.
TEST(Layers, GiveTheValuesOfThePaper) {
  const auto folder = workloads_folder();
  if (!folder) GTEST_SKIP() << kNoWorkloads;
  const auto value = [&](const char* file) {
    Problem problem;
    problem.workload = read_workload((*folder / "paper" / "throughput-inputs" / "OperatorGraphs" / file).string());
    const Plan plan = plan_layers(problem);
    EXPECT_EQ(plan.result.status, Status::Optimal);
    return plan.result.value;
  };
  EXPECT_NEAR(value("bert_l-12_inference.json"), 159.43, 2e-4 * 159.43);
  EXPECT_NEAR(value("bert_L-12_training.json"), 465.41, 2e-4 * 465.41);
}

}  // namespace
}  // namespace partita::detail::test
