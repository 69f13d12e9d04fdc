// SPDX-License-Identifier: Apache-2.0
// Says in words why no split can exist, where a single group, a single path or the memory in total shows it.
#include <fmt/format.h>

#include <algorithm>

#include "partita/reduce/alternation.h"
#include "partita/reduce/contradiction.h"
#include "partita/reduce/device_table.h"
#include "partita/reduce/node_name.h"

namespace partita::detail {
namespace {

// The nodes of a group and what holds them together.
std::string name_group(const Problem& problem, const IdVector<NodeId, GroupId>& group_of, GroupId group) {
  constexpr std::size_t kMostListed = 6;
  const Graph& graph = problem.workload->graph;
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

// Class by class, why none of them can hold the group.
std::string why_nowhere(const Platform& platform, const DeviceTable& devices, const ClassGroup& need) {
  const auto& classes = devices.classes();
  const std::size_t accelerator_classes = devices.accelerator_classes();
  std::string why;
  const auto add = [&](const std::string& text) { why += (why.empty() ? "" : "; ") + text; };
  if (accelerator_classes == 0) add(why_not_on("an accelerator", 0, false, 0, 0));
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const bool one = (classes[c].host ? classes.size() - accelerator_classes : accelerator_classes) == 1;
    const std::string name = one ? (classes[c].host ? "a host" : "an accelerator")
                                 : "a device of class " + platform.classes[classes[c].id].name;
    add(why_not_on(name.c_str(), 1, need.runs_on[c], need.memory, classes[c].memory));
  }
  if (accelerator_classes == classes.size()) add(why_not_on("a host", 0, false, 0, 0));
  return why;
}

}  // namespace

std::string find_contradiction(const Problem& problem, const IdVector<NodeId, GroupId>& group_of) {
  const Platform& platform = problem.workload->platform;
  const DeviceTable devices(platform, count_groups(group_of));
  const auto groups = class_groups(problem.workload->graph, group_of, devices);
  double accelerator_only = 0, room = 0;
  std::size_t accelerators = 0;
  for (GroupId g : groups.all()) {
    const ClassGroup& need = groups[g];
    bool host = false, accelerator = false;
    for (std::size_t c = 0; c < devices.classes().size(); ++c) {
      bool& fits = devices.classes()[c].host ? host : accelerator;
      fits = fits || need.fits(devices, c);
    }
    if (!host && !accelerator) {
      return fmt::format("{} fits no device: {}", name_group(problem, group_of, g),
                         why_nowhere(platform, devices, need));
    }
    if (!host) accelerator_only += need.memory;
  }
  if (std::string why = find_alternation(problem); !why.empty()) return why;
  for (const DeviceTable::Class& c : devices.classes()) {
    if (c.host) continue;
    accelerators += c.count;
    room += static_cast<double>(c.count) * c.memory;
  }
  if (accelerator_only > room) {
    return fmt::format(
        "memory: what must be on accelerators needs {:.0f} bytes in total, {} accelerator{} hold{} {:.0f}",
        accelerator_only, accelerators, accelerators == 1 ? "" : "s", accelerators == 1 ? "s" : "", room);
  }
  return {};
}

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
  if (std::string why = find_alternation(problem); !why.empty()) return why;
  const double room = platform.accelerators * platform.accelerator_memory;
  if (accelerator_only > room) {
    return fmt::format(
        "memory: what must be on accelerators needs {:.0f} bytes in total, {} accelerator{} hold{} {:.0f}",
        accelerator_only, platform.accelerators, platform.accelerators == 1 ? "" : "s",
        platform.accelerators == 1 ? "s" : "", room);
  }
  return {};
}

}  // namespace partita::detail
