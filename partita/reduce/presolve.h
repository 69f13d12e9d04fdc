// SPDX-License-Identifier: Apache-2.0
// Makes the graph smaller without losing a split within the limit: joins groups that some best split keeps together.
// The rules are in presolve/, one file each, with its proof. Every one is a contraction, so undoing is a look-up.
#pragma once

#include <string>
#include <vector>

#include "partita/model/settings/presolve.h"
#include "partita/reduce/threshold.h"
#include "partita/util/budget.h"

namespace partita {

using PresolveOptions = PresolveSettings;

// What one rule removed, for people to read.
struct RuleCount {
  std::string rule;
  std::size_t groups_removed = 0;
};

struct Presolved {
  StageGraph graph;
  Lift lift;                // from the graph given
  bool infeasible = false;  // proved: no split within the limit
  std::vector<RuleCount> rules;
};

// If a split of `graph` within the limit exists, so does one of the result, and the lift of that one is within the
// limit. Ends early, with what it has, when the budget does.
Presolved presolve(const StageGraph& graph, const Threshold& question, const PresolveOptions& options,
                   const Budget& budget);

}  // namespace partita
