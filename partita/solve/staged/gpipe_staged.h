// SPDX-License-Identifier: Apache-2.0
// The best staged split for `gpipe`: the largest forward load plus the largest backward load, with proof.
//
// 1. The plain staged solver three times, on both passes together, forward alone and backward alone. Its splits are
//    first splits here. Its bounds are bounds here: no device's load in both passes exceeds the value, so the bound T
//    of the first is one; and F of the second plus B of the third is another.
// 2. Orders and annealing on the graph presolved for better splits.
// 3. Climbing, as in staged.h, by questions of the form "is there a split of value at most V?". A split of value at
//    most V with its largest forward load in [a, b] has every forward load at most b, every backward load at most
//    V - a, and both together at most V. If the search over ideals refutes that for intervals that cover [F, V - B],
//    the answer is no. If it finds a split with largest loads (f, g) and f + g > V, the interval is cut at a point
//    between V - g and f: neither half allows that split again. In turns with that, the configuration LP climbs on each
//    of the three views (sets_climber.h), which are bounds as those of step 1 are.
// Everything is a valid bound and a legal split at any time, so the work can stop anywhere. docs/algorithms/gpipe.md
// has the proofs. Tests: tests/solve/gpipe_staged_test.cpp, tests/portfolio/gpipe_test.cpp.
#pragma once

#include "partita/reduce/pass_graphs.h"
#include "partita/solve/staged/staged.h"

namespace partita::detail {

// The outcome's value is the sum of the two largest loads. options.search = false leaves out step 3.
StagedOutcome solve_staged_gpipe(const PassGraphs& graphs, const StagePlatform& platform, const StagedOptions& options,
                                 Budget& budget, const Sink& sink);

}  // namespace partita::detail
