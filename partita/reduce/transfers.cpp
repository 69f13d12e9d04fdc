// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/transfers.h"

#include <algorithm>

#include "partita/util/csr.h"

namespace partita::detail {

std::vector<Transfer> find_transfers(const Graph& graph) {
  std::vector<std::pair<NodeId, const Edge*>> pairs;
  for (const Edge& edge : graph.edges) pairs.emplace_back(edge.from, &edge);
  const Csr<NodeId, const Edge*> out(graph.nodes.size(), pairs);

  std::vector<Transfer> transfers;
  for (NodeId u : graph.nodes.all()) {
    const auto edges = out[u];
    if (edges.empty()) continue;
    const bool uniform =
        std::all_of(edges.begin(), edges.end(), [&](const Edge* e) { return e->cost == edges[0]->cost; });
    if (uniform) {
      Transfer transfer{u, {}, edges[0]->cost};
      for (const Edge* edge : edges) transfer.consumers.push_back(edge->to);
      transfers.push_back(std::move(transfer));
    } else {
      for (const Edge* edge : edges) transfers.push_back({u, {edge->to}, edge->cost});
    }
  }
  return transfers;
}

std::vector<Net> transfer_nets(const Graph& graph, const ColourClasses& classes, const Link& link) {
  std::vector<Net> nets;
  for (const Transfer& transfer : find_transfers(graph)) {
    Net net{link.price(transfer.cost), {classes.class_of[transfer.producer]}};
    for (NodeId v : transfer.consumers) net.members.push_back(classes.class_of[v]);
    nets.push_back(std::move(net));
  }
  return nets;
}

}  // namespace partita::detail
