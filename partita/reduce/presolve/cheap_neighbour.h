// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "partita/reduce/threshold.h"
#include "partita/util/union_find.h"

namespace partita::detail {

// Where one split has to answer several questions, each on a graph of its own with the same groups and order.
struct CheapNeighbourView {
  const StageGraph& graph;
  const Threshold& question;
};

// Whether v, as far as hosts and memory know, may be for nothing wherever w can be within the limit.
bool has_nothing_but_time(const NetGraph& graph, const Threshold& question, GroupId v, GroupId w);

// Joins groups that may follow their only neighbour on one side, where no load rises in any view; see the .cpp. Only
// disjoint pairs are joined in one call. Returns the number of joins; `joined` is told the pairs, the one that
// follows before its neighbour. O(pins).
std::size_t join_cheap_neighbours(std::span<const CheapNeighbourView> views, UnionFind<GroupId>& merge,
                                  GroupPairs* joined = nullptr);

}  // namespace partita::detail
