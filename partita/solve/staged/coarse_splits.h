// SPDX-License-Identifier: Apache-2.0
// Better splits from coarse graphs: where annealing alone is stuck, since what would have to move is a whole branch.
//
// Experts or tables side by side are dear to cut inside, so annealing, which moves a few groups at a time, has to climb
// for dozens of moves before a branch has changed its stage. On a coarse graph (coarsen.h) a branch is one group. There
// the linearised DP cuts the order of the file, or the late one, at a small fraction of its usual cost; every coarse
// graph has another such order, as groups stand together with what they were joined with. The splits that are not far
// from the best are annealed on the graph itself, coldly and for a short time: they only need their edges trimmed.
// Many short tries beat few long ones.
// Tests: tests/solve/coarse_splits_test.cpp.
#pragma once

#include <optional>

#include "partita/solve/staged/orders.h"
#include "partita/solve/staged/staged_split.h"
#include "partita/util/budget.h"

namespace partita::detail {

// Tries until the budget ends, and returns the best split found with a value below this, if any. Does nothing on graphs
// of less than 40 groups, and on those without a closure.
std::optional<StagedSplit> split_coarsely(const StageGraph& graph, const StagePlatform& platform, double below,
                                          Rng& rng, Budget& budget);

}  // namespace partita::detail
