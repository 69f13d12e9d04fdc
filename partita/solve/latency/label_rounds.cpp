// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/label_rounds.h"

#include <algorithm>
#include <queue>
#include <utility>

namespace partita::detail {

std::vector<std::vector<NodeId>> label_rounds(const BlockModel& model, bool reversed, std::size_t width) {
  const auto before = [&](NodeId v) { return reversed ? model.edges_out(v) : model.edges_in(v); };
  const auto after = [&](NodeId v) { return reversed ? model.edges_in(v) : model.edges_out(v); };
  std::vector<NodeId> order = model.instance().order;
  if (reversed) std::reverse(order.begin(), order.end());

  IdVector<NodeId, std::size_t> to_go(model.node_count(), 0), waits_for(model.node_count(), 0);
  std::priority_queue<std::pair<std::size_t, NodeId>> ready;
  for (auto v = order.rbegin(); v != order.rend(); ++v) {
    for (const auto& [next, edge] : after(*v)) to_go[*v] = std::max(to_go[*v], to_go[next] + 1);
  }
  for (NodeId v : order) {
    waits_for[v] = before(v).size();
    if (waits_for[v] == 0) ready.emplace(to_go[v], v);
  }
  std::vector<std::vector<NodeId>> rounds;
  while (!ready.empty()) {
    std::vector<NodeId>& round = rounds.emplace_back();
    for (; !ready.empty() && round.size() < width; ready.pop()) round.push_back(ready.top().second);
    for (NodeId v : round) {
      for (const auto& [next, edge] : after(v)) {
        if (--waits_for[next] == 0) ready.emplace(to_go[next], next);
      }
    }
  }
  return rounds;
}

}  // namespace partita::detail
