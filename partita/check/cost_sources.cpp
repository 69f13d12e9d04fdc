// SPDX-License-Identifier: Apache-2.0
#include "partita/check/cost_sources.h"

#include <fmt/format.h>

#include <algorithm>

#include "partita/check/names.h"

namespace partita::detail {
namespace {

// Below this share of the time, a wrong guess does not change what a plan is worth.
constexpr double kShareOfNote = 0.1;

}  // namespace

double least_time(const Node& node, const Platform& platform) {
  double least = kCannotRun;
  for (ClassId c : platform.classes.all()) {
    if (platform.classes[c].count > 0) least = std::min(least, node.time[c.index()]);
  }
  return least;
}

std::vector<SourceShare> source_shares(const Workload& workload) {
  std::vector<SourceShare> shares;
  for (const CostSource source : kCostSources) shares.push_back({.source = source});
  double total = 0;
  for (const Node& node : workload.graph.nodes) {
    SourceShare& share = *std::ranges::find(shares, node.facts.source, &SourceShare::source);
    const double time = least_time(node, workload.platform);
    ++share.nodes;
    if (time == kCannotRun) continue;
    share.time += time;
    total += time;
  }
  std::erase_if(shares, [](const SourceShare& share) { return share.nodes == 0; });
  for (SourceShare& share : shares) share.share = total > 0 ? share.time / total : 0;
  std::ranges::stable_sort(shares, std::ranges::greater(), &SourceShare::time);
  return shares;
}

std::string describe_sources(const Workload& workload) {
  const std::vector<SourceShare> shares = source_shares(workload);
  if (shares.size() == 1 && shares.front().source == CostSource::Given) return "";
  std::string text;
  for (const SourceShare& share : shares) {
    if (share.time == 0) continue;
    text += text.empty() ? fmt::format("{} {} of the time", to_string(share.source), share_text(share.share))
                         : fmt::format(", {} {}", to_string(share.source), share_text(share.share));
  }
  return text;
}

std::optional<std::string> unknown_operators(const Workload& workload) {
  const std::vector<SourceShare> shares = source_shares(workload);
  const auto found = std::ranges::find(shares, CostSource::Default, &SourceShare::source);
  if (found == shares.end() || found->share < kShareOfNote) return std::nullopt;
  std::vector<NodeId> nodes;
  for (NodeId v : workload.graph.nodes.all()) {
    if (workload.graph.nodes[v].facts.source == CostSource::Default) nodes.push_back(v);
  }
  std::ranges::stable_sort(nodes, std::ranges::greater(),
                           [&](NodeId v) { return least_time(workload.graph.nodes[v], workload.platform); });
  return fmt::format(
      "{} of the time is that of {} whose work is not known, and only a guess: {}; give them measured times, or shapes "
      "where these are missing",
      share_text(found->share), counted(nodes.size(), "operator"), node_list(workload.graph, nodes));
}

std::string share_text(double share) {
  if (share > 0 && share < 0.01) return "less than 1 %";
  if (share < 1 && share > 0.99) return "more than 99 %";
  return fmt::format("{:.0f} %", 100 * share);
}

}  // namespace partita::detail
