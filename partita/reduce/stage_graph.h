// SPDX-License-Identifier: Apache-2.0
// The form in which staged splits are searched for: groups of nodes that share a device, a partial order on them, and nets.
//
// A net is one transferable output: its producer's group and its consumers' groups, with the cost of moving it. An
// accelerator that holds some but not all of a net pays the net's cost once, as the producer's side (out) or as a
// consumer's (in). So the load of an accelerator with the groups S is
//     load(S) = sum of accelerator_time over S + sum of costs of the nets cut by S,
// and a net is symmetric: nothing depends on which member produces. Training differs from inference only in that a net may
// join groups in any order, so everything below is written on nets and serves both.
//
// A staged split is a chain of ideals (sets closed under predecessors), each step held by one device.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "partita/util/bit_matrix.h"
#include "partita/util/csr.h"
#include "partita/util/ids.h"

namespace partita {

struct Net {
  double cost = 0;
  std::vector<GroupId> members;
};

// One group's weights. A device that cannot run the group is marked by its flag; the time is then 0 and not used.
struct Group {
  double accelerator_time = 0;
  double host_time = 0;
  double memory = 0;
  bool on_accelerator = true;
  bool on_host = true;
};

// Invariant: groups are numbered topologically, and otherwise in the order of the input file.
class StageGraph {
 public:
  StageGraph() = default;
  // `precedence` must be acyclic and go from smaller to larger ids. Equal nets are added up; nets with fewer than two
  // members or no cost are dropped.
  StageGraph(IdVector<GroupId, Group> groups, const std::vector<std::pair<GroupId, GroupId>>& precedence, std::vector<Net> nets);

  std::size_t size() const { return groups_.size(); }
  IdRange<GroupId> all() const { return groups_.all(); }
  const Group& group(GroupId v) const { return groups_[v]; }
  double accelerator_time(GroupId v) const { return groups_[v].accelerator_time; }
  double host_time(GroupId v) const { return groups_[v].host_time; }

  // Edges of the transitive reduction while has_closure(), else all of them.
  std::span<const GroupId> successors(GroupId v) const { return successors_[v]; }
  std::span<const GroupId> predecessors(GroupId v) const { return predecessors_[v]; }
  std::size_t edge_count() const { return successors_.entry_count(); }

  std::size_t net_count() const { return net_cost_.size(); }
  IdRange<NetId> nets() const { return net_cost_.all(); }
  double cost(NetId e) const { return net_cost_[e]; }
  std::span<const GroupId> members(NetId e) const { return net_members_[e]; }  // sorted
  std::span<const NetId> nets_of(GroupId v) const { return nets_of_[v]; }

  // Reachability, each group included in its own row. Kept only up to kClosureLimit groups: it is quadratic in memory.
  bool has_closure() const { return !descendants_.empty() || groups_.empty(); }
  std::span<const Word> descendants(GroupId v) const { return descendants_.row(v.index()); }
  std::span<const Word> ancestors(GroupId v) const { return ancestors_.row(v.index()); }

  // Marks groups as unsupported on hosts. Their accelerator weights and the order stay as they are.
  void ban_from_hosts(const IdVector<GroupId, char>& banned);

  double total_accelerator_time() const { return total_accelerator_time_; }
  double total_memory() const { return total_memory_; }

  static constexpr std::size_t kClosureLimit = 32768;

 private:
  void add_nets(std::vector<Net> nets);
  void add_precedence(std::vector<std::pair<GroupId, GroupId>> precedence);

  IdVector<GroupId, Group> groups_;
  Csr<GroupId, GroupId> successors_, predecessors_;
  IdVector<NetId, double> net_cost_;
  Csr<NetId, GroupId> net_members_;
  Csr<GroupId, NetId> nets_of_;
  BitMatrix descendants_, ancestors_;
  double total_accelerator_time_ = 0;
  double total_memory_ = 0;
};

// The devices as the staged solver sees them.
struct StagePlatform {
  int accelerators = 0;
  int hosts = 0;
  double accelerator_memory = 0;
  double host_memory = 0;
};

// How to undo a contraction: where each old group went.
using Lift = IdVector<GroupId, GroupId>;

struct Contraction {
  StageGraph graph;
  Lift lift;
};

// Makes one group of each class of `label` (any values below the group count), and of each cycle that arises.
Contraction contract(const StageGraph& graph, const IdVector<GroupId, GroupId>& label);

// The same for parts given separately, whose precedence may have cycles; used to make the first graph.
Contraction contract(const IdVector<GroupId, Group>& groups, const std::vector<std::pair<GroupId, GroupId>>& precedence,
                     const std::vector<Net>& nets, const IdVector<GroupId, GroupId>& label);

// The same groups and nets with every precedence turned round. Group v becomes size - 1 - v.
StageGraph reversed(const StageGraph& graph);

// A contraction of `first` followed by `second`.
Lift compose(const Lift& first, const Lift& second);

}  // namespace partita
