// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "partita/model/graph.h"
#include "partita/model/platform.h"
#include "partita/reduce/colours.h"
#include "partita/reduce/stage_graph.h"

namespace partita::detail {

// What moves as one: a node's output to all its consumers or, where the costs of its outgoing edges differ, along one
// of them. The latter is the paper's subdivision: a zero node on the edge, colocated with the producer, carries the
// edge's cost; as it shares the producer's device, only its transfer is left of it.
struct Transfer {
  NodeId producer;
  std::vector<NodeId> consumers;
  double cost = 0;
};

std::vector<Transfer> find_transfers(const Graph& graph);

// The same between colour classes, at what it costs over the link. The producer's class is the first member of its net.
std::vector<Net> transfer_nets(const Graph& graph, const ColourClasses& classes, const Link& link = {});

}  // namespace partita::detail
