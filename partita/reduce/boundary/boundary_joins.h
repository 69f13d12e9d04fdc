// SPDX-License-Identifier: Apache-2.0
// Groups that no boundary between stages separates, by what boundaries hold and cost: reduced-cost fixing for the chain
// of ideals. Sees what windows (windows.h) do not: that an ideal pays for whole nets. Inside a layer of experts every
// ideal may pay three times the minimum cut between what is surely in and what is surely out.
//
// The pieces, each with its proof: whole_weights.h (integers), net_spans.h (which nets count at both ends of a stage),
// ideal_states.h and profile.h (the least cost of an ideal by work), boundary_chain.h (where boundaries can be and what
// they may pay). A grid of few buckets comes first, then finer ones that follow only what the coarser left. All that is
// claimed holds for every split within the limit (or, in a host case, every one of that case): an edge whose source no
// boundary has in while its target is out has both ends in one stage.
// Tests: tests/reduce/boundary_test.cpp (against all chains of ideals of small graphs).
#pragma once

#include <vector>

#include "partita/reduce/boundary/ideal_states.h"
#include "partita/util/budget.h"
#include "partita/util/union_find.h"

namespace partita::detail {

struct BoundaryOptions {
  std::vector<int> grids = {200, 800, 3200};  // buckets of all work, coarse to fine
  StateLimits states = {};
  std::size_t most_labels = 4'000'000;  // of a class and a grid; with more, the grids so far have to do
  std::vector<GroupId> order = {};      // in which groups are decided; empty: a narrow one
};

struct BoundaryJoins {
  bool infeasible = false;  // proved: no split within the limit
  UnionFind<GroupId> merge;
  std::size_t grids = 0;  // as many grids were looked through
};

// Precondition: graph.has_closure(). Says less, never more, when the budget ends.
BoundaryJoins find_boundary_joins(const StageGraph& graph, const Threshold& question, const BoundaryOptions& options,
                                  Budget& budget);

}  // namespace partita::detail
