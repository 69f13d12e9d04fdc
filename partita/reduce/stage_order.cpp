// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/stage_order.h"

#include "partita/reduce/colours.h"
#include "partita/reduce/mirror.h"

namespace partita::detail {

StageOrder find_stage_order(const Problem& problem) {
  const Graph& graph = problem.workload->graph;
  const ColourClasses classes = find_colour_classes(graph);
  IdVector<GroupId, GroupId> identity(classes.members.size());
  for (GroupId c : identity.all()) identity[c] = c;
  Contraction contraction = contract(IdVector<GroupId, Group>(classes.members.size()),
                                     class_precedence(graph, classes, problem.backward_shape), {}, identity);
  StageOrder order;
  for (NodeId v : graph.nodes.all()) order.group_of.push_back(contraction.lift[classes.class_of[v]]);
  order.graph = std::move(contraction.graph);
  return order;
}

}  // namespace partita::detail
