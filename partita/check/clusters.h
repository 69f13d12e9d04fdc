// SPDX-License-Identifier: Apache-2.0
// The platform's clusters as a tree of numbered places, and what a transfer between two devices costs in it.
#pragma once

#include <vector>

#include "partita/model/platform.h"

namespace partita::detail {

using ClusterId = Id<struct ClusterTag>;  // a cluster of the platform, each after the one around it

// A platform without clusters is one cluster with factor 1. Refers to the platform it is made from.
class ClusterTree {
 public:
  explicit ClusterTree(const Platform& platform);

  struct Place {
    ClusterId around;  // names nothing for the root
    int depth = 0;
    double factor = 1;
    std::vector<DeviceId> devices;  // in it, but in no cluster inside; ascending
    std::vector<ClusterId> inside;
    const Cluster* given = nullptr;  // as the platform has it
  };

  std::size_t size() const { return places_.size(); }
  const Place& operator[](ClusterId id) const { return places_[id]; }
  ClusterId root() const { return ClusterId(0); }
  ClusterId home(DeviceId device) const { return home_[device]; }

  // The innermost cluster that holds both. O(depth).
  ClusterId common(DeviceId a, DeviceId b) const;
  // The cluster right inside `around` that holds the device; names nothing where it is in none, or not in `around`.
  ClusterId part_of(ClusterId around, DeviceId device) const;
  bool holds(ClusterId cluster, DeviceId device) const;
  // All devices in the cluster and in those inside, ascending, so that the i-th devices of a class in two equal
  // clusters have the same place. O(n log n).
  std::vector<DeviceId> all_devices(ClusterId cluster) const;
  // "the cluster of fast 0".
  std::string name(ClusterId cluster) const;

  // How many times an edge's cost `payer` pays for what it moves from or to `other`: its class's link factor times the
  // factor of the innermost cluster that holds both. Hosts pay nothing.
  double pays(DeviceId payer, DeviceId other) const {
    const double own = link_[payer];
    return places_.size() == 1 ? own * places_[root()].factor : own * places_[common(payer, other)].factor;
  }

 private:
  void add(const Cluster& cluster, ClusterId around, IdVector<ClassId, std::size_t>& next);

  const Platform& platform_;
  IdVector<ClusterId, Place> places_;
  IdVector<DeviceId, ClusterId> home_;
  IdVector<DeviceId, double> link_;
};

}  // namespace partita::detail
