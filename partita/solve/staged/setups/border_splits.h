// SPDX-License-Identifier: Apache-2.0
// Splits over equal clusters, by their borders: a heuristic.
//
// What passes from one cluster to the next is dear, so the borders lie where little passes, and between two borders the
// question is a plain one (plain_side.h), which the plain solver answers well. Places for borders are prefixes of an
// order of the groups, the cheapest of each interval of work. The best row of borders is a path with the least largest
// side; what a side is worth is known only once the plain solver was asked, which takes long, but it is at least the
// average over its devices of its work and of what passes its borders. So sides stand at this estimate first, the best
// path is found, its sides are asked about, and so on until the best path is one of which all sides are known. Test:
// tests/solve/plain_side_test.cpp.
#pragma once

#include "partita/solve/staged/setups/setup_linear.h"
#include "partita/solve/staged/staged.h"

namespace partita::detail {

// Whether there are at least two equal clusters of accelerators of one class, of which the plain solver can be asked.
bool has_plain_clusters(const SetupRules& rules);

// A split better than `below` with the borders at places of the order, or none. Stops when the budget does.
// `sides`: how the plain solver is asked about each side. Precondition: has_plain_clusters(rules).
std::optional<SetupPipeline> split_at_borders(const SetupGraph& graph, const SetupRules& rules,
                                              const std::vector<GroupId>& order, double below,
                                              const StagedOptions& sides, Budget& budget);

}  // namespace partita::detail
