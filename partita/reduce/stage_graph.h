// SPDX-License-Identifier: Apache-2.0
// The form in which staged splits are searched for: groups and nets (net_graph.h) with a partial order on the groups.
// A staged split is a chain of ideals (sets closed under predecessors), each step held by one device.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "partita/reduce/net_graph.h"
#include "partita/util/bit_matrix.h"
#include "partita/util/csr.h"
#include "partita/util/ids.h"

namespace partita::detail {

// Invariant: groups are numbered topologically, and otherwise in the order of the input file.
class StageGraph : public NetGraph {
 public:
  StageGraph() = default;
  // `precedence` must be acyclic and go from smaller to larger ids. Equal nets are added up; nets with fewer than two
  // members or no cost are dropped. Where there is no memory for the closure, std::bad_alloc or a graph without one.
  enum class Closure { Needed, IfThereIsRoom };
  StageGraph(IdVector<GroupId, Group> groups, const std::vector<std::pair<GroupId, GroupId>>& precedence,
             std::vector<Net> nets, Closure closure = Closure::Needed);

  // Edges of the transitive reduction while has_closure(), else all of them.
  std::span<const GroupId> successors(GroupId v) const { return successors_[v]; }
  std::span<const GroupId> predecessors(GroupId v) const { return predecessors_[v]; }
  std::size_t edge_count() const { return successors_.entry_count(); }

  // Reachability, each group included in its own row. Kept only up to kClosureLimit groups: it is quadratic in memory.
  bool has_closure() const { return !descendants_.empty() || size() == 0; }
  std::span<const Word> descendants(GroupId v) const { return descendants_.row(v.index()); }
  std::span<const Word> ancestors(GroupId v) const { return ancestors_.row(v.index()); }

  static constexpr std::size_t kClosureLimit = 32768;

 private:
  void add_precedence(std::vector<std::pair<GroupId, GroupId>> precedence, bool with_closure);

  Csr<GroupId, GroupId> successors_, predecessors_;
  BitMatrix descendants_, ancestors_;
};

// How to undo a contraction: where each old group went.
using Lift = IdVector<GroupId, GroupId>;

struct Contraction {
  StageGraph graph;
  Lift lift;
};

// Makes one group of each class of `label` (any values below the group count), and of each cycle that arises. Has a
// closure if `graph` has one.
Contraction contract(const StageGraph& graph, const IdVector<GroupId, GroupId>& label);

// The same for parts given separately, whose precedence may have cycles; used to make the first graph, which has a
// closure if there is room for it.
Contraction contract(const IdVector<GroupId, Group>& groups, const std::vector<std::pair<GroupId, GroupId>>& precedence,
                     const std::vector<Net>& nets, const IdVector<GroupId, GroupId>& label);

// The same groups and nets with every precedence turned round. Group v becomes size - 1 - v.
StageGraph reversed(const StageGraph& graph);

// A contraction of `first` followed by `second`.
Lift compose(const Lift& first, const Lift& second);

}  // namespace partita::detail
