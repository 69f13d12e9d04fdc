// SPDX-License-Identifier: Apache-2.0
// What a piece computes, operator by operator, in an order in which every node comes after those that it reads from.
//
// A device runs one node at a time, so the times of the operators of a piece add up to what the piece computes
// (PassLoad::compute). Where a stage recomputes activations, its first backward piece begins with the nodes that are
// computed again; in inference the second time follows the first one, and both are one operator.
#pragma once

#include <vector>

#include "partita/schedule/pieces.h"

namespace partita::detail {

struct Operator {
  NodeId node;
  double share = 1;    // of the node's time: less where only a part is computed again
  double time = 0;     // on its device, the slow-down of devices that work at the same time included
  bool again = false;  // for the second time
};

// For each piece of a simulation its operators. O(nodes + edges).
// Preconditions: `report` is that of the split, and `pieces` are those of its simulation.
IdVector<PieceId, std::vector<Operator>> operators_of(const Problem& problem, const CheckReport& report,
                                                      const Pieces& pieces);

}  // namespace partita::detail
