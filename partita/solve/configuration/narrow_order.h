// SPDX-License-Identifier: Apache-2.0
// An order of the groups in which few nets are open at a time, for the trellis: its layers grow with three to the power
// of the open nets.
#pragma once

#include <cstdint>
#include <vector>

#include "partita/reduce/net_graph.h"
#include "partita/util/budget.h"

namespace partita::detail {

// The best of many random greedy orders (next comes the group that opens fewest nets and closes most), improved by
// moving short pieces while the estimated size of the trellis shrinks. Deterministic for a seed. O(tries * n * open
// groups). Throws OutOfTime.
std::vector<GroupId> narrow_order(const NetGraph& graph, std::uint64_t seed, const Budget* budget = nullptr);

// How large a trellis may get: the sum over positions of 2.2 to the power of the nets open there.
double estimated_states(const NetGraph& graph, const std::vector<GroupId>& order);

}  // namespace partita::detail
