// SPDX-License-Identifier: Apache-2.0
// An order of the groups in which few nets are open at a time, for the trellis: its layers grow with three to the power
// of the kinds of open nets (order_estimate.h).
#pragma once

#include <cstdint>
#include <vector>

#include "partita/reduce/net_graph.h"
#include "partita/util/budget.h"

namespace partita::detail {

// The order of the file and the best of many random greedy ones (next comes the group that opens fewest nets and closes
// most; every other begins with a few hubs), each improved by moving short pieces while the estimated size of the
// trellis shrinks; the better one is improved further, the longer the wider it seems. [moe-8x8-training, limit 3.3, 1,107
// groups: 785,000 states; with a thousand moves, 10 million and 61 nets ignored.] Deterministic for a seed. Throws
// OutOfTime.
std::vector<GroupId> narrow_order(const NetGraph& graph, std::uint64_t seed, const Budget* budget = nullptr);

// How large a trellis may get.
double estimated_states(const NetGraph& graph, const std::vector<GroupId>& order);

}  // namespace partita::detail
