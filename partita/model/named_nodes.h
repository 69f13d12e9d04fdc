// SPDX-License-Identifier: Apache-2.0
// Nodes as people name them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "partita/model/graph.h"

namespace partita::detail {

// The nodes that are called so; else the one with this original id; else those whose name matches it as a pattern, as
// files do in a shell: `*` for any text, `?` for any character, `[ab]` for one of these. In the graph's order. O(nodes).
std::vector<NodeId> named_nodes(const Graph& graph, const std::string& name);

// The name that may be meant where none matches.
std::optional<std::string> nearest_node_name(const Graph& graph, const std::string& name);

}  // namespace partita::detail
