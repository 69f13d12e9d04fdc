// SPDX-License-Identifier: Apache-2.0
#include "partita/check/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "partita/check/names.h"

namespace partita::detail {

// Written so that a sum that is no number is over every limit.
bool over_memory(double used, double limit) { return !(used <= limit); }

void check_memory(const Problem& problem, CheckReport& report) {
  const Platform& platform = problem.workload->platform;
  const auto bytes = [](double b) { return fmt::format("{} ({:.15g} bytes)", human_bytes(b), b); };
  for (DeviceId d : report.devices.all()) {
    const DeviceReport& device = report.devices[d];
    if (device.original.valid() && device.original != d) continue;  // a copy holds what its original does
    const double used = device.memory;
    const double limit = platform.classes[platform.class_of(d)].memory;
    if (!over_memory(used, limit)) continue;
    report.violations.push_back(
        {Violation::Kind::Memory, fmt::format("{} holds {}, over its limit of {} by {}", platform.device_name(d),
                                              bytes(used), bytes(limit), bytes(used - limit))});
  }
}

void check_colours(const Problem& problem, const Placement& placement, CheckReport& report) {
  const Graph& graph = problem.workload->graph;
  std::map<std::int64_t, std::map<DeviceId, std::vector<NodeId>>> holders;
  for (NodeId v : graph.nodes.all()) {
    const auto& colour = graph.nodes[v].colour;
    if (colour && placement.device_of[v].valid()) holders[*colour][placement.device_of[v]].push_back(v);
  }
  for (const auto& [colour, devices] : holders) {
    if (devices.size() <= 1) continue;
    std::vector<std::string> parts;
    for (const auto& [d, nodes] : devices) {
      parts.push_back(fmt::format("{} holds {}", problem.workload->platform.device_name(d), node_list(graph, nodes)));
    }
    report.violations.push_back(
        {Violation::Kind::Colour, fmt::format("colour class {} is spread over {} devices: {}", colour, devices.size(),
                                              joined_in_short(parts, "; "))});
  }
}

void check_support(const Problem& problem, const Placement& placement, CheckReport& report) {
  const Graph& graph = problem.workload->graph;
  const Platform& platform = problem.workload->platform;
  std::map<DeviceId, std::vector<NodeId>> stuck;
  for (NodeId v : graph.nodes.all()) {
    const DeviceId d = placement.device_of[v];
    if (d.valid() && graph.nodes[v].time[platform.class_of(d).index()] == kCannotRun) stuck[d].push_back(v);
  }
  for (const auto& [d, nodes] : stuck) {
    report.violations.push_back(
        {Violation::Kind::Support, fmt::format("{} cannot run {} of its nodes: {}", platform.device_name(d),
                                               nodes.size(), node_list(graph, nodes))});
  }
}

void check_subgraphs(const Problem& problem, const Placement& placement, CheckReport& report) {
  const Graph& graph = problem.workload->graph;
  const Platform& platform = problem.workload->platform;
  const auto allowed = static_cast<std::uint32_t>(std::max(problem.subgraphs, 1));
  std::map<std::pair<DeviceId, bool>, std::vector<NodeId>> beyond;
  for (NodeId v : graph.nodes.all()) {
    const DeviceId d = placement.device_of[v];
    if (!d.valid() || platform.classes[platform.class_of(d)].kind == DeviceKind::Host) continue;
    if (placement.subgraph_of[v] >= allowed) beyond[{d, graph.nodes[v].backward}].push_back(v);
  }
  for (const auto& [where, nodes] : beyond) {
    std::uint32_t last = 0;
    for (NodeId v : nodes) last = std::max(last, placement.subgraph_of[v]);
    report.violations.push_back(
        {Violation::Kind::Subgraph,
         fmt::format(
             "{} may run {}{}, but the split gives it subgraphs up to number {}, counted from 0, with {} beyond "
             "the limit: {}",
             platform.device_name(where.first), counted(allowed, "subgraph"),
             where.second ? " in the backward pass" : "", last, counted(nodes.size(), "node"),
             node_list(graph, nodes))});
  }
}

}  // namespace partita::detail
