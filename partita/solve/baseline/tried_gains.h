// SPDX-License-Identifier: Apache-2.0
// What every reassignment of one group would do to the loads, over any devices and in any transfer mode (reduce/free_instance.h): what move_gains.h
// is for the plain question, with the same calls.
//
// Where loads are maxima, what a group brings to a device is no sum over its nets that could be kept up. So each move
// that is asked for is tried: made, read and undone, O(transfers of the group), with the numbers put back as they were.
// Two things keep the tries few. What a device is left with when a group leaves does not depend on where it goes, and
// is tried once. And a device gets relief from a group that joins it only if they share a net: its compute grows
// whatever joins, so a transfer must end. Tests: tests/solve/local_search_test.cpp.
#pragma once

#include "partita/solve/free/part_loads.h"

namespace partita::detail {

class TriedGains {
 public:
  // The instance, whose graph comes first, must outlive it. Devices are those of its table.
  TriedGains(const NetGraph& graph, const FreeInstance& instance)
      : graph_(graph), loads_(instance), neighbour_(graph.size(), 0) {}

  void reset(const IdVector<GroupId, DeviceId>& device_of);
  void move(GroupId v, DeviceId to);

  std::size_t device_count() const { return loads_.device_count(); }
  DeviceId device_of(GroupId v) const { return loads_.device_of(v); }
  const IdVector<GroupId, DeviceId>& device_of() const { return loads_.device_of(); }
  double load(DeviceId d) const { return loads_.load(d); }
  // Would the device's load fall, if v left its own, or joined another?
  bool relieves_by_leaving(GroupId v) { return load_without(v) < load(device_of(v)); }
  bool relieves_by_joining(GroupId v, DeviceId d) {
    find_neighbours(d);
    return neighbour_[v] && load_with(v, d) < load(d);
  }
  double load_without(GroupId v);  // of its device
  double load_with(GroupId v, DeviceId d);

 private:
  struct Ends {
    double from, to;
  };
  Ends attempt(GroupId v, DeviceId to);
  void find_neighbours(DeviceId d);
  void forget();

  const NetGraph& graph_;
  PartLoads loads_;
  // What the last questions found out; good until something moves.
  GroupId left_;
  double load_left_ = 0;
  DeviceId neighbours_of_;
  IdVector<GroupId, char> neighbour_;  // shares a net with a group on that device
};

}  // namespace partita::detail
