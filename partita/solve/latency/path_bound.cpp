// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/path_bound.h"

#include <algorithm>

namespace partita::detail {
namespace {

constexpr double kRoundingOfPaths = 1e-9;

}  // namespace

double path_bound(const LatencyInstance& instance) {
  double longest = 0;
  IdVector<NodeId, double> finish(instance.size(), 0);
  for (NodeId v : instance.order) {
    const LatencyNode& node = instance.nodes[v];
    const Group& group = instance.group(node.group);
    const bool fits = group.on_accelerator && group.memory <= instance.memory_limit();
    double time = 0;
    if (fits && group.on_host) {
      time = std::min(node.accelerator_time, node.host_time);
    } else if (fits || group.on_host) {
      time = fits ? node.accelerator_time : node.host_time;
    }
    for (NodeId u : instance.predecessors[v]) finish[v] = std::max(finish[v], finish[u]);
    finish[v] += time;
    longest = std::max(longest, finish[v]);
  }
  return longest * (1 - kRoundingOfPaths);
}

}  // namespace partita::detail
