// SPDX-License-Identifier: Apache-2.0
#include "partita/check/crossings.h"

#include <algorithm>

#include "partita/util/csr.h"

namespace partita::detail {
namespace {

// By a tariff that says what a device pays for a transfer from or to another.
template <class Tariff>
Crossings crossings_by(const Tariff& tariff, const Graph& graph, const IdVector<NodeId, BlockId>& block_of,
                       const IdVector<BlockId, DeviceId>& device_of) {
  std::vector<std::pair<NodeId, Edge>> pairs;
  pairs.reserve(graph.edges.size());
  for (const Edge& edge : graph.edges) pairs.emplace_back(edge.from, edge);
  const Csr<NodeId, Edge> edges_out(graph.nodes.size(), pairs);

  Crossings crossings;
  IdVector<BlockId, NodeId> last_producer(device_of.size());  // whose output entered the block last
  for (NodeId u : graph.nodes.all()) {
    const BlockId home = block_of[u];
    if (!home.valid()) continue;
    const auto edges = edges_out[u];
    bool one_cost = true;
    for (const Edge& edge : edges) one_cost = one_cost && edge.cost == edges.front().cost;

    bool left = false;
    for (const Edge& edge : edges) {
      const BlockId there = block_of[edge.to];
      if (!there.valid() || there == home) continue;
      const NodeId reader = one_cost ? NodeId() : edge.to;
      const double paid_here = tariff.pays(device_of[home], device_of[there], edge.cost);
      if (!one_cost || !left) {
        crossings.out.push_back({u, home, paid_here, reader});
      } else {
        crossings.out.back().cost = std::max(crossings.out.back().cost, paid_here);
      }
      if (!one_cost || last_producer[there] != u)
        crossings.in.push_back({u, there, tariff.pays(device_of[there], device_of[home], edge.cost), reader});
      left = true;
      last_producer[there] = u;
    }
  }
  return crossings;
}

}  // namespace

Crossings find_crossings(const Graph& graph, const IdVector<NodeId, BlockId>& block_of,
                         const IdVector<BlockId, DeviceId>& device_of, const ClusterTree& clusters) {
  return crossings_by(clusters, graph, block_of, device_of);
}

Crossings find_crossings(const Graph& graph, const IdVector<NodeId, BlockId>& block_of,
                         const IdVector<BlockId, DeviceId>& device_of, const SharedLinkPlaces& link) {
  return crossings_by(link, graph, block_of, device_of);
}

}  // namespace partita::detail
