// SPDX-License-Identifier: Apache-2.0
#include "partita/check/shared_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "partita/check/crossings.h"
#include "partita/check/times.h"
#include "partita/model/shared_links.h"
#include "partita/util/visible_text.h"

namespace partita::detail {

SharedLinkPlaces::SharedLinkPlaces(const Platform& platform, const SharedLink& link, const ClusterTree& clusters)
    : link_(link), tree_(clusters), place_of_(platform.device_count(), kNone) {
  std::map<ClusterId, std::size_t> known;
  for (DeviceId d : place_of_.all()) {
    if (!goes_over(platform, link, platform.class_of(d))) continue;
    ClusterId cluster;
    if (link.level > 0) {
      cluster = clusters.home(d);
      while (clusters[cluster].depth > link.level) cluster = clusters[cluster].around;
      if (clusters[cluster].depth < link.level) continue;  // it is in no cluster of that level
    }
    const auto [entry, is_new] = known.emplace(cluster, clusters_.size());
    if (is_new) clusters_.push_back(cluster);
    place_of_[d] = entry->second;
  }
}

std::string SharedLinkPlaces::name(std::size_t place) const {
  const std::string its_own = visible(link_.name, kLongestShownName);
  return link_.level == 0 ? its_own : fmt::format("{} of {}", its_own, tree_.name(clusters_[place]));
}

namespace {

// By device: what its nodes make it move over the link.
struct MovedOver {
  IdVector<DeviceId, PassLoad> forward, backward;
};

MovedOver moved_over(const Graph& graph, const Placement& placement, const SharedLinkPlaces& link,
                     std::size_t device_count) {
  MovedOver moved;
  moved.forward.resize(device_count);
  moved.backward.resize(device_count);
  IdVector<NodeId, BlockId> block_of(graph.nodes.size());
  IdVector<BlockId, DeviceId> device_of;
  for (DeviceId d : moved.forward.all()) device_of.push_back(d);
  for (NodeId v : graph.nodes.all()) {
    if (placement.device_of[v].valid()) block_of[v] = BlockId(placement.device_of[v].index());
  }
  const Crossings crossings = find_crossings(graph, block_of, device_of, link);
  const auto pass_of = [&](const Crossing& c) -> PassLoad& {
    return (graph.nodes[c.producer].backward ? moved.backward : moved.forward)[device_of[c.block]];
  };
  for (const Crossing& c : crossings.in) pass_of(c).in += c.cost;
  for (const Crossing& c : crossings.out) pass_of(c).out += c.cost;
  return moved;
}

void add_share(const PassLoad& whole, std::size_t sharing, PassLoad& sum) {
  sum.in += whole.in / static_cast<double>(sharing);
  sum.out += whole.out / static_cast<double>(sharing);
}

}  // namespace

void measure_shared_links(const Problem& problem, const Placement& placement, const ClusterTree& clusters,
                          CheckReport& report) {
  if (!has_shared_links(problem)) return;
  const Platform& platform = problem.workload->platform;
  for (std::size_t number = 0; number < platform.shared_links.size(); ++number) {
    const SharedLinkPlaces places(platform, platform.shared_links[number], clusters);
    const MovedOver moved = moved_over(problem.workload->graph, placement, places, report.devices.size());
    std::vector<SharedLinkReport> here(places.size());
    for (DeviceId d : report.devices.all()) {
      const DeviceId original = report.devices[d].original;
      if (places.place_of(d) == SharedLinkPlaces::kNone || !original.valid()) continue;
      SharedLinkReport& one = here[places.place_of(d)];
      add_share(moved.forward[original], report.devices[d].sharing, one.forward);
      add_share(moved.backward[original], report.devices[d].sharing, one.backward);
    }
    for (std::size_t i = 0; i < here.size(); ++i) {
      here[i].name = places.name(i);
      here[i].link = number;
      here[i].load = pass_load(here[i].forward, problem.transfers) + pass_load(here[i].backward, problem.transfers);
      report.shared_links.push_back(std::move(here[i]));
    }
  }
  double largest = report.bottleneck.valid() ? report.load[report.bottleneck] : 0;
  for (std::size_t i = 0; i < report.shared_links.size(); ++i) {
    if (!(report.shared_links[i].load > largest)) continue;
    largest = report.shared_links[i].load;
    report.slowest_link = i;
  }
}

std::string slowest_link_text(const Problem& problem, const CheckReport& report) {
  if (!report.slowest_link) return "";
  const SharedLinkReport& link = report.shared_links[*report.slowest_link];
  const std::string& unit = problem.workload->time_unit;
  return fmt::format(
      "the shared link {} is the bottleneck: what moves over it takes {} for each sample, the busiest device {}",
      link.name, time_text(link.load, unit), time_text(report.load[report.bottleneck], unit));
}

PassLoads pass_loads(const Problem& problem, const SharedLinkReport& link) {
  return {pass_load(link.forward, problem.transfers), pass_load(link.backward, problem.transfers)};
}

}  // namespace partita::detail
