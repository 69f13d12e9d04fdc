// SPDX-License-Identifier: Apache-2.0
#include "partita/cost/physical_links.h"

#include <algorithm>
#include <cmath>

namespace partita::detail {

namespace {

void look_at(const Cluster& cluster, double& fastest) {
  if (cluster.link && cluster.link->factor > 0) fastest = std::min(fastest, cluster.link->factor);
  for (const Cluster& inside : cluster.clusters) look_at(inside, fastest);
}

void make_relative(Link& link, double fastest) {
  link.factor /= fastest;
  link.latency *= kUnitsPerSecond;
}

void make_relative(Cluster& cluster, double fastest) {
  if (cluster.link) make_relative(*cluster.link, fastest);
  for (Cluster& inside : cluster.clusters) make_relative(inside, fastest);
}

double seconds_per_byte(const Platform& physical) {
  double fastest = kUnlimited;
  for (const DeviceClass& one : physical.classes) {
    if (one.kind == DeviceKind::Accelerator && one.link_factor > 0) fastest = std::min(fastest, one.link_factor);
  }
  if (physical.clusters) look_at(*physical.clusters, fastest);
  return std::isfinite(fastest) ? fastest : 1 / kUnitsPerSecond;
}

}  // namespace

double cost_of_a_byte(const Platform& physical) { return seconds_per_byte(physical) * kUnitsPerSecond; }

Platform with_relative_links(const Platform& physical) {
  Platform result = physical;
  const double fastest = seconds_per_byte(physical);
  for (DeviceClass& one : result.classes) {
    if (one.kind == DeviceKind::Host) continue;
    one.link_factor /= fastest;
    one.link_latency *= kUnitsPerSecond;
  }
  if (result.clusters) make_relative(*result.clusters, fastest);
  for (SharedLink& one : result.shared_links) make_relative(one.link, fastest);
  // Copies of a stage exchange their weights over the same links, where nothing else is said.
  result.sync_bandwidth =
      std::isfinite(physical.sync_bandwidth) ? physical.sync_bandwidth / kUnitsPerSecond : 1 / cost_of_a_byte(physical);
  return result;
}

}  // namespace partita::detail
