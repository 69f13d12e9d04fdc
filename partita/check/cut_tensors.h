// SPDX-License-Identifier: Apache-2.0
// The tensors that pass between devices, for whoever runs a split.
#pragma once

#include <vector>

#include "partita/model/graph.h"
#include "partita/model/split.h"

namespace partita::detail {

struct CutTensor {
  NodeId producer;  // whose output it is
  DeviceId from;
  std::vector<DeviceId> to;  // all others that read it, ascending; originals, where stages have copies
};

// In an order in which every producer comes after those that it reads from. If all devices send and receive in this order,
// no two of them wait for each other: the first transfer of those still to come can always be made.
// Precondition: every node is on a device. O(nodes + edges), and sorting.
std::vector<CutTensor> cut_tensors(const Graph& graph, const Split& split);

}  // namespace partita::detail
