// SPDX-License-Identifier: Apache-2.0
// The groups of a staged split and their order, whatever the devices are: colour classes become groups, orphaned
// backward nodes are mirrored into the forward order, and what lies on a cycle is contracted.
#pragma once

#include "partita/model/problem.h"
#include "partita/reduce/stage_graph.h"

namespace partita::detail {

struct StageOrder {
  StageGraph graph;  // groups without weights and nets
  IdVector<NodeId, GroupId> group_of;
};

StageOrder find_stage_order(const Problem& problem);

}  // namespace partita::detail
