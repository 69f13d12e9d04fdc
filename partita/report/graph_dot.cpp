// SPDX-License-Identifier: Apache-2.0
#include "partita/report/graph_dot.h"

#include <fmt/format.h>

#include "partita/check/describe.h"
#include "partita/check/times.h"
#include "partita/report/node_remark.h"
#include "partita/report/svg.h"
#include "partita/util/visible_text.h"

namespace partita::detail {
namespace {

constexpr std::size_t kLabelled = 600;  // nodes of a graph whose edges all say what they cost

// A text inside quotes, shown as it is: Graphviz reads backslashes and entities in it.
std::string in_quotes(std::string_view text) {
  std::string out;
  for (const char c : visible(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
    if (c == '&') out += "amp;";
  }
  return out;
}

std::string brief_time(double time, const Problem& problem) {
  const std::string& unit = problem.workload->time_unit;
  return fmt::format("{:.4g}{}{}", time, unit.empty() ? "" : " ", unit);
}

std::string node_label(const Problem& problem, NodeId node, DeviceId device) {
  const Node& what = problem.workload->graph.nodes[node];
  const double time = what.time[problem.workload->platform.class_of(device).index()];
  return fmt::format("{}\\n{}", in_quotes(what.name.empty() ? std::to_string(what.original_id) : what.name),
                     in_quotes(brief_time(time, problem)));
}

// Where the file says what nodes compute, who points at one is told.
std::string tooltip(const Problem& problem, NodeId node, DeviceId device) {
  if (problem.workload->graph.nodes[node].op.empty()) return "";
  return fmt::format(", tooltip=\"{}\"", in_quotes(node_remark(problem, node, device)));
}

}  // namespace

std::string graph_dot(const Problem& problem, const Pieces& pieces, const CheckReport& report) {
  const Graph& graph = problem.workload->graph;
  std::string text = fmt::format(
      "digraph \"{}\" {{\n"
      "  graph [rankdir=LR, label=\"{}\\nvalue {}\", labelloc=t, fontname=Helvetica, fontsize=11, newrank=true];\n"
      "  node [shape=box, style=\"rounded,filled\", fontname=Helvetica, fontsize=10, margin=\"0.08,0.04\"];\n"
      "  edge [fontname=Helvetica, fontsize=9, arrowsize=0.6, color=\"#8b93a0\"];\n",
      in_quotes(problem.workload->name), in_quotes(describe_workload(problem)),
      in_quotes(time_text(report.value, problem.workload->time_unit)));
  for (const PieceId p : pieces.pieces.all()) {
    const Piece& piece = pieces.pieces[p];
    const char* colour = device_colour(piece.device);
    const bool bottleneck = problem.objective != Objective::Latency && report.is_bottleneck(piece.device);
    text += fmt::format(
        "  subgraph cluster_{} {{\n"
        "    label=\"{}{}\\nload {} (compute {:.4g}, in {:.4g}, out {:.4g}){}\";\n"
        "    color=\"{}\"; bgcolor=\"{}1a\"; style=rounded; penwidth={};\n"
        "    node [color=\"{}\", fillcolor=\"{}66\"];\n",
        p.index(), in_quotes(stage_name(problem, report, piece.device)), piece.backward ? ", backward" : "",
        in_quotes(brief_time(pass_load(piece.load, problem.transfers), problem)), piece.load.compute, piece.load.in,
        piece.load.out, bottleneck ? "\\nbottleneck" : "", colour, colour, bottleneck ? 3 : 1, colour, colour);
    if (piece.nodes.empty()) text += fmt::format("    p{} [label=\"\", shape=point];\n", p.index());
    for (const NodeId v : piece.nodes) {
      text += fmt::format("    n{} [label=\"{}\"{}];\n", v.index(), node_label(problem, v, piece.device),
                          tooltip(problem, v, piece.device));
    }
    text += "  }\n";
  }
  const bool all_labels = graph.nodes.size() <= kLabelled;
  for (const Edge& edge : graph.edges) {
    const DeviceId from = pieces.pieces[pieces.piece_of[edge.from]].device;
    const DeviceId to = pieces.pieces[pieces.piece_of[edge.to]].device;
    text += fmt::format("  n{} -> n{}", edge.from.index(), edge.to.index());
    if (from != to) {
      text += fmt::format(" [color=\"{}\", penwidth=2", device_colour(from));
      if (all_labels || edge.cost > 0) text += fmt::format(", label=\"{:.4g}\"", edge.cost);
      text += "]";
    } else if (all_labels && edge.cost > 0) {
      text += fmt::format(" [label=\"{:.4g}\", fontcolor=\"#8b93a0\"]", edge.cost);
    }
    text += ";\n";
  }
  return text + "}\n";
}

}  // namespace partita::detail
