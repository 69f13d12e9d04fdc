// SPDX-License-Identifier: Apache-2.0
// What must hold of a whole graph, once each of its parts has been read.
#pragma once

#include <string>
#include <vector>

#include "partita/model/workload.h"

namespace partita {

// One directed cycle, each node once, beginning with the one that comes first in the file; empty when there is none.
// O(nodes + edges), no recursion.
std::vector<NodeId> find_cycle(const Graph& graph);

// "3 -> 7 -> 3" by original ids; a long cycle is shortened in the middle.
std::string cycle_text(const Graph& graph, const std::vector<NodeId>& cycle);

// Removes edges that repeat an earlier one in source, destination and cost; the rest keep their order. Edges between
// the same nodes with different costs stay: each is a transfer of its own.
void drop_repeated_edges(Graph& graph);

// Which sum is too large to compute with, in words for a message: "the sizes add up to more than 1e60 bytes"; empty
// when none is.
std::string find_overflow(const Workload& workload);

// Which time is not 0 but, with its factors, below 1e-300, in words for a message: "the latency of node 7"; empty when
// none is.
std::string find_underflow(const Workload& workload);

}  // namespace partita
