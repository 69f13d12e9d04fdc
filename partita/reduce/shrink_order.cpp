// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/shrink_order.h"

#include <algorithm>

namespace partita::detail {
namespace {

constexpr double kFloatingShare = 0.3;

// The heaviest path of the order, from its start.
std::vector<GroupId> heaviest_path(const StageGraph& graph) {
  IdVector<GroupId, double> weight(graph.size());
  IdVector<GroupId, GroupId> before(graph.size());
  GroupId last;
  for (GroupId v : graph.all()) {
    for (GroupId u : graph.predecessors(v)) {
      if (before[v].valid() && weight[u] <= weight[before[v]]) continue;
      before[v] = u;
    }
    weight[v] = graph.accelerator_time(v) + (before[v].valid() ? weight[before[v]] : 0);
    if (!last.valid() || weight[v] > weight[last]) last = v;
  }
  std::vector<GroupId> path;
  for (GroupId v = last; v.valid(); v = before[v]) path.push_back(v);
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace

IdVector<GroupId, char> find_floaters(const StageGraph& graph, double limit) {
  const std::vector<GroupId> path = heaviest_path(graph);
  std::vector<double> weight(path.size() + 1, 0);
  for (std::size_t i = 0; i < path.size(); ++i) weight[i + 1] = weight[i] + graph.accelerator_time(path[i]);
  const double least = kFloatingShare * weight.back() * limit / std::max(limit, graph.total_accelerator_time());
  IdVector<GroupId, char> floats(graph.size(), 0);
  for (GroupId v : graph.all()) {
    const auto from = std::partition_point(path.begin(), path.end(),
                                           [&](GroupId u) { return test_bit(graph.ancestors(v), u.index()); });
    const auto to =
        std::partition_point(from, path.end(), [&](GroupId w) { return !test_bit(graph.descendants(v), w.index()); });
    floats[v] =
        weight[static_cast<std::size_t>(to - path.begin())] - weight[static_cast<std::size_t>(from - path.begin())] >
        least;
  }
  return floats;
}

std::vector<std::pair<GroupId, GroupId>> precedence_without(const StageGraph& graph, const Lift& lift) {
  std::vector<std::pair<GroupId, GroupId>> precedence;
  IdVector<GroupId, GroupId> seen_from(graph.size());
  std::vector<GroupId> stack;
  for (GroupId v : graph.all()) {
    if (!lift[v].valid()) continue;
    stack.assign(1, v);
    while (!stack.empty()) {
      const GroupId u = stack.back();
      stack.pop_back();
      for (GroupId w : graph.successors(u)) {
        if (seen_from[w] == v) continue;
        seen_from[w] = v;
        if (lift[w].valid()) {
          precedence.emplace_back(lift[v], lift[w]);
        } else {
          stack.push_back(w);
        }
      }
    }
  }
  return precedence;
}

}  // namespace partita::detail
