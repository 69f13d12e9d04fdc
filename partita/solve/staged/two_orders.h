// SPDX-License-Identifier: Apache-2.0
// The linearised dynamic program over two orders side by side, for graphs in which much work floats beside the rest.
//
// In one order (linear.h) a stage is an interval. Where two towers meet only at their ends, or weight gradients may run
// in any of many stages, a good stage takes some of either, and no order that one would guess has all its stages as
// intervals. So the groups are divided into two sides, the spine and what floats beside it, each with an order of its
// own. An ideal is a pair (i, j) of a prefix of either, if no group of the one needs a group of the other that is
// missing; a stage is the difference of two such pairs, so either side may rest while the other goes on:
//     load of (i, j) -> (i', j') = A(i, i') + B(j, j') + nets with members on both sides that it cuts,
// A and B being times and the nets of one side only, from a table. The program is that of linear.h with pairs for
// positions:
//     best[i', j'][c, f] = min over (i, j) of max(best[i, j][one device fewer], load).
// Any division into two sides and any topological order give staged splits; a chain of pairs is a chain of ideals. Only
// some positions of either side may end a stage: the cheapest cut of every stretch of work, then the cheapest of all.
// Complexity O(pairs * pairs within a stage from there * (mixed pins per position + useful device counts)).
// Tests: tests/solve/two_orders_test.cpp.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "partita/solve/staged/staged_split.h"
#include "partita/util/budget.h"

namespace partita::detail {

using Sides = IdVector<GroupId, char>;  // by group: 0 is the spine, 1 floats

// The spine is what must run before or after most of the heaviest path. A group floats if the part of the path that it
// need not wait for, nor be waited for by, exceeds `share` of a stage, when `stages` equal ones share the path. Groups
// without time go with what follows them. O(edges).
Sides spine_and_floaters(const StageGraph& graph, double share, int stages);

struct TwoOrdersOptions {
  double below = std::numeric_limits<double>::infinity();  // only splits with a smaller value are of interest
  std::size_t cuts = 100;                                  // positions of either side at which a stage may end
};

// `order` is a topological order of all groups; each side keeps it. Empty if there is no split below the value asked
// for, or if the budget ended first.
std::optional<StagedSplit> split_two_orders(const StageGraph& graph, const StagePlatform& platform,
                                            const std::vector<GroupId>& order, const Sides& sides,
                                            const TwoOrdersOptions& options, Budget& budget);

}  // namespace partita::detail
