// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/baseline/subgraphs.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "partita/util/topological_order.h"

namespace partita::detail {
namespace {

IdVector<NodeId, std::size_t> levels(const Graph& graph, const Split& split) {
  IdVector<NodeId, std::size_t> level(graph.nodes.size(), 0);
  std::vector<std::pair<NodeId, NodeId>> edges;
  for (const Edge& edge : graph.edges) edges.emplace_back(edge.from, edge.to);
  const Csr<NodeId, NodeId> readers(graph.nodes.size(), edges);
  for (NodeId v : topological_order(readers)) {
    for (NodeId w : readers[v])
      level[w] = std::max(level[w], level[v] + (split.device_of[v] != split.device_of[w] ? 1 : 0));
  }
  return level;
}

}  // namespace

SubgraphCut cut_into_subgraphs(const Problem& problem, const Split& split) {
  const Graph& graph = problem.workload->graph;
  const Platform& platform = problem.workload->platform;
  const IdVector<NodeId, std::size_t> level = levels(graph, split);
  std::map<std::pair<DeviceId, bool>, std::set<std::size_t>> used;  // the levels of each accelerator and pass
  const auto is_host = [&](NodeId v) {
    return platform.classes[platform.class_of(split.device_of[v])].kind == DeviceKind::Host;
  };
  for (NodeId v : graph.nodes.all()) {
    if (!is_host(v)) used[{split.device_of[v], graph.nodes[v].backward}].insert(level[v]);
  }
  SubgraphCut cut{split, 1};
  cut.split.subgraph_of = IdVector<NodeId, std::uint32_t>(graph.nodes.size(), 0);
  for (NodeId v : graph.nodes.all()) {
    if (is_host(v)) continue;
    const std::set<std::size_t>& here = used.at({split.device_of[v], graph.nodes[v].backward});
    const auto index = std::distance(here.begin(), here.find(level[v]));
    cut.split.subgraph_of[v] = static_cast<std::uint32_t>(index);
    cut.most = std::max(cut.most, static_cast<int>(here.size()));
  }
  return cut;
}

}  // namespace partita::detail
