// SPDX-License-Identifier: Apache-2.0
#include "partita/check/loads.h"

#include <algorithm>
#include <cassert>

#include "partita/check/crossings.h"

namespace partita {

double pass_load(const PassLoad& pass, TransferMode mode) {
  switch (mode) {
    case TransferMode::Sum: return pass.compute + pass.in + pass.out;
    case TransferMode::Overlap: return std::max(pass.compute, pass.in + pass.out);
    case TransferMode::Duplex: return std::max({pass.compute, pass.in, pass.out});
  }
  assert(!"no such transfer mode");
  return 0;
}

double shared_load(double load, std::size_t sharing, double sync, TransferMode mode) {
  const double own = load / static_cast<double>(sharing);
  return mode == TransferMode::Sum ? own + sync : std::max(own, sync);
}

void measure_loads(const Problem& problem, const Placement& placement, CheckReport& report) {
  const Graph& graph = problem.workload.graph;
  const Platform& platform = problem.workload.platform;
  const std::size_t device_count = platform.device_count();

  IdVector<DeviceId, ClassId> class_of(device_count);
  for (DeviceId d : class_of.all()) class_of[d] = platform.class_of(d);
  report.devices.assign(device_count, {});

  const auto pass_of = [&](DeviceId d, NodeId v) -> PassLoad& {
    return graph.nodes[v].backward ? report.devices[d].backward : report.devices[d].forward;
  };

  IdVector<NodeId, BlockId> block_of(graph.nodes.size());
  for (NodeId v : graph.nodes.all()) {
    const DeviceId d = placement.device_of[v];
    if (!d.valid()) continue;
    block_of[v] = BlockId(d.index());
    const double time = graph.nodes[v].time[class_of[d].index()];
    if (time != kCannotRun) pass_of(d, v).compute += time;
    report.devices[d].memory += graph.nodes[v].memory;
    report.devices[d].original = d;
    ++report.devices[d].node_count;
  }

  const auto pays = [&](DeviceId d) { return platform.classes[class_of[d]].kind == DeviceKind::Accelerator; };
  const Crossings crossings = find_crossings(graph, block_of, device_count);
  for (const Crossing& c : crossings.in) {
    const DeviceId d(c.block.index());
    if (pays(d)) pass_of(d, c.producer).in += c.cost;
  }
  for (const Crossing& c : crossings.out) {
    const DeviceId d(c.block.index());
    if (pays(d)) pass_of(d, c.producer).out += c.cost;
  }

  report.load.assign(device_count, 0);
  report.bottleneck = DeviceId();
  for (DeviceId d : report.devices.all()) {
    const DeviceReport& device = report.devices[d];
    report.load[d] = pass_load(device.forward, problem.transfers) + pass_load(device.backward, problem.transfers);
    if (!report.bottleneck.valid() || report.load[d] > report.load[report.bottleneck]) report.bottleneck = d;
  }
}

double throughput_value(const Problem& problem, const CheckReport& report) {
  if (problem.objective == Objective::GPipe) {
    double forward = 0;
    double backward = 0;
    for (const DeviceReport& device : report.devices) {
      forward = std::max(forward, pass_load(device.forward, problem.transfers));
      backward = std::max(backward, pass_load(device.backward, problem.transfers));
    }
    return forward + backward;
  }
  return report.bottleneck.valid() ? report.load[report.bottleneck] : 0;
}

}  // namespace partita
