// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/mirror.h"

namespace partita::detail {

std::vector<std::pair<GroupId, GroupId>> class_precedence(const Graph& graph, const ColourClasses& classes,
                                                          bool all_backward) {
  std::vector<std::pair<GroupId, GroupId>> precedence;
  for (const Edge& edge : graph.edges) {
    const GroupId from = classes.class_of[edge.from], to = classes.class_of[edge.to];
    if (from == to) continue;
    const bool from_backward = graph.nodes[edge.from].backward, to_backward = graph.nodes[edge.to].backward;
    if (!from_backward && !to_backward) {
      precedence.emplace_back(from, to);
    } else if (from_backward && to_backward) {
      const bool orphaned = !classes.has_forward[from.index()] || !classes.has_forward[to.index()];
      if (orphaned || all_backward) precedence.emplace_back(to, from);
    }
  }
  return precedence;
}

}  // namespace partita::detail
