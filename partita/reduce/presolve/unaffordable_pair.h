// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "partita/reduce/threshold.h"
#include "partita/util/union_find.h"

namespace partita::detail {

// Joins pairs of groups whose separation alone costs a device more than the limit; see the .cpp. Returns the number of
// joins; `joined` is told the pairs. O(sum of squared net sizes, nets of more than 24 members apart).
std::size_t join_unaffordable_pairs(const StageGraph& graph, const Threshold& question, UnionFind<GroupId>& merge,
                                    GroupPairs* joined = nullptr);

}  // namespace partita::detail
