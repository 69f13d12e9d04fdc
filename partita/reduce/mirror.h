// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "partita/model/graph.h"
#include "partita/reduce/colours.h"

namespace partita::detail {

// What orders the classes of a staged split: every forward edge goes forward, and the mirror images of backward edges.
//
// A backward edge (u, v) that touches an orphaned class asks that v's class come no later than u's: the image of an
// orphan in the forward pass has the mirrored edges of the orphan, as in the paper's preprocessing. With `all_backward`
// every backward edge is mirrored, so that the backward pass is staged too. The result may have cycles.
std::vector<std::pair<GroupId, GroupId>> class_precedence(const Graph& graph, const ColourClasses& classes,
                                                          bool all_backward);

}  // namespace partita::detail
