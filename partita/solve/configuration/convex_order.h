// SPDX-License-Identifier: Apache-2.0
// What a shape asks of a set of groups: that no path leaves it and comes back.
//
// The shape is about points: nodes of the input for contiguous splits, groups of a StageGraph for staged ones, whose
// stages are such sets too. Each point belongs to a group, and a group may have any number of points, or none. A set of
// groups is convex if no path of points leads out of it and back into it.
//
// Labels say the same locally. Give every point a label: 0 before, 1 in, 2 after. A set S of points is convex iff there
// are labels that never fall along an edge such that S is what has label 1. If S is convex, let 2 be what is outside S
// and reached from it, and 0 the rest: an edge from a 2 to a 1 would close a path that leaves S and comes back, one from
// a 2 to a 0 would make that 0 reached, and one from a 1 to a 0 too. Conversely a path that leaves S upward goes on with
// label 2 for ever. So whoever decides about one group after another (trellis.h) needs to know no more than the labels
// that are still possible.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "partita/model/problem.h"
#include "partita/reduce/stage_graph.h"
#include "partita/util/bit_matrix.h"
#include "partita/util/budget.h"
#include "partita/util/csr.h"

namespace partita::detail {

using PointId = Id<struct PointTag>;

class ConvexOrder {
 public:
  using Edge = std::pair<PointId, PointId>;
  // Reachability takes points^2 / 8 bytes: 32 MiB.
  static constexpr std::size_t kMostPoints = 16'384;

  ConvexOrder() = default;  // without points every set is convex
  // Edges must have no cycle. O(points * edges / 64).
  ConvexOrder(std::size_t groups, IdVector<PointId, GroupId> group_of, const std::vector<Edge>& edges);

  bool empty() const { return group_of_.size() == 0; }
  std::size_t size() const { return group_of_.size(); }
  IdRange<PointId> all() const { return group_of_.all(); }
  GroupId group_of(PointId p) const { return group_of_[p]; }
  std::span<const PointId> points_of(GroupId v) const { return points_of_[v]; }
  std::span<const PointId> successors(PointId p) const { return successors_[p]; }
  std::span<const PointId> predecessors(PointId p) const { return predecessors_[p]; }
  bool leads_to(PointId from, PointId to) const { return reached_.test(from.index(), to.index()); }
  // What paths from p lead to, without p.
  std::span<const Word> reached(PointId p) const { return reached_.row(p.index()); }
  std::size_t position(PointId p) const { return position_[p]; }  // in an order that takes every edge forward

  bool is_convex(std::span<const GroupId> groups) const;

  // The same points with more edges, which must close no cycle.
  ConvexOrder with(const std::vector<Edge>& more) const;

 private:
  IdVector<PointId, GroupId> group_of_;
  Csr<GroupId, PointId> points_of_;
  Csr<PointId, PointId> successors_, predecessors_;
  IdVector<PointId, std::size_t> position_;
  BitMatrix reached_;  // by point, without the point itself
};

// One point for each group. Precondition: at most kMostPoints groups.
ConvexOrder order_of_groups(const StageGraph& graph);

// The nodes that a contiguous split of the problem has to keep together: forward nodes, with backward_shape all, and the
// edges within a pass.
struct NodeOrder {
  ConvexOrder order;
  IdVector<PointId, NodeId> node_of;
};
// Precondition: at most kMostPoints nodes.
NodeOrder order_of_nodes(const Problem& problem, const IdVector<NodeId, GroupId>& group_of, std::size_t groups);

// What is left of an order where groups are gone: the points of the others, with an edge where a path led from one to
// the other, but for those that follow from others. A set of groups that was convex is convex without those that are
// gone: labels that never fall along edges never fall along paths.
struct OrderLeft {
  ConvexOrder order;
  IdVector<PointId, PointId> before;  // by point that is left: which one it was
};
// `lift` has the new ids of groups; those that are gone have none. O(points * edges) at worst, where nearly all are
// gone; throws OutOfTime.
OrderLeft order_without(const ConvexOrder& order, const Lift& lift, std::size_t groups, const Budget* budget = nullptr);

// The groups in an order in which few nets are open and few points wait for a label: nets and, for each point, the point
// with its readers, so that transfers that cost nothing count too. Throws OutOfTime.
std::vector<GroupId> narrow_order(const NetGraph& graph, const ConvexOrder& order, std::uint64_t seed,
                                  const Budget* budget = nullptr);

}  // namespace partita::detail
