// SPDX-License-Identifier: Apache-2.0
#include "partita/check/memory.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita::detail {
namespace {

IdVector<DeviceId, std::size_t> samples_in_flight(const Problem& problem, const CheckReport& report) {
  const auto most = static_cast<std::size_t>(std::max(problem.microbatches, 0));
  if (problem.memory_model == MemoryModel::GPipe) return IdVector<DeviceId, std::size_t>(report.devices.size(), most);
  IdVector<DeviceId, std::size_t> in_flight(report.devices.size(), 1);
  std::size_t devices = 0;  // that share this stage or a later one
  for (auto d = report.order.rbegin(); d != report.order.rend(); ++d) {
    const std::size_t sharing = report.devices[*d].sharing;
    devices += sharing;
    in_flight[*d] = (devices + sharing - 1) / sharing;
    if (most > 0) in_flight[*d] = std::min(in_flight[*d], most);
  }
  return in_flight;
}

}  // namespace

bool memory_needs_order(const Problem& problem) {
  return problem.memory_model == MemoryModel::OneF1B && problem.microbatches != 1;
}

void measure_memory(const Problem& problem, const Placement& placement, CheckReport& report) {
  const Graph& graph = problem.workload->graph;
  const bool flat = problem.memory_model == MemoryModel::Flat;
  for (NodeId v : graph.nodes.all()) {
    if (!placement.device_of[v].valid()) continue;
    DeviceReport& device = report.devices[placement.device_of[v]];
    const Node& node = graph.nodes[v];
    if (flat) {
      device.memory += node.memory;
      device.memory_items.in_flight = 1;
    }
    device.memory_items.weights += node.parts.weights;
    device.memory_items.gradients += node.parts.gradients;
    device.memory_items.optimizer_state += node.parts.optimizer_state;
    device.memory_items.activation += device.recomputes ? node.parts.recompute_activation : node.parts.activation;
    if (device.recomputes) device.memory_items.recomputed += node.parts.activation;
  }
  if (flat) return;
  if (problem.objective == Objective::Latency || problem.shape != Shape::Staged) {
    report.violations.push_back(
        {Violation::Kind::Memory,
         fmt::format("the memory model {} needs a staged split for throughput, which has stages",
                     to_string(problem.memory_model))});
  }
  const IdVector<DeviceId, std::size_t> in_flight = samples_in_flight(problem, report);
  for (DeviceId d : report.devices.all()) {
    DeviceReport& device = report.devices[d];
    if (device.node_count == 0) continue;
    device.memory_items.in_flight = in_flight[d];
    device.memory = device.memory_items.total();
  }
}

}  // namespace partita::detail
