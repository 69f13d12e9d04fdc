// SPDX-License-Identifier: Apache-2.0
// Coarser graphs at random, for heuristics: every split of a coarse graph is one of the graph, but not the other way
// round.
//
// Groups that share dear nets are joined, round after round, as multilevel partitioners do [Karypis-Kumar-SISC'98,
// Herrmann et al.-SISC'19 for acyclic parts]. A group's partner is the one with which it shares most: each net counts
// cost / (members - 1). Two groups may be joined if no path leads from the one to the other but an edge, or none at all,
// so that a pair alone makes no cycle; cycles that several pairs make together are contracted, and pairs whose class
// became too heavy by that, or fit for hosts only, are taken apart again. Of each round's pairs, the half that share most are joined.
//
// Shares are multiplied by random factors, so each call gives another graph. How heavy a class may become, and how many
// groups are to be left, is the caller's choice; a whole branch of a wide graph (an expert with all of its backward pass)
// is one group at some sizes and not at others. O(pins + pairs * groups / 64) for each round.
// Tests: tests/solve/coarsen_test.cpp.
#pragma once

#include <cstddef>
#include <limits>

#include "partita/reduce/stage_graph.h"
#include "partita/solve/staged/orders.h"
#include "partita/util/budget.h"

namespace partita::detail {

struct CoarsenOptions {
  double most_time = std::numeric_limits<double>::infinity();    // of a class that is made, on an accelerator
  double most_memory = std::numeric_limits<double>::infinity();  // and its memory
  std::size_t fewest = 2;                                        // groups to be left, about
};

// Needs the closure, and keeps one. Spends ticks on the budget, but is not stopped by it.
Contraction coarsen(const StageGraph& graph, const CoarsenOptions& options, Rng& rng, Budget& budget);

}  // namespace partita::detail
