// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/configuration/convex_order.h"

#include <algorithm>

#include "partita/solve/configuration/narrow_order.h"
#include "partita/util/time_watch.h"
#include "partita/util/topological_order.h"

namespace partita::detail {

ConvexOrder::ConvexOrder(std::size_t groups, IdVector<PointId, GroupId> group_of, const std::vector<Edge>& edges)
    : group_of_(std::move(group_of)), reached_(group_of_.size(), group_of_.size()) {
  std::vector<std::pair<GroupId, PointId>> members;
  for (PointId p : group_of_.all()) members.emplace_back(group_of_[p], p);
  points_of_ = Csr<GroupId, PointId>(groups, members);
  std::vector<Edge> back;
  back.reserve(edges.size());
  for (const auto& [from, to] : edges) back.emplace_back(to, from);
  successors_ = Csr<PointId, PointId>(group_of_.size(), edges);
  predecessors_ = Csr<PointId, PointId>(group_of_.size(), back);
  const std::vector<PointId> order = topological_order(successors_);
  position_.resize(order.size());
  for (std::size_t i = order.size(); i-- > 0;) {
    position_[order[i]] = i;
    for (PointId next : successors_[order[i]]) {
      reached_.set(order[i].index(), next.index());
      reached_.join_row(order[i].index(), next.index());
    }
  }
}

bool ConvexOrder::is_convex(std::span<const GroupId> groups) const {
  if (empty()) return true;
  std::vector<Word> in(reached_.words_per_row(), 0), after(in);
  for (GroupId v : groups) {
    for (PointId p : points_of_[v]) {
      set_bit(in, p.index());
      join_bits(after, reached_.row(p.index()));
    }
  }
  bool convex = true;
  for (std::size_t w = 0; w < after.size(); ++w) after[w] &= ~in[w];
  for_each_bit(after, [&](std::size_t p) {
    const auto reached = reached_.row(p);
    for (std::size_t w = 0; convex && w < in.size(); ++w) convex = (reached[w] & in[w]) == 0;
  });
  return convex;
}

ConvexOrder ConvexOrder::with(const std::vector<Edge>& more) const {
  std::vector<Edge> edges = more;
  for (PointId p : all()) {
    for (PointId next : successors_[p]) edges.emplace_back(p, next);
  }
  return ConvexOrder(points_of_.rows(), group_of_, edges);
}

ConvexOrder order_of_groups(const StageGraph& graph) {
  IdVector<PointId, GroupId> group_of;
  std::vector<ConvexOrder::Edge> edges;
  for (GroupId v : graph.all()) {
    group_of.push_back(v);
    for (GroupId next : graph.successors(v)) edges.emplace_back(PointId(v.index()), PointId(next.index()));
  }
  return ConvexOrder(graph.size(), std::move(group_of), edges);
}

NodeOrder order_of_nodes(const Problem& problem, const IdVector<NodeId, GroupId>& group_of, std::size_t groups) {
  const Graph& graph = problem.workload->graph;
  IdVector<NodeId, PointId> point_of(graph.nodes.size());
  IdVector<PointId, GroupId> groups_of_points;
  NodeOrder result;
  const auto make_point = [&](NodeId v) {
    if (point_of[v].valid()) return;
    point_of[v] = PointId(result.node_of.size());
    result.node_of.push_back(v);
    groups_of_points.push_back(group_of[v]);
  };
  std::vector<ConvexOrder::Edge> edges;
  for (const Edge& edge : graph.edges) {
    const bool backward = graph.nodes[edge.from].backward;
    if (backward != graph.nodes[edge.to].backward || (backward && !problem.backward_shape)) continue;
    make_point(edge.from);
    make_point(edge.to);
    edges.emplace_back(point_of[edge.from], point_of[edge.to]);
  }
  result.order = ConvexOrder(groups, std::move(groups_of_points), edges);
  return result;
}

OrderLeft order_without(const ConvexOrder& order, const Lift& lift, std::size_t groups, const Budget* budget) {
  TimeWatch watch(budget);
  OrderLeft result;
  IdVector<PointId, PointId> now(order.size());
  IdVector<PointId, GroupId> group_of;
  for (PointId p : order.all()) {
    if (!lift[order.group_of(p)].valid()) continue;
    now[p] = PointId(result.before.size());
    result.before.push_back(p);
    group_of.push_back(lift[order.group_of(p)]);
  }
  std::vector<ConvexOrder::Edge> edges;
  IdVector<PointId, PointId> seen_from(order.size());
  std::vector<PointId> stack, next;
  for (PointId p : result.before) {
    stack.assign(1, p);
    next.clear();
    while (!stack.empty()) {
      const PointId q = stack.back();
      stack.pop_back();
      watch.step();
      for (PointId r : order.successors(q)) {
        if (seen_from[r] == p) continue;
        seen_from[r] = p;
        (now[r].valid() ? next : stack).push_back(r);
      }
    }
    for (PointId r : next) {
      const bool follows = std::ranges::any_of(next, [&](PointId q) { return order.leads_to(q, r); });
      if (!follows) edges.emplace_back(now[p], now[r]);
    }
  }
  result.order = ConvexOrder(groups, std::move(group_of), edges);
  return result;
}

std::vector<GroupId> narrow_order(const NetGraph& graph, const ConvexOrder& order, std::uint64_t seed,
                                  const Budget* budget) {
  if (order.empty()) return narrow_order(graph, seed, budget);
  std::vector<Net> nets;
  for (NetId e : graph.nets()) nets.push_back({1, {graph.members(e).begin(), graph.members(e).end()}});
  for (PointId p : order.all()) {
    Net with_readers{1, {order.group_of(p)}};
    for (PointId next : order.successors(p)) with_readers.members.push_back(order.group_of(next));
    nets.push_back(std::move(with_readers));
  }
  return narrow_order(NetGraph(IdVector<GroupId, Group>(graph.size()), std::move(nets)), seed, budget);
}

}  // namespace partita::detail
