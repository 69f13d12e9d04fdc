// SPDX-License-Identifier: Apache-2.0
#include "partita/write/engines/weight_names.h"

#include <string_view>
#include <unordered_map>

namespace partita::detail {

WeightNames weight_names(const Network& network, const Workload& workload) {
  std::unordered_map<std::string_view, OperatorId> operators;
  for (OperatorId o : network.operators.all()) operators.emplace(network.operators[o].name, o);
  WeightNames names(workload.graph.nodes.size());
  for (NodeId v : workload.graph.nodes.all()) {
    const Node& node = workload.graph.nodes[v];
    const auto found = node.backward ? operators.end() : operators.find(node.name);
    if (found == operators.end()) continue;
    for (WeightId w : network.operators[found->second].weights)
      if (network.weights[w].parameters > 0) names[v].push_back(network.weights[w].name);
  }
  return names;
}

}  // namespace partita::detail
