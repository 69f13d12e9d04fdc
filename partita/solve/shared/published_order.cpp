// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/shared/published_order.h"

#include "partita/reduce/colours.h"
#include "partita/reduce/mirror.h"
#include "partita/util/csr.h"

namespace partita::detail {

GroupEdges group_edges(const Problem& problem, const IdVector<NodeId, GroupId>& group_of) {
  const Graph& graph = problem.workload->graph;
  const ColourClasses classes = find_colour_classes(graph);
  const auto group = [&](GroupId c) { return group_of[classes.members[c.index()].front()]; };
  GroupEdges edges;
  for (const auto& [from, to] : class_precedence(graph, classes, problem.backward_shape)) {
    if (group(from) != group(to)) edges.emplace_back(group(from), group(to));
  }
  return edges;
}

std::vector<GroupId> published_order(std::size_t groups, const GroupEdges& edges) {
  const Csr<GroupId, GroupId> successors(groups, edges);
  IdVector<GroupId, std::size_t> waits_for(groups, 0);
  for (const auto& [from, to] : edges) ++waits_for[to];
  std::vector<GroupId> ready, order;
  for (GroupId g : waits_for.all()) {
    if (waits_for[g] == 0) ready.push_back(g);
  }
  while (!ready.empty()) {
    const GroupId v = ready.back();
    ready.pop_back();
    order.push_back(v);
    for (GroupId w : successors[v]) {
      if (--waits_for[w] == 0) ready.push_back(w);
    }
  }
  return order;
}

}  // namespace partita::detail
