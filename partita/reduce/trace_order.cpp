// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/trace_order.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace partita::detail {
namespace {

struct Positions {
  std::optional<double> forward;   // of the first forward node
  std::optional<double> backward;  // of the last backward node
};

Positions positions_of(const Graph& graph, const std::vector<NodeId>& members) {
  Positions at;
  for (NodeId v : members) {
    const double position = static_cast<double>(v.index());
    if (graph.nodes[v].backward) {
      at.backward = std::max(at.backward.value_or(position), position);
    } else if (!at.forward) {
      at.forward = position;
    }
  }
  return at;
}

// Piecewise linear through the known (backward, forward) pairs, sorted; just beyond the ends outside them.
double forward_position(const std::vector<std::pair<double, double>>& known, double backward, double node_count) {
  if (known.empty()) return node_count - backward;
  const auto after = std::lower_bound(known.begin(), known.end(), std::pair{backward, -1.0});
  if (after == known.begin()) return after->second + 0.5;
  const auto before = std::prev(after);
  if (after == known.end()) return before->second - 0.5;
  const double share = (backward - before->first) / (after->first - before->first);
  return before->second + share * (after->second - before->second);
}

}  // namespace

std::vector<std::size_t> trace_order(const Graph& graph, const std::vector<std::vector<NodeId>>& classes) {
  std::vector<Positions> at;
  std::vector<std::pair<double, double>> known;
  for (const auto& members : classes) {
    at.push_back(positions_of(graph, members));
    if (at.back().forward && at.back().backward) known.emplace_back(*at.back().backward, *at.back().forward);
  }
  std::sort(known.begin(), known.end());

  struct Key {
    double position;
    double tie;  // the backward pass runs against the forward pass
    std::size_t index;
    auto operator<=>(const Key&) const = default;
  };
  std::vector<Key> keys;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const double node_count = static_cast<double>(graph.nodes.size());
    if (at[c].forward) {
      keys.push_back({*at[c].forward, 0, c});
    } else {
      keys.push_back({forward_position(known, *at[c].backward, node_count), -*at[c].backward, c});
    }
  }
  std::sort(keys.begin(), keys.end());
  std::vector<std::size_t> order;
  for (const Key& key : keys) order.push_back(key.index);
  return order;
}

}  // namespace partita::detail
