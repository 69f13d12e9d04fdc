// SPDX-License-Identifier: Apache-2.0
#include "partita/check/loads.h"

#include <algorithm>

#include "partita/check/crossings.h"
#include "partita/check/shared_links.h"
#include "partita/model/contention.h"

namespace partita::detail {

void measure_passes(const Problem& problem, const Placement& placement, const ClusterTree& clusters,
                    CheckReport& report) {
  const Graph& graph = problem.workload->graph;
  const Platform& platform = problem.workload->platform;
  const std::size_t device_count = platform.device_count();
  const bool training = graph.has_backward();

  IdVector<DeviceId, ClassId> class_of(device_count);
  IdVector<BlockId, DeviceId> device_of(device_count);
  report.devices.assign(device_count, {});
  for (DeviceId d : class_of.all()) {
    class_of[d] = platform.class_of(d);
    device_of[BlockId(d.index())] = d;
    report.devices[d].recomputes = placement.recomputes[d];
  }
  const auto pass_of = [&](DeviceId d, bool backward) -> PassLoad& {
    return backward ? report.devices[d].backward : report.devices[d].forward;
  };

  const IdVector<ClassId, double> slow_down = slow_downs(platform);
  IdVector<NodeId, BlockId> block_of(graph.nodes.size());
  for (NodeId v : graph.nodes.all()) {
    const DeviceId d = placement.device_of[v];
    if (!d.valid()) continue;
    const Node& node = graph.nodes[v];
    block_of[v] = BlockId(d.index());
    report.devices[d].original = d;
    ++report.devices[d].node_count;
    const double time = node.time[class_of[d].index()] * slow_down[class_of[d]];
    if (time == kCannotRun) continue;
    pass_of(d, node.backward).compute += time;
    if (report.devices[d].recomputes) pass_of(d, training).compute += time * node.recompute_share;
  }

  const Crossings crossings = find_crossings(graph, block_of, device_of, clusters);
  for (const Crossing& c : crossings.in) pass_of(device_of[c.block], graph.nodes[c.producer].backward).in += c.cost;
  for (const Crossing& c : crossings.out) pass_of(device_of[c.block], graph.nodes[c.producer].backward).out += c.cost;
}

void add_up_loads(const Problem& problem, CheckReport& report) {
  report.load.assign(report.devices.size(), 0);
  report.bottleneck = DeviceId();
  for (DeviceId d : report.devices.all()) {
    const DeviceReport& device = report.devices[d];
    const double both = pass_load(device.forward, problem.transfers) + pass_load(device.backward, problem.transfers);
    report.load[d] = shared_load(both, device.sharing, device.sync, problem.transfers);
    if (device.original.valid() && device.original != d) continue;
    if (!report.bottleneck.valid() || report.load[d] > report.load[report.bottleneck]) report.bottleneck = d;
  }
}

double throughput_value(const Problem& problem, const CheckReport& report) {
  if (problem.objective == Objective::GPipe) {
    double forward = 0;
    double backward = 0;
    for (const DeviceReport& device : report.devices) {
      const PassLoads loads = pass_loads(problem, device);
      forward = std::max(forward, loads.forward);
      backward = std::max(backward, loads.backward);
    }
    for (const SharedLinkReport& link : report.shared_links) {
      const PassLoads loads = pass_loads(problem, link);
      forward = std::max(forward, loads.forward);
      backward = std::max(backward, loads.backward);
    }
    return forward + backward;
  }
  if (report.slowest_link) return report.shared_links[*report.slowest_link].load;
  return report.bottleneck.valid() ? report.load[report.bottleneck] : 0;
}

}  // namespace partita::detail
