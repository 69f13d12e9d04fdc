// SPDX-License-Identifier: Apache-2.0
#include "partita/schedule/sequential.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "partita/check/crossings.h"
#include "partita/model/contention.h"

namespace partita::detail {
namespace {

// A piece for each step of the schedule, in its order.
Pieces pieces_of_schedule(const Problem& problem, const Split& split, const CheckReport& report) {
  const Graph& graph = problem.workload->graph;
  const Platform& platform = problem.workload->platform;
  Pieces pieces;
  pieces.fewest = true;  // the split says which they are
  pieces.piece_of.resize(graph.nodes.size());
  std::map<std::tuple<DeviceId, bool, std::uint32_t>, PieceId> subgraphs;
  for (const ScheduleStep& step : report.schedule) {
    Piece piece;
    piece.device = step.device;
    piece.backward = step.backward;
    const PieceId p = pieces.pieces.push_back(std::move(piece));
    if (step.node.valid()) {
      pieces.piece_of[step.node] = p;
    } else {
      subgraphs[{step.device, step.backward, step.subgraph}] = p;
    }
  }
  const IdVector<ClassId, double> slow_down = slow_downs(platform);
  for (NodeId v : graph.nodes.all()) {
    PieceId& p = pieces.piece_of[v];
    const std::uint32_t subgraph = split.subgraph_of.empty() ? 0 : split.subgraph_of[v];
    if (!p.valid()) p = subgraphs.at({split.device_of[v], graph.nodes[v].backward, subgraph});
    pieces.pieces[p].nodes.push_back(v);
    const ClassId its_class = platform.class_of(split.device_of[v]);
    pieces.pieces[p].load.compute += graph.nodes[v].time[its_class.index()] * slow_down[its_class];
  }
  for (const Edge& edge : graph.edges) {
    const PieceId from = pieces.piece_of[edge.from];
    const PieceId to = pieces.piece_of[edge.to];
    if (from != to) pieces.pieces[to].after.push_back(from);
  }
  IdVector<NodeId, BlockId> block_of(graph.nodes.size());
  IdVector<BlockId, DeviceId> device_of(pieces.pieces.size());
  for (NodeId v : graph.nodes.all()) block_of[v] = BlockId(pieces.piece_of[v].index());
  for (PieceId p : pieces.pieces.all()) {
    Piece& piece = pieces.pieces[p];
    device_of[BlockId(p.index())] = piece.device;
    std::sort(piece.after.begin(), piece.after.end());
    piece.after.erase(std::unique(piece.after.begin(), piece.after.end()), piece.after.end());
  }
  const Crossings crossings = find_crossings(graph, block_of, device_of, ClusterTree(platform));
  for (const Crossing& c : crossings.in) pieces.pieces[PieceId(c.block.index())].load.in += c.cost;
  for (const Crossing& c : crossings.out) pieces.pieces[PieceId(c.block.index())].load.out += c.cost;
  return pieces;
}

// For each step of the schedule the core of its host, the lowest that is free: as few as are busy at once. Accelerators
// have one.
std::vector<std::size_t> share_cores(const CheckReport& report) {
  IdVector<DeviceId, std::vector<double>> free_at(report.devices.size());
  std::vector<std::size_t> core_of;
  for (const ScheduleStep& step : report.schedule) {
    std::vector<double>& cores = free_at[step.device];
    std::size_t core = 0;
    if (step.node.valid() && step.finish > step.start) {
      while (core < cores.size() && cores[core] > step.start) ++core;
      if (core == cores.size()) cores.push_back(0);
      cores[core] = step.finish;
    }
    core_of.push_back(core);
  }
  return core_of;
}

}  // namespace

Program sequential_program(const Steps& steps, std::size_t samples) {
  Program program;
  program.samples = samples;
  program.order.resize(steps.lanes.size());
  program.gate_of.assign(steps.steps.size(), 0);
  program.gates.emplace_back();
  for (std::size_t n = 0; n < samples; ++n) {
    program.gates.front().push_back(static_cast<std::uint32_t>(n));
    for (StepId s : steps.steps.all()) program.order[steps[s].lane(n)].push_back({s, static_cast<std::uint32_t>(n)});
  }
  return program;
}

LatencySchedule repeat_latency_schedule(const Problem& problem, const Split& split, const CheckReport& report,
                                        std::size_t samples) {
  Pieces pieces = pieces_of_schedule(problem, split, report);
  const std::vector<std::size_t> core_of = share_cores(report);
  Steps steps;
  steps.of.resize(pieces.pieces.size());
  steps.sync.resize(report.devices.size());
  steps.sharers.resize(report.devices.size());

  IdVector<DeviceId, std::size_t> cores(report.devices.size(), 0);
  for (PieceId p : pieces.pieces.all())
    cores[pieces.pieces[p].device] = std::max(cores[pieces.pieces[p].device], core_of[p.index()] + 1);
  IdVector<DeviceId, std::size_t> first_lane(report.devices.size(), 0);
  for (DeviceId d : report.devices.all()) {
    first_lane[d] = steps.lanes.size();
    if (cores[d] > 0) steps.sharers[d] = {d};
    const std::string name = problem.workload->platform.device_name(d);
    for (std::size_t core = 0; core < cores[d]; ++core)
      steps.lanes.push_back({d, cores[d] > 1 ? fmt::format("{}: core {}", name, core) : name});
  }
  for (PieceId p : pieces.pieces.all()) {
    const Piece& piece = pieces.pieces[p];
    Step step;
    step.piece = p;
    step.device = piece.device;
    step.backward = piece.backward;
    step.spent = {piece.load.in, piece.load.compute, piece.load.out, 0};
    step.duration = report.schedule[p.index()].finish - report.schedule[p.index()].start;
    step.lanes = {LaneId(first_lane[piece.device] + core_of[p.index()])};
    for (PieceId q : piece.after) step.after.push_back(steps.of[q].compute);
    steps.of[p].compute = steps.steps.push_back(std::move(step));
  }
  Timing timing(steps.steps.size(), samples);
  for (std::size_t n = 0; n < samples; ++n) {
    const double begin = static_cast<double>(n) * report.value;
    for (StepId s : steps.steps.all()) {
      const ScheduleStep& step = report.schedule[s.index()];
      timing.set(s, n, begin + step.start, begin + step.finish);
    }
  }
  return {std::move(pieces), std::move(steps), std::move(timing)};
}

}  // namespace partita::detail
