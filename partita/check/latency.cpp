// SPDX-License-Identifier: Apache-2.0
#include "partita/check/latency.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "partita/check/block_order.h"
#include "partita/check/names.h"

namespace partita {
namespace {

struct Blocks {
  IdVector<BlockId, ScheduleStep> steps;  // not yet scheduled
  IdVector<NodeId, BlockId> of;
  IdVector<DeviceId, std::array<BlockId, 2>> passes;  // of each accelerator: its forward and its backward block
};

Blocks make_blocks(const Problem& problem, const Placement& placement) {
  const Graph& graph = problem.workload.graph;
  const Platform& platform = problem.workload.platform;
  Blocks blocks;
  blocks.of.resize(graph.nodes.size());
  blocks.passes.resize(platform.device_count());
  for (NodeId v : graph.nodes.all()) {
    const DeviceId d = placement.device_of[v];
    if (!d.valid()) continue;
    const bool backward = graph.nodes[v].backward;
    if (platform.classes[platform.class_of(d)].kind == DeviceKind::Host) {
      blocks.of[v] = blocks.steps.push_back({d, v, backward, 0, 0});
      continue;
    }
    BlockId& block = blocks.passes[d][backward ? 1 : 0];
    if (!block.valid()) block = blocks.steps.push_back({d, NodeId(), backward, 0, 0});
    blocks.of[v] = block;
  }
  return blocks;
}

std::vector<BlockArc> dependencies(const Graph& graph, const Blocks& blocks) {
  std::vector<BlockArc> arcs;
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    const BlockId from = blocks.of[graph.edges[e].from];
    const BlockId to = blocks.of[graph.edges[e].to];
    if (from.valid() && to.valid() && from != to) arcs.push_back({from, to, e, false});
  }
  for (const auto& [forward, backward] : blocks.passes) {
    if (forward.valid() && backward.valid()) arcs.push_back({forward, backward, {}, false});
  }
  return arcs;
}

IdVector<BlockId, double> durations(const Problem& problem, const Blocks& blocks) {
  const Graph& graph = problem.workload.graph;
  IdVector<BlockId, double> duration(blocks.steps.size(), 0);
  for (NodeId v : graph.nodes.all()) {
    const BlockId block = blocks.of[v];
    if (!block.valid()) continue;
    const ClassId id = problem.workload.platform.class_of(blocks.steps[block].device);
    const double time = graph.nodes[v].time[id.index()];
    if (time != kCannotRun) duration[block] += time;
  }
  const auto pay = [&](const Crossing& crossing) {
    const bool on_host = blocks.steps[crossing.block].node.valid();
    if (!on_host) duration[crossing.block] += crossing.cost;
  };
  const Crossings crossings = find_crossings(graph, blocks.of, blocks.steps.size());
  std::for_each(crossings.in.begin(), crossings.in.end(), pay);
  std::for_each(crossings.out.begin(), crossings.out.end(), pay);
  return duration;
}

std::size_t most_at_once(const std::vector<ScheduleStep>& schedule) {
  std::vector<std::pair<double, int>> events;  // at one time, ends (-1) come before starts
  for (const ScheduleStep& step : schedule) {
    if (!step.node.valid() || step.finish <= step.start) continue;
    events.emplace_back(step.start, 1);
    events.emplace_back(step.finish, -1);
  }
  std::sort(events.begin(), events.end());
  int busy = 0;
  int most = 0;
  for (const auto& [time, change] : events) {
    busy += change;
    most = std::max(most, busy);
  }
  return static_cast<std::size_t>(most);
}

std::string block_text(const Problem& problem, const ScheduleStep& step) {
  const std::string device = problem.workload.platform.device_name(step.device);
  if (step.node.valid()) return fmt::format("{} on {}", node_text(problem.workload.graph, step.node), device);
  return device + (step.backward ? " (backward)" : "");
}

void name_circle(const Problem& problem, const Blocks& blocks, const std::vector<BlockArc>& circle,
                 CheckReport& report) {
  const Graph& graph = problem.workload.graph;
  std::vector<std::string> steps;
  for (const BlockArc& arc : circle) {
    const std::string cause = arc.edge ? "by edge " + edge_text(graph, graph.edges[*arc.edge]) : "forward runs first";
    steps.push_back(fmt::format("{} before {} ({})", block_text(problem, blocks.steps[arc.from]),
                                block_text(problem, blocks.steps[arc.to]), cause));
  }
  report.violations.push_back({Violation::Kind::Shape, "these cannot run uninterrupted, each waits for the other: " +
                                                           joined_in_short(steps, ", ")});
}

}  // namespace

void measure_latency(const Problem& problem, const Placement& placement, CheckReport& report) {
  Blocks blocks = make_blocks(problem, placement);
  const std::vector<BlockArc> arcs = dependencies(problem.workload.graph, blocks);
  const BlockOrder found = order_blocks(blocks.steps.size(), arcs);
  if (!found.circle.empty()) {
    name_circle(problem, blocks, found.circle, report);
    report.value = std::numeric_limits<double>::infinity();
    return;
  }
  const IdVector<BlockId, double> duration = durations(problem, blocks);
  IdVector<BlockId, std::vector<BlockId>> waiting(blocks.steps.size());
  for (const BlockArc& arc : arcs) waiting[arc.from].push_back(arc.to);
  report.value = 0;
  for (BlockId b : found.order) {
    ScheduleStep& step = blocks.steps[b];
    step.finish = step.start + duration[b];
    for (BlockId next : waiting[b]) blocks.steps[next].start = std::max(blocks.steps[next].start, step.finish);
    report.schedule.push_back(step);
    report.value = std::max(report.value, step.finish);
  }
  report.host_cores = most_at_once(report.schedule);
}

}  // namespace partita
