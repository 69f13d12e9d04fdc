// SPDX-License-Identifier: Apache-2.0
// First columns for the LP over convex sets: intervals of one topological order that tile it with few devices.
//
// Where every group must be held exactly once, single sets are of little use before others fit to them, and the LP
// spends most of its rounds on finding sets that fit together at all. Intervals of an order do: the fewest that lie
// within the limit and follow each other from its start to its end are a shortest path. All intervals are returned that
// are the last on a shortest path from the start, or the first on one to the end, to or from a place where such a path
// with at most kMoreDevices more devices than the fewest passes. One host may be among them, which counts for nothing.
// [Two towers, training, 416 groups: the LP starts at 1.22 times as many devices as there are; from the longest interval
// at each group it starts at 2.7, and is there still after 25 rounds. Random orders beside the two that are used, or one
// device more, made every round slower and no bound better.]
//
// They are no part of a proof: any sets may be suggested. O(groups * groups per set). Tests:
// tests/solve/convex_bound_test.cpp.
#pragma once

#include <vector>

#include "partita/solve/configuration/configuration_lp.h"

namespace partita::detail {

// `order` holds every group once and follows the model's order. Of the first class of accelerators and the first of
// hosts. Empty if nothing tiles it, or if there are too many groups. Throws OutOfTime.
std::vector<std::vector<GroupId>> tiling_sets(const ConfigurationModel& model, const std::vector<GroupId>& order,
                                              double limit, Budget& budget);

}  // namespace partita::detail
