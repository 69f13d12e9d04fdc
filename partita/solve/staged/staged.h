// SPDX-License-Identifier: Apache-2.0
// The best staged split for throughput, with proof.
//
// 1. First splits: the linearised DP over a few topological orders, on the graph and on the graph presolved for "better
//    than the best so far".
// 2. A first bound by bisection over limits that presolve and windows alone refute.
// 3. Climbing: ask search_ideals for limits between bound and value. No raises the bound, yes lowers the value. Limits
//    near the bound are the cheap ones, so a question that takes too long is put again nearer to the bound; between the
//    questions, annealing and more orders look for better splits.
// Everything is a valid bound and a legal split at any time, so the work can stop anywhere.
#pragma once

#include "partita/solve/shared/outcome.h"
#include "partita/solve/staged/staged_split.h"
#include "partita/util/budget.h"
#include "partita/util/progress.h"

namespace partita::detail {

struct StagedOptions {
  bool search = true;      // false: linearised DP and relaxation only
  double gap = 0;          // stop once (value - bound) / value is at most this
  std::uint64_t seed = 1;  // for the random orders
};

using StagedOutcome = Outcome<StagedSplit>;

StagedOutcome solve_staged(const StageGraph& graph, const StagePlatform& platform, const StagedOptions& options,
                           Budget& budget, const Sink& sink);

}  // namespace partita::detail
