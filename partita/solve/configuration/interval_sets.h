// SPDX-License-Identifier: Apache-2.0
// First columns for a configuration LP over convex sets: intervals of the order in which the groups are numbered, which
// takes nearly every edge forward. From each group on, the longest one that a device can hold.
#pragma once

#include <vector>

#include "partita/reduce/net_graph.h"
#include "partita/solve/configuration/convex_order.h"
#include "partita/util/time_watch.h"

namespace partita::detail {

// For accelerators of the graph with so much memory for each group. Each is convex and within the limit. Of large graphs
// not every group begins one. O(pins of all intervals); throws OutOfTime.
std::vector<std::vector<GroupId>> interval_sets(const NetGraph& graph, double memory, const ConvexOrder& order,
                                                double limit, const Budget* budget = nullptr);

}  // namespace partita::detail
