// SPDX-License-Identifier: Apache-2.0
#include "partita/report/page/cuts.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "partita/check/crossings.h"
#include "partita/check/cut_tensors.h"

namespace partita::detail {
namespace {

Crossings crossings_between_devices(const Workload& workload, const Split& split) {
  IdVector<NodeId, BlockId> block_of(workload.graph.nodes.size());
  for (NodeId v : block_of.all()) block_of[v] = BlockId(split.device_of[v].index());
  IdVector<BlockId, DeviceId> device_of(workload.platform.device_count());
  for (BlockId b : device_of.all()) device_of[b] = DeviceId(b.index());
  return find_crossings(workload.graph, block_of, device_of, ClusterTree(workload.platform));
}

}  // namespace

std::vector<Cut> cuts_of(const Problem& problem, const Split& split, DeviceId device) {
  const Crossings crossings = crossings_between_devices(problem.workload, split);
  const auto counts = [device](const Crossing& c) { return c.block.index() == device.index() && c.cost > 0; };
  std::vector<Cut> cuts;
  for (const Crossing& c : crossings.in) {
    if (counts(c)) cuts.push_back({c.producer, Cut::Direction::In, c.cost, {split.device_of[c.producer]}});
  }
  std::unordered_map<NodeId, std::vector<DeviceId>> readers;
  for (CutTensor& tensor : cut_tensors(problem.workload->graph, split)) {
    if (tensor.from == device) readers.emplace(tensor.producer, std::move(tensor.to));
  }
  for (const Crossing& c : crossings.out) {
    if (!counts(c)) continue;
    cuts.push_back({c.producer, Cut::Direction::Out, c.cost, readers.at(c.producer)});
    if (c.reader.valid()) cuts.back().devices = {split.device_of[c.reader]};
  }
  std::ranges::stable_sort(cuts, std::ranges::greater{}, &Cut::cost);
  return cuts;
}

}  // namespace partita::detail
