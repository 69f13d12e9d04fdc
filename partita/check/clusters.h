// SPDX-License-Identifier: Apache-2.0
// The platform's clusters as a tree of numbered places, and what a transfer between two devices costs in it.
#pragma once

#include <optional>
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
    double factor = 1;                        // also that of the cluster's own link, for weights that are exchanged
    std::optional<Link> link = std::nullopt;  // of its own, whichever class uses it
    std::vector<DeviceId> devices;            // in it, but in no cluster inside; ascending
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

  // What `payer` pays for an output of that cost that it moves from or to `other`, by the innermost cluster that holds
  // both: over the cluster's own link, or else over the link of its class, with the cluster's factor. Hosts pay nothing.
  double pays(DeviceId payer, DeviceId other, double cost) const {
    const DeviceClass& its = platform_.classes[class_of_[payer]];
    if (its.kind == DeviceKind::Host || !(cost > 0)) return 0;
    const Link link = link_of(its, places_[places_.size() == 1 ? root() : common(payer, other)]);
    return link.factor * cost + link.latency;
  }
  // What the class pays by, wherever the other is: each link once. None for hosts.
  std::vector<Link> links_of(ClassId payer) const;

 private:
  void add(const Cluster& cluster, ClusterId around, IdVector<ClassId, std::size_t>& next);

  const Platform& platform_;
  IdVector<ClusterId, Place> places_;
  IdVector<DeviceId, ClusterId> home_;
  static Link link_of(const DeviceClass& payer, const Place& both) {
    return both.link ? *both.link : Link{payer.link_factor * both.factor, payer.link_latency};
  }

  IdVector<DeviceId, ClassId> class_of_;
};

}  // namespace partita::detail
