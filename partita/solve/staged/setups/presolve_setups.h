// SPDX-License-Identifier: Apache-2.0
// The rules of reduce/setup_presolve.h and windows (setup_windows.h) in turns: fewer groups make narrower windows, and
// groups that no window separates are joined.
#pragma once

#include "partita/model/settings/presolve.h"
#include "partita/reduce/setup_presolve.h"
#include "partita/solve/staged/setups/setup_windows.h"

namespace partita::detail {

struct PresolvedSetups {
  SetupContraction contraction;
  bool infeasible = false;  // no pipeline within the limit exists
};

struct PresolveSetupsOptions {
  int rounds = 6;                  // of windows, at most
  PresolveSettings settings = {};  // buckets: twice and four times as many where that brings little
};

// If a pipeline of `graph` with every load at most the limit exists, so does one of the result, and the lift of that
// one is within the limit. Graphs without a closure have no windows.
PresolvedSetups presolve_setups(const SetupGraph& graph, const SetupRules& rules, double limit,
                                const PresolveSetupsOptions& options, const Budget& budget);

}  // namespace partita::detail
