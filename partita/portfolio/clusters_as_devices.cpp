// SPDX-License-Identifier: Apache-2.0
#include "partita/portfolio/clusters_as_devices.h"

#include <algorithm>

namespace partita::detail {
namespace {

// The devices of a cluster, which are all of that class; none if they are not.
std::optional<int> devices_of(const Cluster& cluster, ClassId only) {
  int total = 0;
  for (ClassId c : cluster.devices.all()) {
    if (c != only && cluster.devices[c] > 0) return std::nullopt;
    total += cluster.devices[c];
  }
  for (const Cluster& inside : cluster.clusters) {
    const std::optional<int> more = devices_of(inside, only);
    if (!more) return std::nullopt;
    total += *more;
  }
  return total;
}

}  // namespace

std::optional<ClustersAsDevices> clusters_as_devices(const Problem& problem) {
  const Platform& platform = problem.workload->platform;
  const std::vector<ClassId> accelerators = platform.classes_of(DeviceKind::Accelerator);
  if (problem.replicas > 1 || !platform.clusters || accelerators.size() != 1) return std::nullopt;
  const Cluster root = *platform.clusters;
  const ClassId only = accelerators[0];
  if (root.devices[only] > 0) return std::nullopt;
  int most = 1;
  for (const Cluster& cluster : root.clusters) {
    const std::optional<int> devices = devices_of(cluster, only);
    if (!devices) return std::nullopt;
    most = std::max(most, *devices);
  }
  ClustersAsDevices result{problem, most};
  result.problem.memory_model = MemoryModel::Flat;
  result.problem.recompute = false;
  result.problem.microbatches = 0;
  Workload& workload = result.problem.workload.change();
  workload.platform.clusters.reset();
  workload.platform.classes[only].count = static_cast<int>(root.clusters.size());
  workload.platform.classes[only].memory = kUnlimited;
  if (root.link) {
    workload.platform.classes[only].link_factor = root.link->factor;
    workload.platform.classes[only].link_latency = root.link->latency;
  } else {
    for (Edge& edge : workload.graph.edges) edge.cost *= root.factor;
  }
  for (ClassId c : workload.platform.classes.all()) {
    if (c == only) continue;
    // What the flat model counts may be more than a host holds otherwise.
    workload.platform.classes[c].memory = kUnlimited;
    for (Node& node : workload.graph.nodes) node.time[c.index()] *= most;
  }
  return result;
}

}  // namespace partita::detail
