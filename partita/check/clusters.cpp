// SPDX-License-Identifier: Apache-2.0
#include "partita/check/clusters.h"

#include <algorithm>
#include <utility>

namespace partita::detail {

ClusterTree::ClusterTree(const Platform& platform) : platform_(platform) {
  for (ClassId c : platform.classes.all()) {
    for (int i = 0; i < platform.classes[c].count; ++i) class_of_.push_back(c);
  }
  home_.resize(class_of_.size());
  if (platform.clusters) {
    IdVector<ClassId, std::size_t> next(platform.classes.size());
    for (ClassId c : next.all()) next[c] = platform.first_device(c).index();
    add(*platform.clusters, ClusterId(), next);
  } else {
    places_.push_back({});
  }
  // Without clusters that is all of them. With clusters there are none: the readers see to it that the counts agree.
  for (DeviceId d : home_.all()) {
    if (home_[d].valid()) continue;
    home_[d] = root();
    places_[root()].devices.push_back(d);
  }
  std::sort(places_[root()].devices.begin(), places_[root()].devices.end());
}

void ClusterTree::add(const Cluster& cluster, ClusterId around, IdVector<ClassId, std::size_t>& next) {
  const ClusterId id = places_.push_back({});
  places_[id].around = around;
  places_[id].factor = cluster.link ? cluster.link->factor : cluster.factor;
  places_[id].link = cluster.link;
  places_[id].given = &cluster;
  if (around.valid()) {
    places_[id].depth = places_[around].depth + 1;
    places_[around].inside.push_back(id);
  }
  for (ClassId c : next.all()) {
    const int count = c.index() < cluster.devices.size() ? cluster.devices[c] : 0;
    const std::size_t end = platform_.first_device(c).index() + static_cast<std::size_t>(platform_.classes[c].count);
    for (int i = 0; i < count && next[c] < end; ++i) {
      const DeviceId d(next[c]++);
      home_[d] = id;
      places_[id].devices.push_back(d);
    }
  }
  for (const Cluster& inside : cluster.clusters) add(inside, id, next);
}

ClusterId ClusterTree::common(DeviceId a, DeviceId b) const {
  ClusterId x = home_[a];
  ClusterId y = home_[b];
  while (x != y) {
    ClusterId& deeper = places_[x].depth >= places_[y].depth ? x : y;
    deeper = places_[deeper].around;
  }
  return x;
}

std::vector<Link> ClusterTree::links_of(ClassId payer) const {
  const DeviceClass& its = platform_.classes[payer];
  std::vector<Link> links;
  if (its.kind == DeviceKind::Host) return links;
  for (const Place& place : places_) links.push_back(link_of(its, place));
  const auto pair = [](const Link& link) { return std::pair(link.factor, link.latency); };
  std::ranges::sort(links, {}, pair);
  const auto repeated = std::ranges::unique(links);
  links.erase(repeated.begin(), repeated.end());
  return links;
}

ClusterId ClusterTree::part_of(ClusterId around, DeviceId device) const {
  ClusterId at = home_[device];
  while (places_[at].depth > places_[around].depth + 1) at = places_[at].around;
  return places_[at].around == around ? at : ClusterId();
}

bool ClusterTree::holds(ClusterId cluster, DeviceId device) const {
  return home_[device] == cluster || part_of(cluster, device).valid();
}

std::vector<DeviceId> ClusterTree::all_devices(ClusterId cluster) const {
  std::vector<DeviceId> devices;
  std::vector<ClusterId> open{cluster};
  while (!open.empty()) {
    const Place& place = places_[open.back()];
    open.pop_back();
    devices.insert(devices.end(), place.devices.begin(), place.devices.end());
    open.insert(open.end(), place.inside.begin(), place.inside.end());
  }
  std::sort(devices.begin(), devices.end());
  return devices;
}

std::string ClusterTree::name(ClusterId cluster) const {
  const std::vector<DeviceId> devices = all_devices(cluster);
  return devices.empty() ? "a cluster without devices" : "the cluster of " + platform_.device_name(devices.front());
}

}  // namespace partita::detail
