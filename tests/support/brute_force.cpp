// SPDX-License-Identifier: Apache-2.0
#include "tests/support/brute_force.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "tests/support/copy_patterns.h"
#include "tests/support/latency_brute_force.h"
#include "tests/support/shared_link_loads.h"
#include "tests/support/transfers.h"
#include "tests/support/wishes.h"

namespace partita::detail {
namespace {

// The problem in plain arrays, so that trying everything is not slower than it must be.
class Definition {
 public:
  explicit Definition(const Problem& problem)
      : problem_(problem),
        transfers_(list_transfers(problem.workload->graph)),
        places_(device_places(problem.workload->platform)) {
    const Graph& graph = problem.workload->graph;
    const Platform& platform = problem.workload->platform;
    for (ClassId c : platform.classes.all()) {
      for (int i = 0; i < platform.classes[c].count; ++i) class_of_.push_back(c);
    }
    list_shape_edges(graph);
    for (NodeId u : graph.nodes.all()) {
      for (NodeId v : graph.nodes.all()) {
        if (u < v && graph.nodes[u].colour && graph.nodes[u].colour == graph.nodes[v].colour) {
          same_colour_.push_back({u.index(), v.index()});
        }
      }
    }
  }

  std::size_t node_count() const { return problem_.workload->graph.nodes.size(); }
  std::size_t device_count() const { return class_of_.size(); }
  ClassId class_of(std::size_t device) const { return class_of_[device]; }
  bool has_clusters() const { return problem_.workload->platform.clusters.has_value(); }
  bool devices_differ() const { return has_clusters() || !problem_.wishes.empty(); }
  bool wishes_ok(const std::vector<std::size_t>& device_of) const { return keeps_wishes(problem_, device_of); }

  bool support_ok(const std::vector<std::size_t>& device_of) const {
    for (std::size_t v = 0; v < node_count(); ++v) {
      if (node(v).time[class_of_[device_of[v]].index()] == kCannotRun) return false;
    }
    return true;
  }

  bool memory_ok(const std::vector<std::size_t>& device_of) const {
    std::vector<double> held(device_count(), 0);
    for (std::size_t v = 0; v < node_count(); ++v) held[device_of[v]] += node(v).memory;
    for (std::size_t d = 0; d < device_count(); ++d) {
      if (held[d] > device_class(d).memory) return false;
    }
    return true;
  }

  bool colours_ok(const std::vector<std::size_t>& device_of) const {
    return std::all_of(same_colour_.begin(), same_colour_.end(),
                       [&](const auto& pair) { return device_of[pair.first] == device_of[pair.second]; });
  }

  bool shape_ok(const std::vector<std::size_t>& device_of) const {
    switch (problem_.shape) {
      case Shape::Free: return true;
      case Shape::Staged: return staged(device_of);
      case Shape::Contiguous:
        return contiguous(device_of, forward_edges_) &&
               (!problem_.backward_shape || contiguous(device_of, backward_edges_));
    }
    return false;
  }

  bool subgraphs_ok(const std::vector<std::size_t>& device_of, const std::vector<std::size_t>& subgraph_of) const {
    for (std::size_t v = 0; v < subgraph_of.size(); ++v) {
      const bool host = device_class(device_of[v]).kind == DeviceKind::Host;
      if (!host && subgraph_of[v] >= static_cast<std::size_t>(problem_.subgraphs)) return false;
    }
    return true;
  }

  // Fills `load` and returns the throughput objective.
  double value(const std::vector<std::size_t>& device_of, std::vector<double>& load) const {
    std::vector<Tally> forward(device_count());
    std::vector<Tally> backward(device_count());
    for (std::size_t v = 0; v < node_count(); ++v) {
      const DeviceClass& its_class = device_class(device_of[v]);
      const double time =
          node(v).time[class_of_[device_of[v]].index()] * (device_count() > 1 ? its_class.contention : 1);
      if (time != kCannotRun) (node(v).backward ? backward : forward)[device_of[v]].compute += time;
    }
    for (const Transfer& transfer : transfers_) {
      std::vector<Tally>& pass = node(transfer.producer).backward ? backward : forward;
      for (std::size_t d = 0; d < device_count(); ++d) {
        if (device_class(d).kind == DeviceKind::Host || transfer.cost == 0) continue;
        const bool made_here = device_of[transfer.producer] == d;
        const auto on_d = [&](std::size_t v) { return device_of[v] == d; };
        const bool used_here = std::any_of(transfer.consumers.begin(), transfer.consumers.end(), on_d);
        const bool used_elsewhere = !std::all_of(transfer.consumers.begin(), transfer.consumers.end(), on_d);
        if (!made_here && used_here) pass[d].in += paid(d, transfer, device_of);
        if (made_here && used_elsewhere) pass[d].out += paid(d, transfer, device_of);
      }
    }
    double largest = 0;
    double largest_forward = 0;
    double largest_backward = 0;
    load.assign(device_count(), 0);
    for (std::size_t d = 0; d < device_count(); ++d) {
      const double fw = forward[d].load(problem_.transfers);
      const double bw = backward[d].load(problem_.transfers);
      load[d] = fw + bw;
      largest = std::max(largest, load[d]);
      largest_forward = std::max(largest_forward, fw);
      largest_backward = std::max(largest_backward, bw);
    }
    std::vector<std::size_t> itself(device_count());
    for (std::size_t d = 0; d < itself.size(); ++d) itself[d] = d;
    for (const LinkLoad& link : shared_link_loads(problem_, device_of, itself)) {
      largest = std::max(largest, link.forward + link.backward);
      largest_forward = std::max(largest_forward, link.forward);
      largest_backward = std::max(largest_backward, link.backward);
    }
    return problem_.objective == Objective::GPipe ? largest_forward + largest_backward : largest;
  }

 private:
  using Pair = std::pair<std::size_t, std::size_t>;

  const Node& node(std::size_t v) const { return problem_.workload->graph.nodes[NodeId(v)]; }
  const DeviceClass& device_class(std::size_t d) const { return problem_.workload->platform.classes[class_of_[d]]; }

  // The pairs (earlier, later) of nodes that a staged split must keep in order, and the edges of the forward part.
  void list_shape_edges(const Graph& graph) {
    const auto orphan = [&graph](NodeId v) {
      const Node& node = graph.nodes[v];
      if (!node.backward) return false;
      if (!node.colour) return true;
      return std::none_of(graph.nodes.begin(), graph.nodes.end(),
                          [&node](const Node& other) { return !other.backward && other.colour == node.colour; });
    };
    for (const Edge& edge : graph.edges) {
      const bool from_backward = graph.nodes[edge.from].backward;
      const bool to_backward = graph.nodes[edge.to].backward;
      if (!from_backward && !to_backward) {
        in_order_.push_back({edge.from.index(), edge.to.index()});
        forward_edges_.push_back(in_order_.back());
      }
      if (from_backward && to_backward) backward_edges_.push_back({edge.from.index(), edge.to.index()});
      if (from_backward && to_backward && (problem_.backward_shape || orphan(edge.from) || orphan(edge.to))) {
        in_order_.push_back({edge.to.index(), edge.from.index()});
      }
    }
  }

  // What d pays for what it reads or writes of the transfer: to the producer, or to the reader that is dearest to reach.
  double paid(std::size_t d, const Transfer& transfer, const std::vector<std::size_t>& device_of) const {
    if (!has_clusters()) return device_class(d).link_latency + transfer.cost * device_class(d).link_factor;
    const Platform& platform = problem_.workload->platform;
    const std::size_t home = device_of[transfer.producer];
    if (home != d) return transfer_price(platform, places_[d], places_[home], transfer.cost);
    double dearest = 0;
    for (const std::size_t v : transfer.consumers) {
      if (device_of[v] != d)
        dearest = std::max(dearest, transfer_price(platform, places_[d], places_[device_of[v]], transfer.cost));
    }
    return dearest;
  }

  // Can the devices be ordered? Put down, again and again, one that nothing still waiting must precede.
  bool staged(const std::vector<std::size_t>& device_of) const {
    std::vector<bool> placed(device_count(), false);
    for (std::size_t round = 0; round < device_count(); ++round) {
      std::vector<bool> blocked = placed;
      for (const Pair& pair : in_order_) {
        const std::size_t first = device_of[pair.first];
        const std::size_t second = device_of[pair.second];
        if (first != second && !placed[first]) blocked[second] = true;
      }
      const auto next = std::find(blocked.begin(), blocked.end(), false);
      if (next == blocked.end()) return false;
      placed[static_cast<std::size_t>(next - blocked.begin())] = true;
    }
    return true;
  }

  // No path of these edges leaves a device and comes back to it.
  bool contiguous(const std::vector<std::size_t>& device_of, const std::vector<Pair>& edges) const {
    for (std::size_t d = 0; d < device_count(); ++d) {
      std::vector<bool> left(node_count(), false);  // outside d, and reached from inside
      for (bool changed = true; changed;) {
        changed = false;
        for (const Pair& edge : edges) {
          const bool carries = device_of[edge.first] == d || left[edge.first];
          if (!carries) continue;
          if (device_of[edge.second] != d && !left[edge.second]) {
            left[edge.second] = true;
            changed = true;
          }
          if (device_of[edge.second] == d && left[edge.first]) return false;
        }
      }
    }
    return true;
  }

  const Problem& problem_;
  std::vector<ClassId> class_of_;
  std::vector<Transfer> transfers_;
  std::vector<DevicePlace> places_;
  std::vector<Pair> in_order_;
  std::vector<Pair> forward_edges_;
  std::vector<Pair> backward_edges_;
  std::vector<Pair> same_colour_;
};

constexpr std::size_t kNotPlaced = std::numeric_limits<std::size_t>::max();

// Assigns the nodes from `v` on in every way and keeps the best legal value.
void try_all(const Definition& definition, std::size_t v, std::vector<std::size_t>& device_of, double& best) {
  if (v == definition.node_count()) {
    if (!definition.support_ok(device_of) || !definition.colours_ok(device_of) || !definition.memory_ok(device_of))
      return;
    std::vector<double> load;
    const double value = definition.value(device_of, load);
    if (value < best && definition.shape_ok(device_of)) best = value;
    return;
  }
  std::optional<ClassId> unused;  // a class of which an unused device was just tried
  for (std::size_t d = 0; d < definition.device_count(); ++d) {
    const auto end = device_of.begin() + static_cast<std::ptrdiff_t>(v);
    if (std::find(device_of.begin(), end, d) == end) {
      if (unused == definition.class_of(d) && !definition.devices_differ()) continue;
      unused = definition.class_of(d);
    }
    device_of[v] = d;
    if (definition.wishes_ok(device_of)) try_all(definition, v + 1, device_of, best);
  }
  device_of[v] = kNotPlaced;
}

}  // namespace

Evaluation evaluate_by_definition(const Problem& problem, const std::vector<std::size_t>& device_of,
                                  const std::vector<std::size_t>& subgraph_of) {
  const Definition definition(problem);
  Evaluation evaluation;
  evaluation.memory_ok = definition.memory_ok(device_of);
  evaluation.support_ok = definition.support_ok(device_of);
  evaluation.colours_ok = definition.colours_ok(device_of);
  evaluation.wishes_ok = definition.wishes_ok(device_of);
  evaluation.value = definition.value(device_of, evaluation.load);
  if (problem.objective == Objective::Latency) {  // it has a shape of its own
    evaluation.value = latency_by_definition(problem, device_of, subgraph_of);
    evaluation.shape_ok = evaluation.value < std::numeric_limits<double>::infinity();
    evaluation.subgraphs_ok = definition.subgraphs_ok(device_of, subgraph_of);
  } else {
    evaluation.shape_ok = definition.shape_ok(device_of);
  }
  return evaluation;
}

std::optional<double> brute_force(const Problem& problem) {
  double best = std::numeric_limits<double>::infinity();
  if (problem.objective == Objective::Latency) {
    best = best_latency_by_brute_force(problem);
  } else {
    const Definition definition(problem);
    std::vector<std::size_t> device_of(definition.node_count(), kNotPlaced);
    try_all(definition, 0, device_of, best);
  }
  if (best == std::numeric_limits<double>::infinity()) return std::nullopt;
  return best;
}

}  // namespace partita::detail
