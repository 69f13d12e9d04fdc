// SPDX-License-Identifier: Apache-2.0
// What must hold of a workload beyond each single number, whoever made it: readers ask here while they know where in a
// file they are, validate() asks for what was made by hand. A fault is a text for a message, empty where there is none.
#pragma once

#include <string>
#include <vector>

#include "partita/model/workload.h"

namespace partita::detail {

// The edge leads to its own node, or from the backward pass to the forward one. Precondition: both nodes are there.
std::string edge_fault(const Graph& graph, const Edge& edge);

// There is a cycle.
std::string cycle_fault(const Graph& graph);

// Times or sizes are too large or too small to be computed with; see find_overflow and find_underflow.
std::string number_fault(const Workload& workload);

// There are no devices, or more than kMaxDevicesOfAKind.
std::string device_fault(const Platform& platform);

// One directed cycle, each node once, beginning with the one that comes first; empty when there is none.
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

}  // namespace partita::detail
