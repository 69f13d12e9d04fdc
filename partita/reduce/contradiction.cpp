// SPDX-License-Identifier: Apache-2.0
// Says in words why no split can exist, where a single group or the memory in total shows it.
#include <fmt/format.h>

#include <algorithm>

#include "partita/reduce/contradiction.h"

namespace partita {
namespace {

std::string name_node(const Node& node) {
  return node.name.empty() ? fmt::format("node {}", node.original_id)
                           : fmt::format("node {} ({})", node.original_id, node.name);
}

// The nodes of a group and what holds them together.
std::string name_group(const Problem& problem, const IdVector<NodeId, GroupId>& group_of, GroupId group) {
  constexpr std::size_t kMostListed = 6;
  const Graph& graph = problem.workload.graph;
  std::vector<NodeId> members;
  for (NodeId v : graph.nodes.all()) {
    if (group_of[v] == group) members.push_back(v);
  }
  if (members.size() == 1) return name_node(graph.nodes[members[0]]);
  const auto& colour = graph.nodes[members[0]].colour;
  const bool one_class =
      colour && std::all_of(members.begin(), members.end(), [&](NodeId v) { return graph.nodes[v].colour == colour; });
  std::string list;
  for (std::size_t i = 0; i < std::min(members.size(), kMostListed); ++i) {
    list += fmt::format("{}{}", i ? ", " : "", graph.nodes[members[i]].original_id);
  }
  if (members.size() > kMostListed) list += fmt::format(", ... {} in all", members.size());
  if (one_class) return fmt::format("colour class {} (nodes {})", *colour, list);
  return fmt::format("nodes {}, which colours and paths between them force onto one device,", list);
}

std::string why_not_on(const char* a_device, int count, bool supported, double memory, double limit) {
  if (count == 0) return fmt::format("the platform lacks {}", a_device);
  if (!supported) return fmt::format("{} cannot run all of it", a_device);
  return fmt::format("{} has {:.0f} bytes for the {:.0f} it needs", a_device, limit, memory);
}

}  // namespace

std::string find_contradiction(const Problem& problem, const NetGraph& graph, const StagePlatform& platform,
                               const IdVector<NodeId, GroupId>& group_of) {
  double accelerator_only = 0;
  for (GroupId v : graph.all()) {
    const Group& g = graph.group(v);
    const bool host = may_be_on_host(g, platform);
    const bool accelerator = may_be_on_accelerator(g, platform);
    if (!host && !accelerator) {
      return fmt::format(
          "{} fits no device: {}; {}", name_group(problem, group_of, v),
          why_not_on("an accelerator", platform.accelerators, g.on_accelerator, g.memory, platform.accelerator_memory),
          why_not_on("a host", platform.hosts, g.on_host, g.memory, platform.host_memory));
    }
    if (!host) accelerator_only += g.memory;
  }
  const double room = platform.accelerators * platform.accelerator_memory;
  if (accelerator_only > room) {
    return fmt::format("memory: what must be on accelerators needs {:.0f} bytes in total, {} accelerators hold {:.0f}",
                       accelerator_only, platform.accelerators, room);
  }
  return {};
}

}  // namespace partita
