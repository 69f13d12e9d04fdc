// SPDX-License-Identifier: Apache-2.0
#include "partita/check/latency.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "partita/check/block_order.h"
#include "partita/check/host_cores.h"
#include "partita/check/names.h"
#include "partita/model/contention.h"

namespace partita::detail {
namespace {

struct Blocks {
  IdVector<BlockId, ScheduleStep> steps;  // not yet scheduled
  IdVector<NodeId, BlockId> of;
  std::vector<std::pair<BlockId, BlockId>> in_turn;  // blocks of one accelerator that run one right after the other
};

Blocks make_blocks(const Problem& problem, const Placement& placement) {
  const Graph& graph = problem.workload->graph;
  const Platform& platform = problem.workload->platform;
  Blocks blocks;
  blocks.of.resize(graph.nodes.size());
  using Turn = std::tuple<DeviceId, bool, std::uint32_t>;  // sorts by running order: device, pass, subgraph
  std::map<Turn, BlockId> turns;
  for (NodeId v : graph.nodes.all()) {
    const DeviceId d = placement.device_of[v];
    if (!d.valid()) continue;
    const bool backward = graph.nodes[v].backward;
    if (platform.classes[platform.class_of(d)].kind == DeviceKind::Host) {
      blocks.of[v] = blocks.steps.push_back({.device = d, .node = v, .backward = backward});
      continue;
    }
    const std::uint32_t subgraph = placement.subgraph_of[v];
    BlockId& block = turns[{d, backward, subgraph}];
    if (!block.valid()) {
      block = blocks.steps.push_back(
          {.device = d, .node = {}, .backward = backward, .subgraph = subgraph, .node_count = 0});
    }
    ++blocks.steps[block].node_count;
    blocks.of[v] = block;
  }
  BlockId previous;
  for (const auto& [turn, block] : turns) {
    if (previous.valid() && blocks.steps[previous].device == std::get<DeviceId>(turn))
      blocks.in_turn.emplace_back(previous, block);
    previous = block;
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
  for (const auto& [first, second] : blocks.in_turn) arcs.push_back({first, second, {}, false});
  return arcs;
}

IdVector<BlockId, double> durations(const Problem& problem, const Blocks& blocks, const ClusterTree& clusters) {
  const Graph& graph = problem.workload->graph;
  const IdVector<ClassId, double> slow_down = slow_downs(problem.workload->platform);
  IdVector<BlockId, double> duration(blocks.steps.size(), 0);
  for (NodeId v : graph.nodes.all()) {
    const BlockId block = blocks.of[v];
    if (!block.valid()) continue;
    const ClassId id = problem.workload->platform.class_of(blocks.steps[block].device);
    const double time = graph.nodes[v].time[id.index()] * slow_down[id];
    if (time != kCannotRun) duration[block] += time;
  }
  IdVector<BlockId, DeviceId> device_of(blocks.steps.size());
  for (BlockId b : device_of.all()) device_of[b] = blocks.steps[b].device;
  const auto pay = [&](const Crossing& crossing) { duration[crossing.block] += crossing.cost; };
  const Crossings crossings = find_crossings(graph, blocks.of, device_of, clusters);
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
  const std::string device = problem.workload->platform.device_name(step.device);
  if (step.node.valid()) return fmt::format("{} on {}", node_text(problem.workload->graph, step.node), device);
  const bool one_of_several = problem.subgraphs > 1 || step.subgraph > 0;
  return device + (one_of_several ? fmt::format(" subgraph {}", step.subgraph) : "") +
         (step.backward ? " (backward)" : "");
}

std::string cause_text(const Problem& problem, const Blocks& blocks, const BlockArc& arc) {
  const Graph& graph = problem.workload->graph;
  if (arc.edge) return "by edge " + edge_text(graph, graph.edges[*arc.edge]);
  const bool same_pass = blocks.steps[arc.from].backward == blocks.steps[arc.to].backward;
  return same_pass ? "subgraphs run in order" : "forward runs first";
}

void name_circle(const Problem& problem, const Blocks& blocks, const std::vector<BlockArc>& circle,
                 CheckReport& report) {
  std::vector<std::string> steps;
  for (const BlockArc& arc : circle) {
    steps.push_back(fmt::format("{} before {} ({})", block_text(problem, blocks.steps[arc.from]),
                                block_text(problem, blocks.steps[arc.to]), cause_text(problem, blocks, arc)));
  }
  report.violations.push_back({Violation::Kind::Shape, "these cannot run uninterrupted, each waits for the other: " +
                                                           joined_in_short(steps, ", ")});
}

// Everything starts as soon as it can.
std::vector<ScheduleStep> with_cores_enough(const Blocks& blocks, const IdVector<BlockId, double>& duration,
                                            const std::vector<BlockArc>& arcs, const std::vector<BlockId>& order) {
  IdVector<BlockId, ScheduleStep> steps = blocks.steps;
  IdVector<BlockId, std::vector<BlockId>> waiting(steps.size());
  for (const BlockArc& arc : arcs) waiting[arc.from].push_back(arc.to);
  std::vector<ScheduleStep> schedule;
  for (BlockId b : order) {
    ScheduleStep& step = steps[b];
    step.finish = step.start + duration[b];
    for (BlockId next : waiting[b]) steps[next].start = std::max(steps[next].start, step.finish);
    schedule.push_back(step);
  }
  // Stable, so that of blocks that take no time the one that others wait for stays first.
  std::stable_sort(schedule.begin(), schedule.end(),
                   [](const ScheduleStep& a, const ScheduleStep& b) { return a.start < b.start; });
  return schedule;
}

}  // namespace

void measure_latency(const Problem& problem, const Placement& placement, const ClusterTree& clusters,
                     CheckReport& report) {
  const Blocks blocks = make_blocks(problem, placement);
  const std::vector<BlockArc> arcs = dependencies(problem.workload->graph, blocks);
  const BlockOrder found = order_blocks(blocks.steps.size(), arcs);
  if (!found.circle.empty()) {
    name_circle(problem, blocks, found.circle, report);
    report.value = std::numeric_limits<double>::infinity();
    return;
  }
  const IdVector<BlockId, double> duration = durations(problem, blocks, clusters);
  report.schedule = problem.strict_host_cores
                        ? share_host_cores(blocks.steps, duration, arcs, found.order,
                                           problem.workload->platform.device_count(DeviceKind::Host))
                        : with_cores_enough(blocks, duration, arcs, found.order);
  report.value = 0;
  for (const ScheduleStep& step : report.schedule) report.value = std::max(report.value, step.finish);
  report.host_cores = most_at_once(report.schedule);
}

}  // namespace partita::detail
