// SPDX-License-Identifier: Apache-2.0
// Prices p prove the bound if p(all) > sum count(c) p(S_c) for the dearest sets S_c: if p has a positive product with
// a = 1 - sum count(c) S_c for all choices of sets. That is to separate the points a from 0, which the perceptron does:
// as long as some a has no positive product, add it to p [Novikoff'62].
#include "tests/support/prices_by_enumeration.h"

#include <algorithm>
#include <map>

#include "tests/support/transfers.h"

namespace partita::detail {
namespace {

struct ColourClasses {
  std::vector<std::size_t> of_node;
  std::vector<std::int64_t> ids;  // of first nodes

  explicit ColourClasses(const Graph& graph) {
    std::map<std::int64_t, std::size_t> by_colour;
    for (const Node& node : graph.nodes) {
      const bool seen = node.colour && by_colour.contains(*node.colour);
      of_node.push_back(seen ? by_colour[*node.colour] : ids.size());
      if (seen) continue;
      if (node.colour) by_colour[*node.colour] = ids.size();
      ids.push_back(node.original_id);
    }
  }

  // Classes that lead to each other are one.
  void join_cycles(const std::vector<std::pair<std::size_t, std::size_t>>& arcs) {
    const std::size_t n = ids.size();
    std::vector<std::vector<char>> leads(n, std::vector<char>(n, 0));
    for (const auto& [u, v] : arcs) leads[u][v] = 1;
    for (std::size_t via = 0; via < n; ++via) {
      for (std::size_t u = 0; u < n; ++u) {
        for (std::size_t v = 0; v < n; ++v) leads[u][v] = leads[u][v] || (leads[u][via] && leads[via][v]);
      }
    }
    std::vector<std::size_t> number(n, n);
    std::vector<std::int64_t> kept;
    for (std::size_t u = 0; u < n; ++u) {
      for (std::size_t v = 0; v < u; ++v) {
        if (leads[u][v] && leads[v][u]) number[u] = std::min(number[u], number[v]);
      }
      if (number[u] < n) continue;
      number[u] = kept.size();
      kept.push_back(ids[u]);
    }
    for (std::size_t& c : of_node) c = number[c];
    ids = std::move(kept);
  }

  std::size_t of_id(const Graph& graph, std::int64_t id) const {
    for (NodeId v : graph.nodes.all()) {
      if (graph.nodes[v].original_id == id) return of_node[v.index()];
    }
    return ids.size();
  }
};

using Arcs = std::vector<std::pair<std::size_t, std::size_t>>;

// Between nodes for contiguous splits, between colour classes for staged ones.
Arcs arcs_of_shape(const Problem& problem, Shape shape, const ColourClasses& classes) {
  const Graph& graph = problem.workload->graph;
  const auto orphan = [&](NodeId v) {
    for (NodeId u : graph.nodes.all()) {
      if (!graph.nodes[u].backward && classes.of_node[u.index()] == classes.of_node[v.index()]) return false;
    }
    return true;
  };
  Arcs arcs;
  for (const Edge& edge : graph.edges) {
    const bool backward = graph.nodes[edge.from].backward;
    if (shape == Shape::Free || backward != graph.nodes[edge.to].backward) continue;
    if (shape == Shape::Contiguous) {
      if (!backward || problem.backward_shape) arcs.emplace_back(edge.from.index(), edge.to.index());
    } else if (!backward) {
      arcs.emplace_back(classes.of_node[edge.from.index()], classes.of_node[edge.to.index()]);
    } else if (problem.backward_shape || orphan(edge.from) || orphan(edge.to)) {
      arcs.emplace_back(classes.of_node[edge.to.index()], classes.of_node[edge.from.index()]);
    }
  }
  return arcs;
}

ColourClasses classes_of_shape(const Problem& problem, Shape shape) {
  ColourClasses classes(problem.workload->graph);
  if (shape == Shape::Staged) classes.join_cycles(arcs_of_shape(problem, shape, classes));
  return classes;
}

bool leaves_and_comes_back(const Arcs& arcs, const std::vector<char>& in) {
  std::vector<char> left(in.size(), 0);
  for (bool more = true; more;) {
    more = false;
    for (const auto& [u, v] : arcs) {
      if (left[u] && in[v]) return true;
      if ((in[u] || left[u]) && !in[v] && !left[v]) more = true, left[v] = 1;
    }
  }
  return false;
}

std::int64_t worth(const std::vector<char>& set, const std::vector<std::int64_t>& prices) {
  std::int64_t sum = 0;
  for (std::size_t c = 0; c < set.size(); ++c) sum += set[c] ? prices[c] : 0;
  return sum;
}

}  // namespace

std::vector<DeviceSets> sets_within(const Problem& problem, Shape shape, double limit,
                                    const std::vector<Certificate::Decision>& decisions) {
  const Graph& graph = problem.workload->graph;
  const Platform& platform = problem.workload->platform;
  const ColourClasses classes = classes_of_shape(problem, shape);
  const std::size_t n = classes.ids.size();
  const Arcs arcs = arcs_of_shape(problem, shape, classes);
  const std::vector<Transfer> transfers = list_transfers(graph);
  std::vector<double> memory(n, 0);
  for (NodeId v : graph.nodes.all()) memory[classes.of_node[v.index()]] += graph.nodes[v].memory;
  std::vector<DeviceSets> result;
  for (ClassId id : platform.classes.all()) {
    const DeviceClass& device = platform.classes[id];
    if (device.count == 0) continue;
    DeviceSets& found = result.emplace_back(DeviceSets{id.index(), device.count, {}});
    for (std::uint32_t bits = 0; bits < 1u << n; ++bits) {
      std::vector<char> set(n), nodes;
      for (std::size_t c = 0; c < n; ++c) set[c] = bits >> c & 1;
      bool allowed = true;
      double load = 0;
      for (NodeId v : graph.nodes.all()) {
        const std::size_t c = classes.of_node[v.index()];
        nodes.push_back(set[c]);
        if (!set[c]) continue;
        allowed = allowed && graph.nodes[v].time[id.index()] != kCannotRun && memory[c] <= device.memory;
        if (allowed) load += graph.nodes[v].time[id.index()] * (platform.device_count() > 1 ? device.contention : 1);
      }
      for (const Transfer& transfer : transfers) {
        const auto in = [&](std::size_t v) { return nodes[v] != 0; };
        const std::size_t inside =
            in(transfer.producer) +
            static_cast<std::size_t>(std::count_if(transfer.consumers.begin(), transfer.consumers.end(), in));
        if (device.kind == DeviceKind::Host || transfer.cost == 0 || inside == 0) continue;
        if (inside <= transfer.consumers.size()) load += device.link_latency + transfer.cost * device.link_factor;
      }
      for (const Certificate::Decision& decision : decisions) {
        const bool a = set[classes.of_id(graph, decision.a)], b = set[classes.of_id(graph, decision.b)];
        allowed = allowed && (decision.together ? a == b : !(a && b));
      }
      if (allowed && load <= limit * (1 + 1e-9) && !leaves_and_comes_back(arcs, shape == Shape::Staged ? set : nodes))
        found.sets.push_back(std::move(set));
    }
  }
  return result;
}

std::optional<SeparatingPrices> separating_prices(const std::vector<DeviceSets>& devices, std::size_t classes,
                                                  int rounds) {
  SeparatingPrices found{std::vector<std::int64_t>(classes, 0), std::vector<std::int64_t>(devices.size(), 0)};
  for (int round = 0; round < rounds; ++round) {
    std::vector<std::int64_t> point(classes, 1);
    for (std::size_t d = 0; d < devices.size(); ++d) {
      const auto& sets = devices[d].sets;  // the empty one is among them
      const auto dearest = std::max_element(sets.begin(), sets.end(), [&](const auto& a, const auto& b) {
        return worth(a, found.prices) < worth(b, found.prices);
      });
      found.most[d] = worth(*dearest, found.prices);
      for (std::size_t c = 0; c < classes; ++c) point[c] -= (*dearest)[c] ? devices[d].count : 0;
    }
    std::int64_t product = 0;
    for (std::size_t c = 0; c < classes; ++c) product += point[c] * found.prices[c];
    if (product > 0) return found;
    for (std::size_t c = 0; c < classes; ++c) found.prices[c] += point[c];
  }
  return std::nullopt;
}

std::optional<Certificate::Leaf> prices_by_enumeration(const Problem& problem, Shape shape, double limit,
                                                       const std::vector<Certificate::Decision>& decisions) {
  const ColourClasses classes = classes_of_shape(problem, shape);
  const std::vector<DeviceSets> devices = sets_within(problem, shape, limit, decisions);
  const std::optional<SeparatingPrices> found = separating_prices(devices, classes.ids.size());
  if (!found) return std::nullopt;
  Certificate::Leaf leaf{decisions, {}, {}};
  for (std::size_t c = 0; c < classes.ids.size(); ++c) leaf.classes.push_back({classes.ids[c], found->prices[c]});
  for (std::size_t d = 0; d < devices.size(); ++d) {
    Certificate::Devices& of_class = leaf.devices.emplace_back();
    of_class.name = problem.workload->platform.classes[ClassId(devices[d].device_class)].name;
    of_class.buckets = 1'000'000;
    of_class.most = found->most[d];
  }
  return leaf;
}

}  // namespace partita::detail
