// SPDX-License-Identifier: Apache-2.0
// What the tests of clusters, copies and memory models share.
#pragma once

#include <initializer_list>

#include "tests/check/check_fixture.h"

namespace partita::detail {

inline Cluster cluster_of(double factor, std::initializer_list<int> devices, std::vector<Cluster> inside = {}) {
  Cluster cluster;
  cluster.factor = factor;
  for (const int count : devices) cluster.devices.push_back(count);
  cluster.clusters = std::move(inside);
  return cluster;
}

// All nodes weigh and keep what they have of memory.
inline void weights_are_memory(Problem& problem) {
  for (Node& node : problem.workload.change().graph.nodes) node.parts.weights = node.memory;
}

inline std::vector<double> loads(const CheckReport& report) { return {report.load.begin(), report.load.end()}; }

inline IdVector<DeviceId, DeviceId> copies(std::initializer_list<std::size_t> originals) {
  IdVector<DeviceId, DeviceId> result;
  for (const std::size_t d : originals) result.push_back(DeviceId(d));
  return result;
}

}  // namespace partita::detail
