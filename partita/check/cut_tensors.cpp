// SPDX-License-Identifier: Apache-2.0
#include "partita/check/cut_tensors.h"

#include <algorithm>
#include <utility>

#include "partita/util/csr.h"
#include "partita/util/topological_order.h"

namespace partita::detail {

std::vector<CutTensor> cut_tensors(const Graph& graph, const Split& split) {
  std::vector<std::pair<NodeId, NodeId>> edges;
  edges.reserve(graph.edges.size());
  for (const Edge& edge : graph.edges) edges.emplace_back(edge.from, edge.to);
  const Csr<NodeId, NodeId> readers(graph.nodes.size(), edges);
  std::vector<CutTensor> cut;
  for (NodeId u : topological_order(readers)) {
    CutTensor tensor{u, split.device_of[u], {}};
    for (NodeId v : readers[u]) {
      if (split.device_of[v] != tensor.from) tensor.to.push_back(split.device_of[v]);
    }
    if (tensor.to.empty()) continue;
    std::ranges::sort(tensor.to);
    tensor.to.erase(std::ranges::unique(tensor.to).begin(), tensor.to.end());
    cut.push_back(std::move(tensor));
  }
  return cut;
}

}  // namespace partita::detail
