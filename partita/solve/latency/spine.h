// SPDX-License-Identifier: Apache-2.0
// A chain of nodes that nearly everything lies above or below: where a graph narrows.
//
// Take nodes s1 < s2 < ... each on a path to the next, and call *core* the nodes that are above or below every one of
// them. Blocks are convex, so a block that holds core nodes from two sides of si holds si. Hence the core falls into
// *modules*, the nodes between si and si+1, and a block that holds no spine node has core nodes of one module only. In
// each module a few disjoint chains are picked; a bound that follows the spine counts accelerators along them
// (spine_bound.h). Any chain will do for a valid bound; a good one leaves little outside of the core.
//
// A virtual node before everything and one behind everything close the ends, so that graphs may have many sources and
// sinks. O(nodes^2 / word). Tests: tests/solve/spine_test.cpp.
#pragma once

#include <vector>

#include "partita/solve/latency/block_model.h"

namespace partita::detail {

struct Spine {
  static constexpr std::size_t kMostChains = 4;  // in one module

  // The nodes between two neighbours on the spine, as disjoint chains, the longest in time first. Each goes down edges.
  struct Module {
    std::vector<std::vector<NodeId>> chains;
  };

  std::vector<NodeId> nodes;    // from above to below; the first and the last are virtual: invalid
  std::vector<Module> modules;  // modules[i] is between nodes[i] and nodes[i + 1]
};

// Nodes are on the spine only if what is neither above nor below them takes at most `neglect` of all time.
Spine find_spine(const BlockModel& model, const NodeReach& reach, double neglect);

}  // namespace partita::detail
