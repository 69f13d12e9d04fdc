// SPDX-License-Identifier: Apache-2.0
// What moves between devices, listed one by one, for the brute forces. Shares no code with `check` or `reduce`.
#pragma once

#include <cstddef>
#include <vector>

#include "partita/model/problem.h"

namespace partita::detail {

// One thing that moves: a node's output to all its consumers or, where its edges differ in cost, along one edge.
struct Transfer {
  std::size_t producer = 0;
  std::vector<std::size_t> consumers;
  double cost = 0;
};

// What a device does in one pass.
struct Tally {
  double compute = 0;
  double in = 0;
  double out = 0;

  double load(TransferMode mode) const;
};

std::vector<Transfer> list_transfers(const Graph& graph);

}  // namespace partita::detail
