// SPDX-License-Identifier: Apache-2.0
// The loads of a free split where they are sums, kept up while groups move between devices: the fast policy.
//
// The load of a device of class c is the time of its groups plus link(c).factor times the cost of every net of which it
// holds some members but not all. When v moves from i to j, only these two loads change, and a net of v matters by three
// numbers: its size s and how many members i and j hold.
//
// A move costs O(nets of v), and for nets without counters (net_holders.h) O(their members).
//
// Loads are sums of floating-point numbers and drift by rounding while moves add and subtract; refresh() removes that,
// and the value of a split that anybody keeps is recomputed from scratch. Tests: tests/solve/sum_loads_test.cpp.
#pragma once

#include <span>
#include <vector>

#include "partita/reduce/free_instance.h"
#include "partita/solve/free/net_holders.h"

namespace partita::detail {

class SumLoads {
 public:
  // The instance must outlive it; serves(instance).
  explicit SumLoads(const FreeInstance& instance);
  // Whether loads are sums of times and of costs, whatever the number of transfers.
  static bool serves(const FreeInstance& instance) {
    return instance.mode == TransferMode::Sum && !instance.counts_transfers();
  }

  // Starts from this assignment. O(pins + counters).
  void reset(const IdVector<GroupId, DeviceId>& device_of);
  void move(GroupId v, DeviceId to);
  // The loads and memories from scratch, free of rounding. O(pins).
  void refresh();

  std::size_t device_count() const { return load_.size(); }
  bool can_run(GroupId v, DeviceId d) const { return runs_[v.index() * classes_ + class_of(d)]; }
  DeviceId device_of(GroupId v) const { return holders_.device_of(v); }
  const IdVector<GroupId, DeviceId>& device_of() const { return holders_.device_of(); }
  double load(DeviceId d) const { return load_[d]; }
  // What the load is the sum of: times of groups, and costs of nets that are cut.
  double additive_load(DeviceId d) const { return load_[d]; }
  double time(GroupId v, DeviceId d) const { return weights_[v.index() * (classes_ + 1) + class_of(d)]; }
  double cost_at(NetId e, DeviceId d) const { return link_[class_of(d)] * graph_.cost(e); }
  double memory(DeviceId d) const { return memory_[d]; }
  double memory_limit(DeviceId d) const { return devices_.class_of(d).memory; }
  double largest() const;
  std::span<const NetId> cut_nets() const { return holders_.cut_nets(); }  // in no particular order

  // How far a device's memory is above its limit, in units of the limit. 0 where it fits.
  double overfull(DeviceId d) const {
    const double limit = memory_limit(d), excess = memory_[d] - limit;
    return excess > 0 ? excess / (limit > 0 ? limit : graph_.total_memory()) : 0;
  }
  bool memory_fits() const;

  // After moves were undone: puts the numbers back as they were, so that tries that fail leave no rounding behind.
  struct Saved {
    DeviceId device;
    double load, memory;
  };
  Saved save(DeviceId d) const { return {d, load_[d], memory_[d]}; }
  void restore(const Saved& saved) {
    load_[saved.device] = saved.load;
    memory_[saved.device] = saved.memory;
  }

 private:
  // One net of a group, as a move needs it.
  struct Pin {
    double cost;
    GroupId other;  // of a net of two; else invalid
    NetId net;
  };
  std::size_t class_of(DeviceId d) const { return devices_.class_number(d); }

  const NetGraph& graph_;
  const DeviceTable& devices_;
  const std::size_t classes_;
  std::vector<double> weights_;  // group by group: times by class, then memory
  std::vector<char> runs_;       // group by group, by class
  std::vector<double> link_;     // by class
  Csr<GroupId, Pin> pins_;
  NetHolders holders_;
  IdVector<DeviceId, double> load_, memory_;
};

}  // namespace partita::detail
