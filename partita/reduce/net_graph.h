// SPDX-License-Identifier: Apache-2.0
// Groups of nodes that share a device, and nets: what loads are made of.
//
// A net is one transferable output: its producer's group and its consumers' groups, with the cost of moving it. An
// accelerator that holds some but not all of a net pays the net's cost once, as the producer's side (out) or as a
// consumer's (in). So the load of an accelerator with the groups S is
//     load(S) = sum of accelerator_time over S + sum of costs of the nets cut by S,
// and a net is symmetric: nothing depends on which member produces. Training differs from inference only in that a net
// may join groups in any order, so everything below is written on nets and serves both.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "partita/util/csr.h"
#include "partita/util/ids.h"

namespace partita::detail {

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

class NetGraph {
 public:
  NetGraph() = default;
  // Equal nets are added up; nets with fewer than two members or no cost are dropped.
  NetGraph(IdVector<GroupId, Group> groups, std::vector<Net> nets);

  std::size_t size() const { return groups_.size(); }
  IdRange<GroupId> all() const { return groups_.all(); }
  const Group& group(GroupId v) const { return groups_[v]; }
  double accelerator_time(GroupId v) const { return groups_[v].accelerator_time; }
  double host_time(GroupId v) const { return groups_[v].host_time; }

  std::size_t net_count() const { return net_cost_.size(); }
  IdRange<NetId> nets() const { return net_cost_.all(); }
  double cost(NetId e) const { return net_cost_[e]; }
  std::span<const GroupId> members(NetId e) const { return net_members_[e]; }  // sorted
  std::span<const NetId> nets_of(GroupId v) const { return nets_of_[v]; }

  double total_accelerator_time() const { return total_accelerator_time_; }
  double total_memory() const { return total_memory_; }

  // Marks groups as unsupported on hosts. All else stays as it is.
  void ban_from_hosts(const IdVector<GroupId, char>& banned);
  // Every group needs no memory from now on. All else stays as it is.
  void forget_memory();
  // Lowers higher costs to this. Sums of costs that differ by many magnitudes lose the small ones; where only loads up
  // to some limit matter, no net needs to cost more than a little above it.
  void cap_costs(double most);

 private:
  IdVector<GroupId, Group> groups_;
  IdVector<NetId, double> net_cost_;
  Csr<NetId, GroupId> net_members_;
  Csr<GroupId, NetId> nets_of_;
  double total_accelerator_time_ = 0;
  double total_memory_ = 0;
};

// The devices as the throughput solvers see them: one class of each kind.
struct StagePlatform {
  int accelerators = 0;
  int hosts = 0;
  double accelerator_memory = 0;
  double host_memory = 0;
};

// May a device of the kind hold the group at all: is there one, does it run all of it, is there memory?
inline bool may_be_on_accelerator(const Group& g, const StagePlatform& platform) {
  return platform.accelerators > 0 && g.on_accelerator && g.memory <= platform.accelerator_memory;
}
inline bool may_be_on_host(const Group& g, const StagePlatform& platform) {
  return platform.hosts > 0 && g.on_host && g.memory <= platform.host_memory;
}

// compute + in + out of an accelerator that holds these groups. O(pins of the groups).
double accelerator_load(const NetGraph& graph, std::span<const GroupId> groups);
double host_load(const NetGraph& graph, std::span<const GroupId> groups);

}  // namespace partita::detail
