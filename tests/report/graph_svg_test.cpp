// SPDX-License-Identifier: Apache-2.0
// Pictures of splits: what is in them, and that any reader of XML can read them.
#include "partita/report/graph_svg.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "partita/check/claims.h"
#include "partita/report/graph_picture.h"
#include "partita/report/svg.h"
#include "tests/report/count.h"
#include "tests/report/xml_fault.h"
#include "tests/support/graph_text.h"
#include "tests/support/transformer.h"

namespace partita::detail {
namespace {

using Counts = std::vector<std::pair<std::string_view, std::size_t>>;
void expect_counts(std::string_view svg, const Counts& counts) {
  for (const auto& [what, times] : counts) EXPECT_EQ(count(svg, what), times) << what;
}

Problem problem_of(const std::string& graph, int accelerators) {
  Problem problem;
  problem.workload = graph_from_text(graph, accelerators, kUnlimited, 1);
  problem.workload.change().name = "small";
  problem.shape = Shape::Free;
  return problem;
}

std::string picture(const Problem& problem, const Split& split, Status status = Status::Optimal, double bound = 0) {
  const CheckReport report = check(problem, split);
  EXPECT_TRUE(report.legal()) << report.violations.front().message;
  Result result;
  result.status = status;
  result.split = split;
  result.value = report.value;
  result.bound = status == Status::Optimal ? report.value : bound;
  const std::string svg = graph_svg(problem, cut_into_pieces(problem, split, report), report, result);
  EXPECT_EQ(xml_fault(svg), "") << svg.substr(0, 2000);
  EXPECT_EQ(count(svg, "<script"), 0u);
  EXPECT_EQ(count(svg, "http"), 1u);  // the name space
  return svg;
}

std::string picture(const std::string& graph, const std::string& split, int accelerators) {
  const Problem problem = problem_of(graph, accelerators);
  return picture(problem, split_from_text(problem.workload, split));
}

TEST(XmlFault, FindsFaults) {
  EXPECT_EQ(xml_fault("<a b=\"1\"><c/>x &lt; y</a>\n"), "");
  for (const char* wrong : {"", "<a>", "<a></b>", "<a b=1/>", "<a b=\"1\" b=\"2\"/>", "<a>x < y</a>", "<a>x & y</a>",
                            "<a/><b/>", "<a b=\"<\"/>", "<a>\x01</a>", "<a/>x"}) {
    EXPECT_NE(xml_fault(wrong), "") << wrong;
  }
}

TEST(GraphSvg, WhoPointsAtANodeIsToldWhatItCosts) {
  Problem problem = problem_of("a 1 9; b 2 9; a -> b : 0.25", 1);
  Workload& workload = problem.workload.change();
  workload.time_unit = "ms";
  workload.graph.nodes[NodeId(1)].op = "Mat<Mul>";
  workload.graph.nodes[NodeId(1)].facts = {CostSource::Measured, "matrix product", 1, 1, "fp16[2,3]"};
  const std::string svg = picture(problem, split_from_text(problem.workload, "a b"));
  EXPECT_EQ(count(svg, "<title>1 (a): 1 ms</title>"), 1u) << svg;
  EXPECT_EQ(count(svg, "<title>2 (b): Mat&lt;Mul&gt;, fp16[2,3], 2 ms, measured</title>"), 1u) << svg;
}

TEST(GraphSvg, ShowsNodesPiecesAndWhatMoves) {
  const std::string svg = picture("a 1 9; b 2 9; c 4 9; a -> b : 0.25; b -> c : 0.5", "a b | c", 2);
  EXPECT_EQ(count(svg, "rx=\"4\""), 3u);  // nodes
  EXPECT_EQ(count(svg, "rx=\"6\""), 2u);  // boxes
  for (const char* name : {">a</text>", ">b</text>", ">c</text>"}) EXPECT_EQ(count(svg, name), 1u) << name;
  EXPECT_EQ(count(svg, "class=\"inner\""), 1u);
  EXPECT_EQ(count(svg, "marker-end=\"url(#from0)\""), 1u);
  EXPECT_EQ(count(svg, "class=\"halo\""), 1u);  // the cost of the edge between the devices
  EXPECT_EQ(count(svg, ">0.5</text>"), 1u);
  EXPECT_EQ(count(svg, "compute 3 · in 0 · out 0.5"), 1u);
  EXPECT_EQ(count(svg, "compute 4 · in 0.5 · out 0"), 1u);
  EXPECT_EQ(count(svg, "time per sample 4.5, optimal among "), 1u);
  EXPECT_EQ(count(svg, "class=\"hot\" font-weight=\"bold\">accelerator 1"), 2u);  // among the loads and on its box
  EXPECT_EQ(count(svg, "stroke-width=\"2.5\""), 1u);
  EXPECT_EQ(count(svg, "prefers-color-scheme:dark"), 1u);
}

TEST(GraphSvg, SaysHowFarTheBoundIs) {
  const Problem problem = problem_of("a 1 9; b 3 9", 2);
  const Split split = split_from_text(problem.workload, "a b");
  EXPECT_EQ(count(picture(problem, split, Status::Feasible, 3),
                  fmt::format("time per sample 4, best found; no {} is below 3 (gap 25 %)",
                              split_kind(problem.objective, problem.shape))),
            1u);
  Problem timed = problem;
  timed.workload.change().time_unit = "ms";
  EXPECT_EQ(count(picture(timed, split, Status::Optimal), "time per sample 4 ms, 250 samples/s, optimal among "), 1u);
}

TEST(GraphSvg, AnOutputMovesToAPieceOnce) {
  expect_counts(
      picture("a 1 9; b 2 9; c 4 9; a -> b c : 0.5", "a | b c", 2),
      {{"stroke-opacity=\"0.8\" marker-end", 1}, {"stroke-opacity=\"0.35\" marker-end", 1}, {"class=\"halo\"", 1}});
}

TEST(GraphSvg, WiderEdgesCostMore) {
  expect_counts(
      picture("a 1 9; b 1 9; c 1 9; d 1 9; a -> c : 1; b -> d : 10", "a b | c d", 2),
      {{"stroke-width=\"1.2\" stroke-opacity=\"0.8\"", 1}, {"stroke-width=\"4.1\" stroke-opacity=\"0.8\"", 1}});
}

// a and c are on one device, which waits for the other in between.
TEST(GraphSvg, ADeviceMayHaveSeveralPieces) {
  expect_counts(picture("a 1 9; b 2 9; c 4 9; a -> b -> c; a -> c", "a c | b", 2),
                {{"rx=\"6\"", 3}, {"class=\"own\"", 1}});
}

TEST(GraphSvg, BackwardPiecesSaySo) {
  expect_counts(picture("a 1 9; A 2 9 back; a -> A", "a A", 1), {{">backward</text>", 1}, {"rx=\"6\"", 2}});
}

TEST(GraphSvg, LatencyHasNoBottleneck) {
  Problem problem = problem_of("a 1 9; b 2 9; a -> b : 1", 2);
  problem.objective = Objective::Latency;
  const std::string svg = picture(problem, split_from_text(problem.workload, "a | b"));
  EXPECT_EQ(count(svg, "class=\"hot\""), 0u);
  EXPECT_EQ(count(svg, "latency 5, optimal<"), 1u);
}

TEST(GraphSvg, CopiesAreNamedTogether) {
  Problem problem = problem_of("a 1 9; b 2 9; a -> b : 1", 3);
  problem.shape = Shape::Staged;
  problem.replicas = 2;
  Split split = split_from_text(problem.workload, "a | b");
  split.order = {DeviceId(0), DeviceId(1)};
  split.copy_of = {DeviceId(0), DeviceId(1), DeviceId(1), DeviceId(3)};
  EXPECT_EQ(count(picture(problem, split), ">accelerator 1-2 x2</text>"), 2u);
}

TEST(GraphSvg, AnyNameWillDo) {
  Problem problem = problem_of("a 1 9; b 2 9; c 3 9; d 1 9; a -> b -> c -> d", 2);
  problem.workload.change().name = "</title><script>&\"'\x01";
  const Split split = split_from_text(problem.workload, "a b | c d");
  const std::string names[] = {"<script>alert('x')</script>", "&amp;\"]]>\x02\n\t--\\",
                               "日本語の長い名前はここで切られるはずです日本語の長い名前", "\xEF\xBF\xBF\xEF\xBF\xBE"};
  for (const NodeId v : problem.workload.change().graph.nodes.all())
    problem.workload.change().graph.nodes[v].name = names[v.index()];
  const std::string svg = picture(problem, split);
  EXPECT_EQ(count(svg, "\xEF\xBF\xBF"), 0u);
  problem.workload.change().platform.classes[ClassId(0)].name = "<&\">";
  picture(problem, split);
}

TEST(GraphSvg, NamesAreCutBetweenLetters) {
  EXPECT_EQ(fitted("convolution", 10, 1000), "convolution");
  EXPECT_EQ(fitted("convolution", 10, 35), "convo…");
  EXPECT_EQ(fitted("日本語の名前", 10, 38), "日本語…");
  EXPECT_EQ(fitted("convolution", 10, 12), "");
}

Split in_equal_parts(const Workload& workload, std::size_t devices) {
  Split split;
  split.device_of.resize(workload.graph.nodes.size());
  std::size_t forward = 0;
  for (const Node& node : workload.graph.nodes) forward += !node.backward;
  for (const NodeId v : workload.graph.nodes.all()) {
    const std::size_t at = v.index() < forward ? v.index() : 2 * forward - 1 - std::min(v.index(), 2 * forward - 1);
    split.device_of[v] = DeviceId(std::min(devices - 1, at * devices / forward));
  }
  return split;
}

// What is drawn of graphs of all sizes, and how much text that takes.
TEST(GraphSvg, LargeGraphsAreDrawnInLessDetail) {
  Problem problem;
  problem.shape = Shape::Free;
  for (const auto& [nodes, most] :
       {std::pair(140, 120'000), {500, 200'000}, {1500, 300'000}, {2900, 500'000}, {4000, 60'000}}) {
    SCOPED_TRACE(nodes);
    problem.workload = transformer_of_size(static_cast<std::size_t>(nodes), false);
    for (Node& node : problem.workload.change().graph.nodes) {
      node.memory = 0;
      for (double& time : node.time) time = std::isfinite(time) ? time : 1;
    }
    const std::string svg = picture(problem, in_equal_parts(problem.workload, 6));
    EXPECT_LT(svg.size(), static_cast<std::size_t>(most));
    const std::size_t drawn = problem.workload->graph.nodes.size();
    EXPECT_EQ(count(svg, "rx=\"4\""), drawn <= 600 ? drawn : 0);
    EXPECT_EQ(count(svg, "h0"), drawn > 600 && drawn <= 3000 ? drawn : 0);
    EXPECT_EQ(count(svg, " nodes</text>"), drawn > 3000 ? 6u : 0u);
  }
}

}  // namespace
}  // namespace partita::detail
