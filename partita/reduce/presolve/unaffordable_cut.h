// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "partita/reduce/threshold.h"
#include "partita/util/budget.h"
#include "partita/util/union_find.h"

namespace partita::detail {

// Joins pairs of groups that no accelerator can keep apart within the limit, whatever else it holds; see the .cpp.
// Returns the number of joins; `joined` is told the pairs. One small minimum cut per pair that shares a net; stops early when the budget ends.
std::size_t join_unaffordable_cuts(const StageGraph& graph, const Threshold& question, const Budget& budget,
                                   UnionFind<GroupId>& merge, GroupPairs* joined = nullptr);

}  // namespace partita::detail
