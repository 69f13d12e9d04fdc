// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/colours.h"

#include <unordered_map>

#include "partita/reduce/trace_order.h"

namespace partita::detail {

ColourClasses find_colour_classes(const Graph& graph) {
  std::unordered_map<std::int64_t, std::size_t> class_of_colour;
  std::vector<std::vector<NodeId>> members;
  for (NodeId v : graph.nodes.all()) {
    const auto& colour = graph.nodes[v].colour;
    std::size_t c = members.size();
    if (colour) c = class_of_colour.try_emplace(*colour, c).first->second;
    if (c == members.size()) members.emplace_back();
    members[c].push_back(v);
  }

  ColourClasses classes;
  classes.class_of.resize(graph.nodes.size());
  for (const std::size_t c : trace_order(graph, members)) {
    const GroupId id(classes.members.size());
    char forward = 0;
    for (NodeId v : members[c]) {
      classes.class_of[v] = id;
      forward |= !graph.nodes[v].backward;
    }
    classes.has_forward.push_back(forward);
    classes.members.push_back(std::move(members[c]));
  }
  return classes;
}

}  // namespace partita::detail
