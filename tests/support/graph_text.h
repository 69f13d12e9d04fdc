// SPDX-License-Identifier: Apache-2.0
// Small workloads and splits as text, so that a test shows the graph it is about.
//
//   graph_from_text("a 3 30 mem=5; b 2 20 colour=1; c 1 - back; a -> b : 0.5; b -> c : 1")
//
// Statements are separated by ';' or by line ends; '#' starts a comment up to the end of the line.
//
// A node: NAME, its time on an accelerator, its time on a host ('-' where it cannot run), then in any order
//   mem=BYTES   its memory (default 0)           colour=N  its colour class (default none)
//   id=N        its original id (default: 1, 2, 3 ... in the order of the text)
//   layer=N     its layer (default none)
//   out=COST    the default cost of the edges out of it (default 0)
//   back        a backward node
// Nodes must stand before the edges that use them, and keep the order of the text.
//
// Edges: FROM ... -> TO ... [: COST] is an edge from each FROM to each TO; A -> B -> C [: COST] is a chain. Without
// COST an edge has its producer's `out`.
#pragma once

#include <string_view>

#include "partita/model/problem.h"
#include "partita/model/split.h"

namespace partita::detail {

// Throws std::invalid_argument, naming the statement, when the text makes no sense. Cycles are not looked for.
Workload graph_from_text(std::string_view text, const Platform& platform);
Workload graph_from_text(std::string_view text, int accelerators = 2, double memory = kUnlimited, int hosts = 1);

// Nodes by name, one list for each device in the order of the platform: "a b | c | | d" leaves device 2 empty. Devices
// may be left out at the end and nodes anywhere; those are then on no device. A '/' begins the next subgraph of the
// device, in both passes: "a / b" runs a, then b. Without one, the split has no subgraphs.
Split split_from_text(const Workload& workload, std::string_view text);

// Throws std::invalid_argument if there is no such node.
NodeId node_named(const Workload& workload, std::string_view name);

}  // namespace partita::detail
