// SPDX-License-Identifier: Apache-2.0
#include "partita/check/placement.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <unordered_map>

#include "partita/check/names.h"

namespace partita::detail {
namespace {

std::vector<DeviceId> devices_of_kind(const Platform& platform, DeviceKind kind) {
  std::vector<DeviceId> devices;
  for (DeviceId d : ids<DeviceId>(platform.device_count())) {
    if (platform.classes[platform.class_of(d)].kind == kind) devices.push_back(d);
  }
  return devices;
}

std::string only(std::size_t count, const std::string& noun) {
  return count == 0 ? "has none" : fmt::format("has only {}, numbered from 0", counted(count, noun));
}

void name_missing(const Graph& graph, const std::vector<NodeId>& missing, std::vector<Violation>& violations) {
  if (missing.empty()) return;
  violations.push_back({Violation::Kind::MissingNode,
                        fmt::format("{} of the graph's {} on no device: {}", missing.size(),
                                    missing.size() == 1 ? "nodes is" : "nodes are", node_list(graph, missing))});
}

bool is_accelerator(const Platform& platform, DeviceId device) {
  return platform.classes[platform.class_of(device)].kind == DeviceKind::Accelerator;
}

using NodeOf = std::unordered_map<std::int64_t, NodeId>;

// What is wrong with the lists of subgraphs of one device.
struct SubgraphFaults {
  std::vector<std::int64_t> foreign;
  std::vector<NodeId> repeated;
  std::vector<NodeId> wrong_pass;
  std::vector<NodeId> unlisted;
};

void name_faults(const Problem& problem, DeviceId device, const SubgraphFaults& faults,
                 std::vector<Violation>& violations) {
  const Graph& graph = problem.workload->graph;
  const std::string name = problem.workload->platform.device_name(device);
  const auto add = [&](std::size_t count, const char* what, const std::string& which) {
    if (count == 0) return;
    violations.push_back({Violation::Kind::Subgraph,
                          fmt::format("the subgraphs of {} {} {}: {}", name, what, counted(count, "node"), which)});
  };
  add(faults.foreign.size(), "list, though they are not among its nodes,", id_list(faults.foreign));
  add(faults.repeated.size(), "list more than once", node_list(graph, faults.repeated));
  add(faults.wrong_pass.size(), "list under the wrong pass", node_list(graph, faults.wrong_pass));
  add(faults.unlisted.size(), "leave out", node_list(graph, faults.unlisted));
}

// Puts the nodes of each accelerator into the subgraphs that the listing gives it.
void match_subgraphs(const Problem& problem, const SplitListing& listing, const NodeOf& node_of,
                     const std::vector<DeviceId>& device_of_entry, Placement& placement,
                     std::vector<Violation>& violations) {
  const Graph& graph = problem.workload->graph;
  std::map<DeviceId, SubgraphFaults> faults;
  IdVector<DeviceId, std::array<bool, 2>> has_lists(problem.workload->platform.device_count(), {false, false});
  IdVector<NodeId, bool> listed(graph.nodes.size(), false);
  for (std::size_t i = 0; i < listing.devices.size(); ++i) {
    const DeviceId d = device_of_entry[i];
    if (!d.valid() || !is_accelerator(problem.workload->platform, d)) continue;
    for (const bool backward : {false, true}) {
      const auto& subgraphs = backward ? listing.devices[i].backward_subgraphs : listing.devices[i].subgraphs;
      has_lists[d][backward ? 1 : 0] = !subgraphs.empty();
      for (std::uint32_t place = 0; place < subgraphs.size(); ++place) {
        for (const std::int64_t id : subgraphs[place]) {
          const auto found = node_of.find(id);
          if (found == node_of.end() || placement.device_of[found->second] != d) {
            faults[d].foreign.push_back(id);
          } else if (listed[found->second]) {
            faults[d].repeated.push_back(found->second);
          } else {
            const NodeId v = found->second;
            listed[v] = true;
            placement.subgraph_of[v] = place;
            if (graph.nodes[v].backward != backward) faults[d].wrong_pass.push_back(v);
          }
        }
      }
    }
  }
  for (NodeId v : graph.nodes.all()) {
    const DeviceId d = placement.device_of[v];
    if (d.valid() && !listed[v] && has_lists[d][graph.nodes[v].backward ? 1 : 0]) faults[d].unlisted.push_back(v);
  }
  for (const auto& [d, found] : faults) name_faults(problem, d, found, violations);
}

Placement empty_placement(const Problem& problem) {
  const std::size_t nodes = problem.workload->graph.nodes.size();
  const std::size_t devices = problem.workload->platform.device_count();
  return {.device_of = IdVector<NodeId, DeviceId>(nodes),
          .order = {},
          .subgraph_of = IdVector<NodeId, std::uint32_t>(nodes, 0),
          .copy_of = IdVector<DeviceId, DeviceId>(devices),
          .recomputes = IdVector<DeviceId, char>(devices, 0)};
}

void match_copies(const Problem& problem, const Split& split, Placement& placement,
                  std::vector<Violation>& violations) {
  const Platform& platform = problem.workload->platform;
  const auto one_each = [&](Violation::Kind kind, std::size_t said, const char* what) {
    if (said == 0) return false;
    if (said == placement.copy_of.size()) return true;
    violations.push_back(
        {kind, fmt::format("the list of who {} has {}, but the platform has {}", what,
                           counted(said, "entry", "entries"), counted(placement.copy_of.size(), "device"))});
    return false;
  };
  if (one_each(Violation::Kind::Copies, split.copy_of.size(), "copies what")) {
    for (DeviceId d : split.copy_of.all()) {
      const DeviceId original = split.copy_of[d];
      if (original.valid() && original.index() >= placement.copy_of.size()) {
        violations.push_back(
            {Violation::Kind::Copies, fmt::format("{} copies device {}, but the platform {}", platform.device_name(d),
                                                  original.index(), only(placement.copy_of.size(), "device"))});
      } else if (original != d) {
        placement.copy_of[d] = original;
      }
    }
  }
  if (one_each(Violation::Kind::Recompute, split.recomputes.size(), "recomputes"))
    placement.recomputes = split.recomputes;
}

void match_copies(const Problem& problem, const SplitListing& listing, const std::vector<DeviceId>& device_of_entry,
                  Placement& placement, std::vector<Violation>& violations) {
  for (std::size_t i = 0; i < listing.devices.size(); ++i) {
    const SplitListing::Device& entry = listing.devices[i];
    const DeviceId d = device_of_entry[i];
    const std::string name = d.valid() ? problem.workload->platform.device_name(d) : fmt::format("entry {}", i);
    if (d.valid()) placement.recomputes[d] = entry.recomputes ? 1 : 0;
    if (!entry.copy_of || *entry.copy_of == i) continue;
    if (!d.valid()) {
      violations.push_back(
          {Violation::Kind::Copies,
           fmt::format("{} of the split's devices is a copy, but the platform has no such device", name)});
    } else if (*entry.copy_of >= device_of_entry.size() || !device_of_entry[*entry.copy_of].valid()) {
      violations.push_back(
          {Violation::Kind::Copies, fmt::format("{} copies entry {} of the split's devices, which is no "
                                                "device of the platform",
                                                name, *entry.copy_of)});
    } else {
      placement.copy_of[d] = device_of_entry[*entry.copy_of];
    }
  }
}

}  // namespace

Placement match_split(const Problem& problem, const Split& split, std::vector<Violation>& violations) {
  const Graph& graph = problem.workload->graph;
  const std::size_t device_count = problem.workload->platform.device_count();
  Placement placement = empty_placement(problem);
  placement.order = split.order;
  std::vector<NodeId> missing;
  std::map<DeviceId, std::vector<NodeId>> beyond;
  for (NodeId v : graph.nodes.all()) {
    const DeviceId d = v.index() < split.device_of.size() ? split.device_of[v] : DeviceId();
    if (!d.valid()) {
      missing.push_back(v);
    } else if (d.index() >= device_count) {
      beyond[d].push_back(v);
    } else {
      placement.device_of[v] = d;
      if (v.index() < split.subgraph_of.size()) placement.subgraph_of[v] = split.subgraph_of[v];
    }
  }
  for (const auto& [d, nodes] : beyond) {
    violations.push_back(
        {Violation::Kind::TooManyDevices,
         fmt::format("the split puts {} on device {}, but the platform {}: {}", counted(nodes.size(), "node"),
                     d.index(), only(device_count, "device"), node_list(graph, nodes))});
  }
  name_missing(graph, missing, violations);
  match_copies(problem, split, placement, violations);
  return placement;
}

Placement match_listing(const Problem& problem, const SplitListing& listing, std::vector<Violation>& violations) {
  const Graph& graph = problem.workload->graph;
  const Platform& platform = problem.workload->platform;

  NodeOf node_of;
  for (NodeId v : graph.nodes.all()) node_of.emplace(graph.nodes[v].original_id, v);

  // The i-th listed device of a kind is the platform's i-th of that kind. Devices listed beyond those matter only when
  // they hold something; their nodes are reported here, so not as missing too.
  std::vector<DeviceId> device_of_entry(listing.devices.size());
  std::map<DeviceKind, std::vector<DeviceId>> available;
  for (DeviceKind kind : {DeviceKind::Accelerator, DeviceKind::Host}) available[kind] = devices_of_kind(platform, kind);
  std::map<DeviceKind, std::size_t> listed;
  std::map<DeviceKind, std::vector<std::size_t>> beyond;
  for (std::size_t i = 0; i < listing.devices.size(); ++i) {
    const SplitListing::Device& entry = listing.devices[i];
    const std::size_t place = listed[entry.kind]++;
    if (place < available[entry.kind].size()) {
      device_of_entry[i] = available[entry.kind][place];
    } else if (!entry.node_ids.empty()) {
      beyond[entry.kind].push_back(place);
    }
  }
  for (const auto& [kind, places] : beyond) {
    std::vector<std::int64_t> numbers(places.begin(), places.end());
    violations.push_back({Violation::Kind::TooManyDevices,
                          fmt::format("the split puts nodes on {} {}, but the platform {}", to_string(kind),
                                      id_list(numbers), only(available[kind].size(), to_string(kind)))});
  }

  Placement placement = empty_placement(problem);
  IdVector<NodeId, char> seen(graph.nodes.size(), 0);
  std::vector<std::int64_t> unknown;
  std::vector<NodeId> duplicate;
  for (std::size_t i = 0; i < listing.devices.size(); ++i) {
    for (std::int64_t id : listing.devices[i].node_ids) {
      const auto found = node_of.find(id);
      if (found == node_of.end()) {
        unknown.push_back(id);
      } else if (seen[found->second]) {
        if (seen[found->second] == 1) duplicate.push_back(found->second);
        seen[found->second] = 2;
      } else {
        seen[found->second] = 1;
        placement.device_of[found->second] = device_of_entry[i];
      }
    }
  }
  std::vector<NodeId> missing;
  for (NodeId v : graph.nodes.all()) {
    if (!seen[v]) missing.push_back(v);
  }
  if (!unknown.empty()) {
    violations.push_back(
        {Violation::Kind::UnknownNode, fmt::format("the split lists {} that the graph does not have: {}",
                                                   counted(unknown.size(), "id"), id_list(unknown))});
  }
  if (!duplicate.empty()) {
    violations.push_back(
        {Violation::Kind::DuplicateNode, fmt::format("the split lists {} more than once: {}",
                                                     counted(duplicate.size(), "node"), node_list(graph, duplicate))});
  }
  name_missing(graph, missing, violations);
  if (problem.objective == Objective::Latency)
    match_subgraphs(problem, listing, node_of, device_of_entry, placement, violations);

  match_copies(problem, listing, device_of_entry, placement, violations);
  for (std::size_t i : listing.order) {
    if (i < device_of_entry.size() && device_of_entry[i].valid()) placement.order.push_back(device_of_entry[i]);
  }
  return placement;
}

}  // namespace partita::detail
