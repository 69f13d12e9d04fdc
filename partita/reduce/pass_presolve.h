// SPDX-License-Identifier: Apache-2.0
// Presolve for a limit on each pass: joins groups that some split within all limits keeps together.
//
// The rules that speak of every split within a limit (unaffordable pairs and cuts, windows) are run on each view of the
// passes by itself: a split within all limits is within each. The one rule that argues by exchange (cheap neighbour)
// joins only where its test holds forward and backward, so that an exchange raises no load in either pass, nor in both
// together.
#pragma once

#include "partita/reduce/pass_graphs.h"
#include "partita/util/budget.h"

namespace partita {

struct PassPresolved {
  PassGraphs graphs;
  Lift lift;                // from the graphs given
  bool infeasible = false;  // proved: no split within the limits
};

PassPresolved presolve_passes(const PassGraphs& graphs, const PassQuestion& question, const Budget& budget);

}  // namespace partita
