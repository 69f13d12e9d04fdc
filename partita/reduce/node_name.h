// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>

#include "partita/model/graph.h"
#include "partita/util/visible_text.h"

namespace partita::detail {

// How a reason names a node: by its original id, and its name where it has one.
inline std::string name_node(const Node& node) {
  return node.name.empty() ? fmt::format("node {}", node.original_id)
                           : fmt::format("node {} ({})", node.original_id, visible(node.name, kLongestShownName));
}

}  // namespace partita::detail
