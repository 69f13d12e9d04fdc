// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "partita/reduce/threshold.h"
#include "partita/util/union_find.h"

namespace partita {

// Joins groups that may follow their only neighbour on one side; see the .cpp. Only disjoint pairs are joined in one
// call. Returns the number of joins. O(pins).
std::size_t join_cheap_neighbours(const StageGraph& graph, const Threshold& question, UnionFind<GroupId>& merge);

}  // namespace partita
