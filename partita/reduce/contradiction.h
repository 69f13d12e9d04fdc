// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "partita/model/problem.h"
#include "partita/reduce/net_graph.h"

namespace partita::detail {

// A sentence that names a constraint which no split can meet, or an empty string if no such constraint was found: a
// group that no device can hold, a path that would have to come back to a device, or too little memory in total.
// Finding none does not mean that a split exists.
std::string find_contradiction(const Problem& problem, const NetGraph& graph, const StagePlatform& platform,
                               const IdVector<NodeId, GroupId>& group_of);
// The same for any number of classes of devices.
std::string find_contradiction(const Problem& problem, const IdVector<NodeId, GroupId>& group_of);

}  // namespace partita::detail
