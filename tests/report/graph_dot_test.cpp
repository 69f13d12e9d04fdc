// SPDX-License-Identifier: Apache-2.0
// Split graphs for Graphviz: what is in the text, and that it is of the language's grammar whatever the names are.
#include "partita/report/graph_dot.h"

#include <gtest/gtest.h>

#include "tests/report/count.h"
#include "tests/support/graph_text.h"

namespace partita::detail {
namespace {

std::string dot_of(const Problem& problem, const Split& split) {
  const CheckReport report = check(problem, split);
  EXPECT_TRUE(report.legal());
  return graph_dot(problem, cut_into_pieces(problem, split, report), report);
}

Problem problem_of(const std::string& graph) {
  Problem problem;
  problem.workload = graph_from_text(graph, 2);
  problem.workload.change().name = "small";
  return problem;
}

// The text with each quoted string replaced by Q; as Graphviz reads them, only a backslash keeps a quote from ending a
// string, and a backslash from doing that.
std::string without_strings(const std::string& text) {
  std::string rest;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '"') {
      rest += text[i];
      continue;
    }
    for (++i; i < text.size() && text[i] != '"'; ++i) {
      if (text[i] == '\\') ++i;
      EXPECT_NE(text[i], '\n');
    }
    EXPECT_LT(i, text.size()) << "a string does not end";
    rest += 'Q';
  }
  return rest;
}

TEST(GraphDot, HasAClusterForEachPiece) {
  const Problem problem = problem_of("a 1 9; b 2 9; c 4 9; a -> b : 0.25; b -> c : 0.5");
  const std::string text = dot_of(problem, split_from_text(problem.workload, "a b | c"));
  EXPECT_EQ(text.rfind("digraph \"small\" {\n", 0), 0u);
  EXPECT_EQ(count(text, "subgraph cluster_"), 2u);
  EXPECT_EQ(count(text, "label=\"accelerator 0\\nload 3.5 (compute 3, in 0, out 0.5)\""), 1u);
  EXPECT_EQ(count(text, "label=\"accelerator 1\\nload 4.5 (compute 4, in 0.5, out 0)\\nbottleneck\""), 1u);
  for (const char* node : {"n0 [label=\"a\\n1\"]", "n1 [label=\"b\\n2\"]", "n2 [label=\"c\\n4\"]"}) {
    EXPECT_EQ(count(text, node), 1u) << node;
  }
  EXPECT_EQ(count(text, "  n0 -> n1 [label=\"0.25\""), 1u);
  EXPECT_EQ(count(text, "  n1 -> n2 [color=\"#4e79a7\", penwidth=2, label=\"0.5\"];\n"), 1u);
}

TEST(GraphDot, TimesHaveTheirUnitAndOperatorsATooltip) {
  Problem problem = problem_of("a 1 9; b 2 9; c 4 9; a -> b : 0.25; b -> c : 0.5");
  Workload& workload = problem.workload.change();
  workload.time_unit = "ms";
  workload.graph.nodes[NodeId(1)].op = "MatMul";
  workload.graph.nodes[NodeId(1)].facts = {CostSource::Calibrated, "matrix product", 1, 1, "fp16[2,3]"};
  const std::string text = dot_of(problem, split_from_text(problem.workload, "a b | c"));
  EXPECT_EQ(count(text, "\\nvalue 4.5 ms\""), 1u) << text;
  EXPECT_EQ(count(text, "load 3.5 ms (compute 3, in 0, out 0.5)"), 1u) << text;
  EXPECT_EQ(count(text, "n0 [label=\"a\\n1 ms\"]"), 1u) << text;
  EXPECT_EQ(count(text, "n1 [label=\"b\\n2 ms\", tooltip=\"2 (b): MatMul, fp16[2,3], 2 ms, calibrated\"]"), 1u) << text;
}

TEST(GraphDot, AnyNameWillDo) {
  Problem problem = problem_of("a 1 9; b 2 9; c 4 9; d 1 9; e 1 9; a -> b -> c -> d -> e");
  const Split split = split_from_text(problem.workload, "a b | c d e");
  const std::string plain = without_strings(dot_of(problem, split));
  const std::string names[] = {"\"]; } digraph {", "ends with \\", "two\nlines\t", "\\N \\\" &lt; <b>", "日本語"};
  for (const NodeId v : problem.workload.change().graph.nodes.all())
    problem.workload.change().graph.nodes[v].name = names[v.index()];
  problem.workload.change().name = "\\\"";
  const std::string text = dot_of(problem, split);
  EXPECT_EQ(without_strings(text), plain);
  EXPECT_EQ(count(text, "ends with \\\\\\n"), 1u);
  EXPECT_EQ(count(text, "\\\\N \\\\\\\" &amp;lt; <b>"), 1u);
  EXPECT_EQ(count(text, "日本語"), 1u);
}

TEST(GraphDot, NodesWithoutNamesShowTheirIds) {
  Problem problem = problem_of("a 1 9 id=17; b 2 9; a -> b");
  const Split split = split_from_text(problem.workload, "a b");
  for (Node& node : problem.workload.change().graph.nodes) node.name.clear();
  EXPECT_EQ(count(dot_of(problem, split), "n0 [label=\"17\\n1\"]"), 1u);
}

}  // namespace
}  // namespace partita::detail
