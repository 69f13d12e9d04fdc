// SPDX-License-Identifier: Apache-2.0
// What every reassignment of one group would do to the loads, kept up while groups move.
//
// When v moves from i to j only these two loads change. What v takes away from i is one number per group; what it
// brings to j is one per group and device. Both are sums over v's nets that depend on how many of a net's s members the
// device holds, h:
//     leaving:  - time of v  - cost of the nets with h = 1  + cost of those with h = s   (v counted in h)
//     joining:  + time of v  + cost of the nets with h = 0  - cost of those with h = s - 1
// on an accelerator; on a host it is the time alone. So looking at a move takes no time, and making one changes the
// numbers of a net's other members only where h passes 0, 1, s - 1 or s; large nets rarely do. A local search looks at
// thousands of moves for each one it makes: on graphs of 4,000 nodes this is 30 times as fast as moving and moving
// back.
//
// Memory O(groups * devices): the caller sees to it that there are not too many devices. Tests:
// tests/solve/local_search_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "partita/reduce/net_graph.h"

namespace partita::detail {

class MoveGains {
 public:
  // The graph must outlive it. Devices: accelerators from 0, then hosts.
  MoveGains(const NetGraph& graph, const StagePlatform& platform);

  // Starts from this assignment. O((groups + pins) * devices).
  void reset(const IdVector<GroupId, DeviceId>& device_of);
  void move(GroupId v, DeviceId to);

  std::size_t device_count() const { return load_.size(); }
  DeviceId device_of(GroupId v) const { return device_of_[v]; }
  const IdVector<GroupId, DeviceId>& device_of() const { return device_of_; }
  double load(DeviceId d) const { return load_[d]; }
  // Would the device's load fall, if v left its own, or joined another?
  bool relieves_by_leaving(GroupId v) const { return leaving_[v] < 0; }
  bool relieves_by_joining(GroupId v, DeviceId d) const { return joining_[cell(v, d)] < 0; }
  double load_without(GroupId v) const { return load_[device_of_[v]] + leaving_[v]; }  // of its device
  double load_with(GroupId v, DeviceId d) const { return load_[d] + joining_[cell(v, d)]; }

 private:
  bool pays(DeviceId d) const { return d.index() < accelerators_; }
  std::size_t cell(GroupId v, DeviceId d) const { return d.index() * device_of_.size() + v.index(); }
  std::uint32_t& held(NetId e, DeviceId d) { return held_[e.index() * load_.size() + d.index()]; }
  double time(GroupId v, DeviceId d) const { return pays(d) ? graph_.accelerator_time(v) : graph_.host_time(v); }
  void weigh(GroupId v);
  void change_held(NetId e, DeviceId d, std::uint32_t now, GroupId moving);

  const NetGraph& graph_;
  const std::size_t accelerators_;
  IdVector<GroupId, DeviceId> device_of_;
  IdVector<DeviceId, double> load_;
  std::vector<std::uint32_t> held_;  // by net and device
  IdVector<GroupId, double> leaving_;
  std::vector<double> joining_;  // by device and group: a step of a search looks at one device and all groups
};

}  // namespace partita::detail
