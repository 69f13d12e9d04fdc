// SPDX-License-Identifier: Apache-2.0
#include "tests/support/transfers.h"

#include <algorithm>

namespace partita::detail {

std::vector<Transfer> list_transfers(const Graph& graph) {
  std::vector<Transfer> transfers;
  for (NodeId u : graph.nodes.all()) {
    std::vector<Edge> out;
    for (const Edge& edge : graph.edges) {
      if (edge.from == u) out.push_back(edge);
    }
    if (out.empty()) continue;
    const bool uniform = std::all_of(out.begin(), out.end(), [&](const Edge& e) { return e.cost == out[0].cost; });
    if (uniform) transfers.push_back({u.index(), {}, out[0].cost});
    for (const Edge& edge : out) {
      if (!uniform) transfers.push_back({u.index(), {}, edge.cost});
      transfers.back().consumers.push_back(edge.to.index());
    }
  }
  return transfers;
}

double Tally::load(TransferMode mode) const {
  switch (mode) {
    case TransferMode::Sum: return compute + in + out;
    case TransferMode::Overlap: return std::max(compute, in + out);
    case TransferMode::Duplex: return std::max({compute, in, out});
  }
  return 0;
}

}  // namespace partita::detail
