// SPDX-License-Identifier: Apache-2.0
#include "partita/report/fused_passes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "partita/check/times.h"
#include "partita/util/error.h"
#include "partita/util/visible_text.h"

namespace partita::detail {
namespace {

constexpr double kUnknownUnit = 1e-3;  // seconds

ClassId class_to_write(const Workload& workload) {
  for (ClassId c : workload.platform.classes.all()) {
    const DeviceClass& one = workload.platform.classes[c];
    if (one.kind == DeviceKind::Accelerator && one.count > 0) return c;
  }
  throw InputError(ErrorKind::Unsupported, visible(workload.name),
                   "has no accelerators, and other planners know nothing else; expected at least one");
}

std::string describe(const Node& node) {
  return fmt::format("node id {}{}{}", node.original_id, node.name.empty() ? "" : ", ",
                     visible(node.name, kLongestShownName));
}

class Fuser {
 public:
  Fuser(const Workload& workload, double unit_seconds)
      : workload_(workload),
        class_(class_to_write(workload)),
        unit_(seconds_in(workload.time_unit).value_or(kUnknownUnit) / unit_seconds),
        place_of_(workload.graph.nodes.size(), 0) {}

  FusedGraph fuse() {
    add_forward_nodes();
    add_backward_nodes();
    add_edges();
    note_losses();
    const DeviceClass& devices = workload_.platform.classes[class_];
    graph_.differing = differing_.size();
    graph_.devices = devices.count;
    graph_.memory = devices.memory;
    return std::move(graph_);
  }

 private:
  double time_of(const Node& node) const {
    const double time = node.time[class_.index()];
    if (time != kCannotRun) return time * unit_;
    throw InputError(ErrorKind::Unsupported, visible(workload_.name),
                     fmt::format("{} cannot run on {}, which other planners cannot say; expected nodes that run there",
                                 describe(node), workload_.platform.classes[class_].name));
  }

  void add_forward_nodes() {
    for (NodeId v : workload_.graph.nodes.all()) {
      const Node& node = workload_.graph.nodes[v];
      if (node.backward) continue;
      place_of_[v] = graph_.nodes.size();
      if (node.colour) by_colour_[*node.colour].push_back(graph_.nodes.size());
      graph_.nodes.push_back({&node, time_of(node), 0, node.parts, 0});
    }
  }

  void add_backward_nodes() {
    std::map<std::int64_t, std::size_t> next;  // of a colour: how many of its forward nodes have a backward one
    for (NodeId v : workload_.graph.nodes.all()) {
      const Node& node = workload_.graph.nodes[v];
      if (!node.backward) continue;
      const auto forward = node.colour ? by_colour_.find(*node.colour) : by_colour_.end();
      if (forward == by_colour_.end()) {
        throw InputError(
            ErrorKind::Unsupported, visible(workload_.name),
            fmt::format("{} is a backward node that shares its colour with no forward node; other planners "
                        "have both passes in one node, so expected one",
                        describe(node)));
      }
      const std::size_t which = std::min(next[*node.colour]++, forward->second.size() - 1);
      place_of_[v] = forward->second[which];
      FusedNode& fused = graph_.nodes[place_of_[v]];
      fused.backward += time_of(node);
      fused.parts.weights += node.parts.weights;
      fused.parts.optimizer_state += node.parts.optimizer_state;
      fused.parts.activation += node.parts.activation;
      fused.parts.recompute_activation += node.parts.recompute_activation;
    }
  }

  void add_edges() {
    const Graph& graph = workload_.graph;
    std::map<std::pair<std::size_t, std::size_t>, double> backward;
    for (const Edge& edge : graph.edges) {
      if (!graph.nodes[edge.from].backward) continue;
      double& cost = backward[{place_of_[edge.to], place_of_[edge.from]}];
      cost = std::max(cost, edge.cost * unit_);
    }
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> found;
    for (const Edge& edge : graph.edges) {
      if (graph.nodes[edge.from].backward || graph.nodes[edge.to].backward) continue;
      const std::pair ends(place_of_[edge.from], place_of_[edge.to]);
      const double cost = edge.cost * unit_;
      double& output = graph_.nodes[ends.first].output_cost;
      if (costs_seen_.insert(ends.first).second) {
        output = cost;
      } else if (output != cost) {
        differing_.insert(ends.first);
        output = std::max(output, cost);
      }
      const auto [entry, is_new] = found.emplace(ends, graph_.edges.size());
      if (is_new) {
        const auto mirror = backward.find(ends);
        graph_.edges.push_back({ends.first, ends.second, cost, mirror == backward.end() ? 0 : mirror->second});
      } else {
        FusedEdge& other = graph_.edges[entry->second];
        other.forward = std::max(other.forward, cost);
      }
    }
  }

  void note_losses() {
    const auto note = [this](const std::string& line) { graph_.notes.push_back(line); };
    const auto shared = std::ranges::count_if(by_colour_, [](const auto& entry) { return entry.second.size() > 1; });
    if (shared > 0)
      note(fmt::format("{} colours have several forward nodes, and that these share a device is lost", shared));
    std::size_t classes = 0;
    for (const DeviceClass& one : workload_.platform.classes) classes += one.count > 0;
    if (classes > 1) {
      note(fmt::format("only the class {} is written, of {} that have devices",
                       visible(workload_.platform.classes[class_].name), classes));
    }
    if (workload_.platform.clusters) note("the clusters of the platform are lost");
    if (!workload_.platform.shared_links.empty()) note("the shared links of the platform are lost");
    if (!seconds_in(workload_.time_unit)) note("the unit of time is not known, and taken for a millisecond");
  }

  const Workload& workload_;
  ClassId class_;
  double unit_;  // how many of the units that come out one of the workload's has
  FusedGraph graph_;
  IdVector<NodeId, std::size_t> place_of_;
  std::map<std::int64_t, std::vector<std::size_t>> by_colour_;  // forward nodes
  std::set<std::size_t> costs_seen_;
  std::set<std::size_t> differing_;
};

}  // namespace

FusedGraph fuse_passes(const Workload& workload, double unit_seconds) { return Fuser(workload, unit_seconds).fuse(); }

}  // namespace partita::detail
