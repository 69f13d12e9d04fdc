// SPDX-License-Identifier: Apache-2.0
// A split graph as text for Graphviz: a cluster for each piece.
#pragma once

#include <string>

#include "partita/check/check.h"
#include "partita/model/problem.h"
#include "partita/schedule/pieces.h"

namespace partita::detail {

// Nodes are n0, n1 ... in the order of the workload, and show their name and their time where they run. Edges between
// devices are thick and say what they cost, in large graphs only where it is not 0.
// Preconditions: `report` is the check of a split, and `pieces` are cut from it.
std::string graph_dot(const Problem& problem, const Pieces& pieces, const CheckReport& report);

}  // namespace partita::detail
