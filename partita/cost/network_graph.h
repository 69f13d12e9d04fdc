// SPDX-License-Identifier: Apache-2.0
// The graph of a network: a node for each operator and for each input that is read, an edge for each operator that reads what
// another makes. An operator of which several outputs are read has a node without time for each of them, on the same device:
// so each output moves once, whoever reads it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "partita/cost/cost.h"
#include "partita/cost/estimate.h"
#include "partita/model/graph.h"

namespace partita::detail {

struct NetworkGraph {
  Graph graph;                           // without times; its costs are for `cost_of_a_byte`
  IdVector<NodeId, Work> work;           // of each node
  IdVector<NodeId, OperatorId> made_of;  // the operator that a node stands for; none for inputs, and for outputs apart
  IdVector<NodeId, NodeId> mirror_of;  // the forward node that a node of the backward pass belongs to; none for others
  IdVector<OperatorId, NodeId> node_of;
  IdVector<TensorId, NodeId> source;  // the node that a tensor comes from; none where nobody reads it
  std::vector<std::string> notes;     // what is not known, and what was made of it
};

// Operators of each of `fused` share a device.
NetworkGraph graph_of_network(const Network& network, SharedWeights shared_weights, double cost_of_a_byte,
                              std::span<const std::vector<OperatorId>> fused = {});

}  // namespace partita::detail
