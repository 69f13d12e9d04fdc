// SPDX-License-Identifier: Apache-2.0
// Nodes that an option names.
#pragma once

#include <string>
#include <vector>

#include "partita/model/graph.h"

namespace partita::detail {

// At least one: by name, id or pattern, as named_nodes() finds them. Throws InputError(Usage) where there is none, with the
// name that may be meant. `source` is what messages call the workload.
std::vector<NodeId> nodes_called(const Graph& graph, const std::string& name, const char* option,
                                 const std::string& source);

}  // namespace partita::detail
