// SPDX-License-Identifier: Apache-2.0
// An order in which to decide, group by group, what is in an ideal, such that few decisions need to be remembered.
//
// Decisions may come in any order; it need not be that of the graph. A decided group is open while it has undecided
// neighbours in the order of the graph, a net while it has decided and undecided members. Deciding a hub early lets its
// branches close one by one (an encoder-decoder model: 8,193 states in the order of its file, 120 in this one).
#pragma once

#include <vector>

#include "partita/reduce/stage_graph.h"
#include "partita/util/time_watch.h"

namespace partita::detail {

// The better of the graph's own order and a greedy one, in which next comes the neighbour of an open group that opens
// fewest groups and nets and closes most. O(n * open groups * degree).
std::vector<GroupId> decision_order(const StageGraph& graph, TimeWatch& watch);

}  // namespace partita::detail
