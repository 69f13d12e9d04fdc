// SPDX-License-Identifier: Apache-2.0
// A longest path in the forward graph, whose length is the number of runs of one kind: for each node and each kind that
// the last node bound to a kind can have, the most runs on a path that ends there. Nodes that can run on both kinds
// pass on what reaches them. Tests: tests/reduce/contradiction_test.cpp.
#include "partita/reduce/alternation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "partita/reduce/node_name.h"
#include "partita/util/topological_order.h"

namespace partita::detail {
namespace {

enum Kind : std::size_t { kAccelerator, kHost, kKinds };

bool runs_on(const Node& node, const Platform& platform, DeviceKind kind) {
  for (ClassId c : platform.classes.all()) {
    const DeviceClass& one = platform.classes[c];
    if (one.kind == kind && one.count > 0 && node.time[c.index()] != kCannotRun) return true;
  }
  return false;
}

class Alternation {
 public:
  explicit Alternation(const Problem& problem)
      : graph_(problem.workload->graph), platform_(problem.workload->platform), best_(graph_.nodes.size()) {
    for (NodeId v : in_order()) visit(v);
  }

  // The nodes, one of each run, of a path that needs more devices of some kind than there are; empty if none does.
  std::vector<NodeId> path() const {
    for (NodeId v : graph_.nodes.all()) {
      for (std::size_t kind : {kAccelerator, kHost}) {
        const std::size_t runs = best_[v][kind].runs;  // that alternate, the last of them of this kind
        if ((runs + 1) / 2 > devices(kind) || runs / 2 > devices(other(kind))) return traced(v, kind);
      }
    }
    return {};
  }

  std::size_t devices(std::size_t kind) const {
    return platform_.device_count(kind == kHost ? DeviceKind::Host : DeviceKind::Accelerator);
  }

 private:
  struct Best {
    std::size_t runs = 0;
    NodeId from;  // the node before on the path; none where the path begins
    std::size_t from_kind = 0;
    bool bound = false;  // the node itself begins or goes on with the run
  };

  static std::size_t other(std::size_t kind) { return kind == kHost ? kAccelerator : kHost; }

  // The forward nodes, each behind its inputs.
  std::vector<NodeId> in_order() {
    std::vector<std::pair<NodeId, NodeId>> out, in;
    for (const Edge& edge : graph_.edges) {
      if (graph_.nodes[edge.from].backward || graph_.nodes[edge.to].backward) continue;
      out.emplace_back(edge.from, edge.to);
      in.emplace_back(edge.to, edge.from);
    }
    inputs_ = Csr<NodeId, NodeId>(graph_.nodes.size(), in);
    std::vector<NodeId> order = topological_order(Csr<NodeId, NodeId>(graph_.nodes.size(), out));
    std::erase_if(order, [&](NodeId v) { return graph_.nodes[v].backward; });
    return order;
  }

  void visit(NodeId v) {
    const bool on_accelerator = runs_on(graph_.nodes[v], platform_, DeviceKind::Accelerator);
    const bool on_host = runs_on(graph_.nodes[v], platform_, DeviceKind::Host);
    std::array<Best, kKinds> reached;
    for (NodeId u : inputs_[v]) {
      for (std::size_t kind : {kAccelerator, kHost}) {
        if (best_[u][kind].runs > reached[kind].runs) reached[kind] = {best_[u][kind].runs, u, kind, false};
      }
    }
    best_[v] = reached;
    if (on_accelerator == on_host) return;  // bound to no kind
    const std::size_t mine = on_host ? kHost : kAccelerator;
    const Best& change = reached[other(mine)];
    best_[v][mine].bound = true;
    best_[v][other(mine)] = {};
    if (change.runs + 1 > reached[mine].runs) best_[v][mine] = {change.runs + 1, change.from, change.from_kind, true};
  }

  // The first node of each run.
  std::vector<NodeId> traced(NodeId v, std::size_t kind) const {
    std::vector<NodeId> backwards;
    while (v.valid()) {
      const Best& best = best_[v][kind];
      const bool begins = best.bound && (!best.from.valid() || best.from_kind != kind);
      if (begins) backwards.push_back(v);
      v = best.from;
      kind = best.from_kind;
    }
    return {backwards.rbegin(), backwards.rend()};
  }

  const Graph& graph_;
  const Platform& platform_;
  Csr<NodeId, NodeId> inputs_;
  IdVector<NodeId, std::array<Best, kKinds>> best_;  // by the kind of the last run
};

}  // namespace

std::string find_alternation(const Problem& problem) {
  if (problem.objective == Objective::Latency || problem.shape == Shape::Free) return {};
  const Alternation alternation(problem);
  const std::vector<NodeId> path = alternation.path();
  if (path.empty()) return {};
  const Graph& graph = problem.workload->graph;
  const bool host_first = runs_on(graph.nodes[path[0]], problem.workload->platform, DeviceKind::Host);
  const std::size_t first = (path.size() + 1) / 2, second = path.size() / 2;
  const std::size_t hosts = host_first ? first : second, accelerators = host_first ? second : first;
  const bool too_few_hosts = hosts > alternation.devices(kHost);
  constexpr std::size_t kMostListed = 7;
  std::string steps;
  for (std::size_t i = 0; i < std::min(path.size(), kMostListed); ++i) {
    steps += fmt::format("{}{} on {}", i == 0 ? "" : ", then ", name_node(graph.nodes[path[i]]),
                         (i % 2 == 0) == host_first ? "a host" : "an accelerator");
  }
  if (path.size() > kMostListed) steps += fmt::format(", and so on {} times", path.size() - kMostListed);
  const std::size_t needed = too_few_hosts ? hosts : accelerators;
  return fmt::format(
      "the devices that nodes can run on, and the shape: one path needs {}; no path of a {} split comes back to a "
      "device, "
      "so it takes {} {}s, and there {} {}. What helps: Question::shape = free, PlatformOverrides::{}s = {}, or to let "
      "some of these nodes run on "
      "the "
      "other kind of device",
      steps, to_string(problem.shape), needed, too_few_hosts ? "host" : "accelerator",
      alternation.devices(too_few_hosts ? kHost : kAccelerator) == 1 ? "is" : "are",
      alternation.devices(too_few_hosts ? kHost : kAccelerator), too_few_hosts ? "host" : "accelerator", needed);
}

}  // namespace partita::detail
