// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/transfers.h"

#include <algorithm>

#include "partita/util/csr.h"

namespace partita {

std::vector<Net> transfer_nets(const Graph& graph, const ColourClasses& classes) {
  std::vector<std::pair<NodeId, const Edge*>> pairs;
  for (const Edge& edge : graph.edges) pairs.emplace_back(edge.from, &edge);
  const Csr<NodeId, const Edge*> out(graph.nodes.size(), pairs);

  std::vector<Net> nets;
  for (NodeId u : graph.nodes.all()) {
    const auto edges = out[u];
    if (edges.empty()) continue;
    const GroupId producer = classes.class_of[u];
    const bool uniform =
        std::all_of(edges.begin(), edges.end(), [&](const Edge* e) { return e->cost == edges[0]->cost; });
    if (uniform) {
      Net net{edges[0]->cost, {producer}};
      for (const Edge* edge : edges) net.members.push_back(classes.class_of[edge->to]);
      nets.push_back(std::move(net));
    } else {
      for (const Edge* edge : edges) nets.push_back({edge->cost, {producer, classes.class_of[edge->to]}});
    }
  }
  return nets;
}

}  // namespace partita
