// SPDX-License-Identifier: Apache-2.0
// What one device moves: which outputs enter and leave it, what it pays for each, and who is at the other end.
#pragma once

#include <vector>

#include "partita/model/problem.h"
#include "partita/model/split.h"

namespace partita::detail {

struct Cut {
  enum class Direction { In, Out };

  NodeId producer;
  Direction direction = Direction::In;
  double cost = 0;                // for a sample that the device takes
  std::vector<DeviceId> devices;  // at the other end: the one that has it, or all that read it; originals, ascending
};

// By cost, the most expensive first; what costs nothing is left out, so a host has no cuts. The costs add up to the
// `in` and `out` of the device that `check` reports.
// Precondition: every node is on a device. O(nodes + edges), and sorting.
std::vector<Cut> cuts_of(const Problem& problem, const Split& split, DeviceId device);

}  // namespace partita::detail
