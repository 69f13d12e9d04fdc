// SPDX-License-Identifier: Apache-2.0
#include "partita/model/graph.h"

#include <algorithm>

namespace partita {

void Node::set_memory(std::optional<double> size, const std::optional<MemoryParts>& apart,
                      std::optional<double> share) {
  parts = apart.value_or(MemoryParts{});
  memory = size.value_or(parts.resident() + parts.activation);
  if (!apart) parts.weights = memory;
  recompute_share = share.value_or(backward ? 0 : 1);
}

const char* to_string(CostSource source) {
  switch (source) {
    case CostSource::Given: return "given";
    case CostSource::Measured: return "measured";
    case CostSource::Calibrated: return "calibrated";
    case CostSource::Roofline: return "roofline";
    case CostSource::Default: return "default";
  }
  return "given";
}

bool Graph::has_backward() const {
  return std::any_of(nodes.begin(), nodes.end(), [](const Node& node) { return node.backward; });
}

}  // namespace partita
