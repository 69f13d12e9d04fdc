// SPDX-License-Identifier: Apache-2.0
// Where the sets of an LP solution cannot be stages of one pipeline: two groups whose order is worth deciding.
//
// Stages follow each other. Two convex sets A and B without a common group *cross* if paths lead from A to B and from B
// to A: no pipeline has both. Let a in A lead into B, and let b in B lead into A. There is no path between a and b,
// since A (from a to b and on into A) or B would not be convex. In every pipeline
//     the stage of a is not after that of b, or the stage of b is not after that of a,
// and each is the same question with one more edge in the order, a -> b or b -> a, that costs nothing. With a -> b a
// path leaves A and comes back, so A is no longer a column; with b -> a the same holds for B. Both cases have fewer
// ideals and fewer convex sets than the whole. Longer cycles of sets are not looked for.
//
// Of all pairs that the heaviest crossings offer, the one is taken whose edges rule out most of the solution in either
// case: a set goes if it has something at or before the first end of the edge, something at or after the second, and
// does not hold both ends.
// Tests: tests/solve/convex_bound_test.cpp.
#pragma once

#include <optional>
#include <vector>

#include "partita/solve/configuration/configuration_lp.h"

namespace partita::detail {

// `order` is the one that the sets are convex in, with one point for each group. Nothing if no two sets cross. Neither
// direction of the edge closes a cycle.
std::optional<ConvexOrder::Edge> edge_to_decide(const std::vector<SetInUse>& solution, const ConvexOrder& order);

}  // namespace partita::detail
