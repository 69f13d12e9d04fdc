// SPDX-License-Identifier: Apache-2.0
#include "partita/model/graph_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "partita/util/csr.h"

namespace partita::detail {
namespace {

// The nodes that a topological sweep [Kahn-CACM'62] cannot reach: those on a cycle, and those behind one.
IdVector<NodeId, bool> unsortable(const Graph& graph) {
  const std::size_t n = graph.nodes.size();
  std::vector<std::pair<NodeId, NodeId>> pairs;
  pairs.reserve(graph.edges.size());
  IdVector<NodeId, std::size_t> missing_inputs(n);
  for (const Edge& edge : graph.edges) {
    pairs.emplace_back(edge.from, edge.to);
    ++missing_inputs[edge.to];
  }
  const Csr<NodeId, NodeId> successors(n, pairs);
  IdVector<NodeId, bool> left(n, true);
  std::vector<NodeId> ready;
  for (NodeId v : graph.nodes.all()) {
    if (missing_inputs[v] == 0) ready.push_back(v);
  }
  while (!ready.empty()) {
    const NodeId v = ready.back();
    ready.pop_back();
    left[v] = false;
    for (NodeId w : successors[v]) {
      if (--missing_inputs[w] == 0) ready.push_back(w);
    }
  }
  return left;
}

// Sums of times up to this leave room for whatever is computed of them: of all samples of a stream, for example. Bytes
// are also multiplied by prices and numbers of samples.
constexpr double kMostTime = 1e300, kMostBytes = 1e60;
// A time below this loses digits once a load is shared among copies.
constexpr double kLeastTime = 1e-300;

// Of all clusters in the tree, and of the links that they have of their own.
double largest_factor(const Cluster& cluster) {
  double largest = std::max(cluster.factor, cluster.link ? cluster.link->factor : 0);
  for (const Cluster& inside : cluster.clusters) largest = std::max(largest, largest_factor(inside));
  return largest;
}

// Of the factors that are not 0; 1 is always among them.
double least_factor(const Cluster& cluster) {
  double least = 1;
  for (const double factor : {cluster.factor, cluster.link ? cluster.link->factor : 0}) {
    if (factor > 0) least = std::min(least, factor);
  }
  for (const Cluster& inside : cluster.clusters) least = std::min(least, least_factor(inside));
  return least;
}

// Visits the latency of every link.
template <class Visit>
void for_each_latency(const Cluster& cluster, Visit visit) {
  if (cluster.link) visit(cluster.link->latency);
  for (const Cluster& inside : cluster.clusters) for_each_latency(inside, visit);
}
template <class Visit>
void for_each_latency(const Platform& platform, Visit visit) {
  for (const DeviceClass& one : platform.classes) visit(one.link_latency);
  for (const SharedLink& one : platform.shared_links) visit(one.link.latency);
  if (platform.clusters) for_each_latency(*platform.clusters, visit);
}

double least_link_factor(const Platform& platform) {
  double least = 1;
  for (const DeviceClass& one : platform.classes) {
    if (one.link_factor > 0) least = std::min(least, one.link_factor);
  }
  for (const SharedLink& one : platform.shared_links) {
    if (one.link.factor > 0) least = std::min(least, one.link.factor);
  }
  return least;
}

// Not 0, but so small that digits would be lost, or all.
bool too_small(double number, double factor) { return number > 0 && factor > 0 && number * factor < kLeastTime; }

double largest_link_factor(const Platform& platform) {
  double largest = 1;
  for (const DeviceClass& one : platform.classes) largest = std::max(largest, one.link_factor);
  for (const SharedLink& one : platform.shared_links) largest = std::max(largest, one.link.factor);
  return largest;
}

}  // namespace

std::string edge_fault(const Graph& graph, const Edge& edge) {
  const Node& from = graph.nodes[edge.from];
  const Node& to = graph.nodes[edge.to];
  if (edge.from == edge.to)
    return fmt::format("leads from node {} to itself; expected a graph without cycles", from.original_id);
  if (!from.backward || to.backward) return "";
  return fmt::format(
      "leads from backward node {} to forward node {}; expected the backward pass to feed backward nodes only",
      from.original_id, to.original_id);
}

std::string cycle_fault(const Graph& graph) {
  const std::vector<NodeId> cycle = find_cycle(graph);
  if (cycle.empty()) return "";
  return fmt::format("there is a cycle of {} nodes: {}; expected a graph without cycles", cycle.size(),
                     cycle_text(graph, cycle));
}

std::string number_fault(const Workload& workload) {
  if (const std::string what = find_overflow(workload); !what.empty())
    return what + "; use a larger unit of time or size";
  if (const std::string what = find_underflow(workload); !what.empty())
    return what + " is not 0 but below 1e-300, with the platform's factors; use a smaller unit of time, or 0";
  return "";
}

std::string device_fault(const Platform& platform) {
  for (const DeviceKind kind : {DeviceKind::Accelerator, DeviceKind::Host}) {
    if (platform.device_count(kind) > kMaxDevicesOfAKind) {
      return fmt::format("there are {} {}s; expected at most {} devices of a kind", platform.device_count(kind),
                         to_string(kind), kMaxDevicesOfAKind);
    }
  }
  return platform.device_count() > 0 ? "" : "there are no devices in any class; expected at least one device";
}

std::vector<NodeId> find_cycle(const Graph& graph) {
  const IdVector<NodeId, bool> left = unsortable(graph);
  // A node that was left has an input that was left, so going from input to input must come back to where it has been.
  IdVector<NodeId, NodeId> input(graph.nodes.size());
  NodeId v;
  for (const Edge& edge : graph.edges) {
    if (left[edge.from] && left[edge.to]) v = input[edge.to] = edge.from;
  }
  if (!v.valid()) return {};
  IdVector<NodeId, bool> seen(graph.nodes.size(), false);
  for (; !seen[v]; v = input[v]) seen[v] = true;
  std::vector<NodeId> cycle{v};
  for (NodeId w = input[v]; w != v; w = input[w]) cycle.push_back(w);
  std::reverse(cycle.begin(), cycle.end());
  std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
  return cycle;
}

std::string cycle_text(const Graph& graph, const std::vector<NodeId>& cycle) {
  constexpr std::size_t kLongest = 12;
  constexpr std::size_t kHead = 8;
  constexpr std::size_t kTail = 3;
  std::string text;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    if (cycle.size() > kLongest && i == kHead) {
      text += "... -> ";
      i = cycle.size() - kTail;
    }
    text += std::to_string(graph.nodes[cycle[i]].original_id) + " -> ";
  }
  return text + std::to_string(graph.nodes[cycle.front()].original_id);
}

void drop_repeated_edges(Graph& graph) {
  std::vector<Edge>& edges = graph.edges;
  std::vector<std::size_t> by_value(edges.size());
  std::iota(by_value.begin(), by_value.end(), std::size_t{0});
  const auto value_of = [&edges](std::size_t i) { return std::tuple(edges[i].from, edges[i].to, edges[i].cost); };
  std::sort(by_value.begin(), by_value.end(), [&value_of](std::size_t a, std::size_t b) {
    return std::tuple_cat(value_of(a), std::tuple(a)) < std::tuple_cat(value_of(b), std::tuple(b));
  });
  std::vector<bool> repeats(edges.size(), false);
  for (std::size_t i = 1; i < by_value.size(); ++i) {
    repeats[by_value[i]] = value_of(by_value[i - 1]) == value_of(by_value[i]);
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (!repeats[i]) edges[kept++] = edges[i];
  }
  edges.resize(kept);
}

std::string find_overflow(const Workload& workload) {
  double sizes = 0;
  double parts = 0;
  double weights = 0;
  double times = 0;
  double costs = 0;
  for (const Node& node : workload.graph.nodes) {
    sizes += node.memory;
    parts +=
        node.parts.gradients + node.parts.optimizer_state + node.parts.activation + node.parts.recompute_activation;
    weights += node.parts.weights;
    for (ClassId c : workload.platform.classes.all()) {
      const double time = node.time[c.index()] * workload.platform.classes[c].contention;
      if (time != kCannotRun) times += time + time * node.recompute_share;
    }
  }
  // An output may be paid for on its way out and in.
  for (const Edge& edge : workload.graph.edges) costs += 2 * edge.cost;
  const double factor = workload.platform.clusters ? largest_factor(*workload.platform.clusters) : 1;
  costs *= largest_link_factor(workload.platform) * factor;
  double latency = 0;
  for_each_latency(workload.platform, [&](double one) { latency = std::max(latency, one); });
  costs += 2 * latency * static_cast<double>(workload.graph.edges.size());
  // Written so that a sum that is no number is too large.
  if (!(sizes <= kMostBytes) || !(parts + weights <= kMostBytes)) return "the sizes add up to more than 1e60 bytes";
  if (!(times <= kMostTime)) return "the latencies add up to more than 1e300";
  if (!(costs <= kMostTime)) return "the edge costs add up to more than 1e300";
  if (!(times + costs <= kMostTime)) return "the latencies and edge costs add up to more than 1e300";
  if (!(times + costs + weights * factor / workload.platform.sync_bandwidth <= kMostTime))
    return "the weights, divided by the bandwidth at which they are exchanged, take longer than 1e300";
  return "";
}

std::string find_underflow(const Workload& workload) {
  const Platform& platform = workload.platform;
  const double clusters = platform.clusters ? least_factor(*platform.clusters) : 1;
  const double links = least_link_factor(platform);
  bool latency_vanishes = false;
  for_each_latency(platform, [&](double one) { latency_vanishes = latency_vanishes || too_small(one, 1); });
  if (latency_vanishes) return "the latency of a link";
  for (const Node& node : workload.graph.nodes) {
    for (const double time : node.time) {
      if (too_small(time, std::min(node.recompute_share > 0 ? node.recompute_share : 1, 1.0)))
        return fmt::format("the latency of node {}", node.original_id);
    }
    if (too_small(node.parts.weights, clusters / platform.sync_bandwidth))
      return fmt::format("the weights of node {}, divided by the bandwidth at which they are exchanged,",
                         node.original_id);
  }
  for (const Edge& edge : workload.graph.edges) {
    if (!too_small(edge.cost, links) && !too_small(edge.cost * links, clusters)) continue;
    return fmt::format("the cost of the edge from node {} to node {}", workload.graph.nodes[edge.from].original_id,
                       workload.graph.nodes[edge.to].original_id);
  }
  return "";
}

}  // namespace partita::detail
