// SPDX-License-Identifier: Apache-2.0
// What shrinking (shrink.h, setup_shrink.h) needs to know of the order of groups. Needs the closure.
#pragma once

#include <utility>
#include <vector>

#include "partita/reduce/stage_graph.h"

namespace partita::detail {

// Who floats: the part of the heaviest path that a group is not comparable with weighs more than 0.3 of what a stage
// within the limit can take of the path. What precedes a group on a path is a beginning of the path, what follows it an
// end; between them is what lies beside.
IdVector<GroupId, char> find_floaters(const StageGraph& graph, double limit);

// The order that the removed groups, which have no image, leave between the others.
std::vector<std::pair<GroupId, GroupId>> precedence_without(const StageGraph& graph, const Lift& lift);

}  // namespace partita::detail
