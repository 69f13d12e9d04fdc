// SPDX-License-Identifier: Apache-2.0
// A shared link of the platform, and what moves over it.
//
// An accelerator behind the link adds the price over it of everything that it moves: in, and out once, as crossings.h
// counts them. Where the link belongs to a level of clusters, every cluster of that level has one of its own, and only
// what crosses the cluster's border counts: out once if some reader is outside. Devices that share a stage each move
// every so many samples' outputs. The exchange of their weights is not counted.
//
// The link's load is that of a device that moves all this and computes nothing: in + out, or with duplex transfers the
// larger of both, pass by pass.
#pragma once

#include <string>

#include "partita/check/check.h"
#include "partita/check/clusters.h"
#include "partita/check/placement.h"

namespace partita::detail {

// Where a shared link is: once, or once in each cluster of its level that has accelerators behind it. Refers to the
// platform and the clusters.
class SharedLinkPlaces {
 public:
  SharedLinkPlaces(const Platform& platform, const SharedLink& link, const ClusterTree& clusters);

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::size_t size() const { return clusters_.size(); }
  std::size_t place_of(DeviceId device) const { return place_of_[device]; }  // kNone: what it moves goes elsewhere
  std::string name(std::size_t place) const;

  // What `payer` takes on the link for an output of that cost that it moves from or to `other`.
  double pays(DeviceId payer, DeviceId other, double cost) const {
    if (place_of_[payer] == kNone || !(cost > 0)) return 0;
    if (link_.level > 0 && tree_.holds(clusters_[place_of_[payer]], other)) return 0;
    return link_.link.factor * cost + link_.link.latency;
  }

 private:
  const SharedLink& link_;
  const ClusterTree& tree_;
  std::vector<ClusterId> clusters_;  // by place; names nothing without a level
  IdVector<DeviceId, std::size_t> place_of_;
};

// Fills report.shared_links and report.slowest_link. Precondition: report.load and who shares which stage are there.
// O(nodes + edges + devices) for each link, times the depth of the clusters.
void measure_shared_links(const Problem& problem, const Placement& placement, const ClusterTree& clusters,
                          CheckReport& report);

// "the shared link switch takes 18 ms for each sample, more than any device (16 ms): ..."; empty where no link is the
// bottleneck.
std::string slowest_link_text(const Problem& problem, const CheckReport& report);

// What each pass of a link contributes to the objective gpipe.
PassLoads pass_loads(const Problem& problem, const SharedLinkReport& link);

}  // namespace partita::detail
