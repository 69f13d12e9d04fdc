// SPDX-License-Identifier: Apache-2.0
#include "partita/ask/nodes_called.h"

#include <fmt/format.h>

#include <optional>

#include "partita/model/named_nodes.h"
#include "partita/util/error.h"
#include "partita/util/visible_text.h"

namespace partita::detail {

std::vector<NodeId> nodes_called(const Graph& graph, const std::string& name, const char* option,
                                 const std::string& source) {
  std::vector<NodeId> nodes = named_nodes(graph, name);
  if (!nodes.empty()) return nodes;
  const std::optional<std::string> nearest = nearest_node_name(graph, name);
  throw InputError(
      ErrorKind::Usage, option,
      fmt::format("no node of {} is called '{}', has it as its id or matches it; {}", source, visible(name),
                  nearest ? fmt::format("did you mean {}?", visible(*nearest))
                          : "give a name, an id, or a pattern such as '*attn*'"));
}

}  // namespace partita::detail
