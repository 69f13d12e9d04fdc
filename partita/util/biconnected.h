// SPDX-License-Identifier: Apache-2.0
// Biconnected components in linear time, without recursion [Hopcroft-Tarjan-CACM'73].
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "partita/util/csr.h"

namespace partita::detail {

struct EdgeComponents {
  std::vector<std::size_t> component_of;  // by edge
  std::size_t count = 0;
};

// Directions do not count. Two edges are in one component if a circle without repeated vertices goes through both; an
// edge on no circle is one by itself. No loops. O(vertices + edges).
template <class Vertex>
EdgeComponents biconnected_components(std::size_t vertices, const std::vector<std::pair<Vertex, Vertex>>& edges) {
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::vector<std::pair<Vertex, std::size_t>> ends;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    ends.emplace_back(edges[e].first, e);
    ends.emplace_back(edges[e].second, e);
  }
  const Csr<Vertex, std::size_t> edges_at(vertices, ends);

  struct Visit {
    std::size_t vertex, arrived_by, next = 0;
  };
  EdgeComponents result{std::vector<std::size_t>(edges.size(), kNone), 0};
  std::vector<std::size_t> entered(vertices, kNone), low(vertices, kNone), open;
  std::vector<Visit> path;
  std::size_t clock = 0;
  const auto enter = [&](std::size_t v, std::size_t by) {
    entered[v] = low[v] = clock++;
    path.push_back({v, by});
  };
  for (std::size_t root = 0; root < vertices; ++root) {
    if (entered[root] != kNone) continue;
    enter(root, kNone);
    while (!path.empty()) {
      Visit& visit = path.back();
      const std::size_t v = visit.vertex;
      if (visit.next < edges_at[Vertex(v)].size()) {
        const std::size_t e = edges_at[Vertex(v)][visit.next++];
        if (e == visit.arrived_by) continue;
        const std::size_t w = edges[e].first.index() == v ? edges[e].second.index() : edges[e].first.index();
        if (entered[w] == kNone) {
          open.push_back(e);
          enter(w, e);
        } else if (entered[w] < entered[v]) {
          open.push_back(e);
          low[v] = std::min(low[v], entered[w]);
        }
        continue;
      }
      const std::size_t by = visit.arrived_by;
      path.pop_back();
      if (path.empty()) continue;
      const std::size_t parent = path.back().vertex;
      low[parent] = std::min(low[parent], low[v]);
      if (low[v] < entered[parent]) continue;
      for (bool last = false; !last;) {
        last = open.back() == by;
        result.component_of[open.back()] = result.count;
        open.pop_back();
      }
      ++result.count;
    }
  }
  return result;
}

}  // namespace partita::detail
