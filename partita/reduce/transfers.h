// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "partita/model/graph.h"
#include "partita/reduce/colours.h"
#include "partita/reduce/stage_graph.h"

namespace partita {

// The nets of the classes. A node whose outgoing edges agree on their cost gives one net with all its consumers. Where
// they differ, each edge gives a net of two: this is the paper's subdivision, in which a zero node on the edge,
// colocated with the producer, carries the edge's cost; as it shares the producer's group, only its net is left of it.
std::vector<Net> transfer_nets(const Graph& graph, const ColourClasses& classes);

}  // namespace partita
