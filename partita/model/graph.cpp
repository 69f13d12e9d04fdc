// SPDX-License-Identifier: Apache-2.0
#include "partita/model/graph.h"

#include <algorithm>

namespace partita {

bool Graph::has_backward() const {
  return std::any_of(nodes.begin(), nodes.end(), [](const Node& node) { return node.backward; });
}

}  // namespace partita
