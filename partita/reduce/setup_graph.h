// SPDX-License-Identifier: Apache-2.0
// Groups, nets and their order, for stages that can run in several ways: on unequal devices, on several at once, with
// transfers beside compute, in clusters, with memory that depends on the samples in flight.
//
// The pipeline is seen from its END: the order of the groups is turned round, so an ideal is what the last stages hold.
// How many samples are in flight at a stage depends on the devices behind it alone, which is what a search from the end
// knows. Loads do not mind: in and out are told apart by a net's producer, not by the order.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "partita/reduce/group_weights.h"
#include "partita/reduce/stage_graph.h"

namespace partita::detail {

// What a group keeps in memory, in bytes.
struct GroupMemory {
  double weights = 0;     // what the copies of a stage exchange
  double resident = 0;    // whatever the number of samples
  double activation = 0;  // for each sample in flight
  double kept = 0;        // for each sample in flight, instead, where activations are recomputed

  void add(const GroupMemory& more, double times = 1) {
    weights += times * more.weights;
    resident += times * more.resident;
    activation += times * more.activation;
    kept += times * more.kept;
  }
};

class SetupGraph {
 public:
  SetupGraph() = default;
  // `order` has the groups and their precedence; its nets are for heuristics only. A net whose
  // producer is invalid has no direction. Equal nets are added up; nets with fewer than two members or no cost are
  // dropped. A producer pays each output at the largest price that it needs. Where the dearest link of a small output
  // may not be that of a large one, only outputs of one cost may be added up.
  enum class Merge { Any, OfOneCost };
  SetupGraph(StageGraph order, IdVector<ClassId, IdVector<GroupId, ClassTime>> times,
             IdVector<GroupId, GroupMemory> memory, std::vector<GroupTransfer> nets, int passes, Merge merge);

  std::size_t size() const { return order_.size(); }
  IdRange<GroupId> all() const { return order_.all(); }
  const StageGraph& order() const { return order_; }
  IdRange<ClassId> classes() const { return times_.all(); }
  const ClassTime& time(ClassId c, GroupId v) const { return times_[c][v]; }
  double compute(ClassId c, GroupId v) const { return times_[c][v].pass[0] + times_[c][v].pass[1]; }
  const GroupMemory& memory(GroupId v) const { return memory_[v]; }
  int passes() const { return passes_; }

  IdRange<NetId> nets() const { return traffic_.all(); }
  std::size_t net_count() const { return traffic_.size(); }
  const Traffic& traffic(NetId e) const { return traffic_[e]; }
  Merge merge() const { return merge_; }
  GroupId producer(NetId e) const { return producer_[e]; }
  int pass(NetId e) const { return pass_[e]; }
  std::span<const GroupId> members(NetId e) const { return members_[e]; }
  std::span<const NetId> nets_of(GroupId v) const { return nets_of_[v]; }

  void drop_weights(GroupId v) { memory_[v].weights = 0; }
  void ban(ClassId c, GroupId v) { times_[c][v].can_run = false; }

 private:
  StageGraph order_;
  IdVector<ClassId, IdVector<GroupId, ClassTime>> times_;
  IdVector<GroupId, GroupMemory> memory_;
  int passes_ = 1;
  Merge merge_ = Merge::Any;
  IdVector<NetId, Traffic> traffic_;
  IdVector<NetId, GroupId> producer_;
  IdVector<NetId, std::uint8_t> pass_;
  Csr<NetId, GroupId> members_;
  Csr<GroupId, NetId> nets_of_;
};

// The same graph with one group for each class of `label`, and for each cycle that arises.
struct SetupContraction {
  SetupGraph graph;
  Lift lift;
};
SetupContraction contract(const SetupGraph& graph, const IdVector<GroupId, GroupId>& label);

// The same graph with every precedence turned round. Group v becomes size - 1 - v.
SetupGraph reversed(const SetupGraph& graph);

// The same groups in one fixed order, each after the one before it: for splits into intervals of it.
SetupGraph in_line(const SetupGraph& graph, const std::vector<GroupId>& order);

}  // namespace partita::detail
