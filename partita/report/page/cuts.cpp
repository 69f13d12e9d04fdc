// SPDX-License-Identifier: Apache-2.0
#include "partita/report/page/cuts.h"

#include <algorithm>

#include "partita/check/crossings.h"
#include "partita/util/csr.h"

namespace partita::detail {
namespace {

Crossings crossings_between_devices(const Workload& workload, const Split& split) {
  IdVector<NodeId, BlockId> block_of(workload.graph.nodes.size());
  for (NodeId v : block_of.all()) block_of[v] = BlockId(split.device_of[v].index());
  IdVector<BlockId, DeviceId> device_of(workload.platform.device_count());
  for (BlockId b : device_of.all()) device_of[b] = DeviceId(b.index());
  return find_crossings(workload.graph, block_of, device_of, ClusterTree(workload.platform));
}

// Of each node on the device: where else it is read.
Csr<NodeId, DeviceId> readers_elsewhere(const Graph& graph, const Split& split, DeviceId device) {
  std::vector<std::pair<NodeId, DeviceId>> readers;
  for (const Edge& edge : graph.edges) {
    const DeviceId there = split.device_of[edge.to];
    if (split.device_of[edge.from] == device && there != device) readers.emplace_back(edge.from, there);
  }
  std::ranges::sort(readers);
  readers.erase(std::ranges::unique(readers).begin(), readers.end());
  return Csr<NodeId, DeviceId>(graph.nodes.size(), readers);
}

}  // namespace

std::vector<Cut> cuts_of(const Problem& problem, const Split& split, DeviceId device) {
  const Crossings crossings = crossings_between_devices(problem.workload, split);
  const auto counts = [device](const Crossing& c) { return c.block.index() == device.index() && c.cost > 0; };
  std::vector<Cut> cuts;
  for (const Crossing& c : crossings.in) {
    if (counts(c)) cuts.push_back({c.producer, Cut::Direction::In, c.cost, {split.device_of[c.producer]}});
  }
  const Csr<NodeId, DeviceId> readers = readers_elsewhere(problem.workload->graph, split, device);
  for (const Crossing& c : crossings.out) {
    if (!counts(c)) continue;
    const auto all = readers[c.producer];
    cuts.push_back({c.producer, Cut::Direction::Out, c.cost, {all.begin(), all.end()}});
    if (c.reader.valid()) cuts.back().devices = {split.device_of[c.reader]};
  }
  std::ranges::stable_sort(cuts, std::ranges::greater{}, &Cut::cost);
  return cuts;
}

}  // namespace partita::detail
