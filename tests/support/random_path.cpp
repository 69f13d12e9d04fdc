// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_path.h"

#include <algorithm>
#include <array>
#include <random>

namespace partita::detail {

Problem PathQuestion::problem() const {
  Problem problem;
  Workload& workload = problem.workload.change();
  workload.name = "path";
  int devices = 1;
  Cluster cluster;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    Cluster around;
    around.factor = levels[k].factor;
    around.devices.push_back(k == 0 ? levels[k].units : 0);
    if (k > 0) around.clusters.assign(static_cast<std::size_t>(levels[k].units), cluster);
    devices *= levels[k].units;
    cluster = around;
  }
  workload.platform.classes.push_back({"accelerator", DeviceKind::Accelerator, devices});
  workload.platform.clusters = cluster;
  workload.platform.sync_bandwidth = sync_bandwidth;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    Node node;
    node.original_id = static_cast<std::int64_t>(i);
    node.time = {layers[i].time};
    node.memory = node.parts.weights = layers[i].weights;
    workload.graph.nodes.push_back(node);
    if (i > 0) workload.graph.edges.push_back({NodeId(i - 1), NodeId(i), layers[i - 1].transfer});
  }
  problem.transfers = TransferMode::Duplex;
  problem.replicas = devices;
  return problem;
}

PathQuestion random_path(std::uint64_t seed, std::size_t most_layers, std::size_t most_devices) {
  std::mt19937_64 engine(seed);
  const auto below = [&](int count) { return static_cast<int>(engine() % static_cast<std::uint64_t>(count)); };
  PathQuestion path;
  const std::size_t layers = 1 + engine() % most_layers;
  for (std::size_t i = 0; i < layers; ++i)
    path.layers.push_back({1.0 + below(12), 1.0 * below(8), below(4) == 0 ? 0 : 0.5 * below(10)});
  const int inner = 1 + below(static_cast<int>(most_devices));
  path.levels.push_back({inner, std::array{1.0, 0.5, 0.25}[engine() % 3]});
  const int most_outer = static_cast<int>(most_devices) / inner;
  if (below(3) != 0)
    path.levels.push_back({1 + below(std::max(most_outer, 1)), std::array{1.0, 2.0, 0.5}[engine() % 3]});
  path.sync_bandwidth = below(6) == 0 ? kUnlimited : std::array{0.5, 1.0, 2.0, 4.0}[engine() % 4];
  return path;
}

}  // namespace partita::detail
