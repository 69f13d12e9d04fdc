// SPDX-License-Identifier: Apache-2.0
// The loads of a free split in every transfer mode, kept up while groups move between devices: with the same calls as
// sum_loads.h, so that the same search serves both.
//
// For each device and pass, compute, in and out are kept apart; the load follows from these six numbers. When v moves
// from i to j only these two devices change. A net of v matters by how many of its members i and j hold, which says who
// pays before and after, and by where the producer of each transfer along it is, which says in which direction. A move
// costs O(transfers of v), and for nets without counters O(their members). Tests: tests/solve/part_loads_test.cpp.
#pragma once

#include <array>
#include <span>

#include "partita/reduce/free_instance.h"
#include "partita/solve/free/net_holders.h"

namespace partita::detail {

// Every group on a device that can run it, and no device's memory exceeded. O(n).
bool is_legal(const FreeInstance& instance, const IdVector<GroupId, DeviceId>& device_of);
// The largest load, from scratch. O(pins + devices).
double free_value(const FreeInstance& instance, const IdVector<GroupId, DeviceId>& device_of);

class PartLoads {
 public:
  // The instance must outlive it.
  explicit PartLoads(const FreeInstance& instance);

  // Starts from this assignment. O(pins + counters).
  void reset(const IdVector<GroupId, DeviceId>& device_of);
  void move(GroupId v, DeviceId to);
  // The loads and memories from scratch, free of rounding. O(pins).
  void refresh();

  std::size_t device_count() const { return load_.size(); }
  bool can_run(GroupId v, DeviceId d) const { return instance_.time[instance_.devices.class_number(d)][v].can_run; }
  DeviceId device_of(GroupId v) const { return holders_.device_of(v); }
  const IdVector<GroupId, DeviceId>& device_of() const { return holders_.device_of(); }
  double load(DeviceId d) const { return load_[d]; }
  double pass_load(DeviceId d, std::size_t pass) const;  // the instance must keep the passes apart
  // What the load is the sum of: times of groups, and costs of nets that are cut. In modes other than sum the times
  // alone, which is no more than the load.
  double additive_load(DeviceId d) const {
    return instance_.mode == TransferMode::Sum ? load_[d] : parts_[d].compute[0] + parts_[d].compute[1];
  }
  double time(GroupId v, DeviceId d) const { return instance_.time[instance_.devices.class_number(d)][v].total(); }
  double cost_at(NetId e, DeviceId d) const {
    return instance_.mode == TransferMode::Sum ? instance_.price_of(e, instance_.devices.class_number(d)) : 0;
  }
  double memory(DeviceId d) const { return parts_[d].memory; }
  double memory_limit(DeviceId d) const { return instance_.devices.class_of(d).memory; }
  double largest() const;
  std::span<const NetId> cut_nets() const { return holders_.cut_nets(); }  // in no particular order

  // How far a device's memory is above its limit, in units of the limit. 0 where it fits.
  double overfull(DeviceId d) const {
    const double limit = memory_limit(d), excess = parts_[d].memory - limit;
    return excess > 0 ? excess / (limit > 0 ? limit : graph_.total_memory()) : 0;
  }
  bool memory_fits() const;

  // What a device's load is made of.
  struct Parts {
    std::array<double, kPasses> compute{}, in{}, out{};  // transfers at the device's own prices
    double memory = 0;

    double& transfers(std::size_t pass, bool outwards) { return outwards ? out[pass] : in[pass]; }
  };
  // After moves were undone: puts the numbers back as they were, so that tries that fail leave no rounding behind.
  struct Saved {
    DeviceId device;
    double load;
    Parts parts;
  };
  Saved save(DeviceId d) const { return {d, load_[d], parts_[d]}; }
  void restore(const Saved& saved) {
    load_[saved.device] = saved.load;
    parts_[saved.device] = saved.parts;
  }

 private:
  NetHolders::Counts shift(NetId e, std::span<const GroupId> members, GroupId v, DeviceId from, DeviceId to);
  double load_of(DeviceId d) const;

  const FreeInstance& instance_;
  const NetGraph& graph_;
  NetHolders holders_;
  IdVector<DeviceId, Parts> parts_;
  IdVector<DeviceId, double> load_;
};

}  // namespace partita::detail
