// SPDX-License-Identifier: Apache-2.0
// From a problem to the groups and nets that free splits are searched in, and back. Without a shape to keep there is no
// order: colour classes are the groups, and nothing else is contracted.
#pragma once

#include "partita/model/problem.h"
#include "partita/model/split.h"
#include "partita/reduce/net_graph.h"

namespace partita {

struct FreeInstance {
  NetGraph graph;
  StagePlatform platform;
  IdVector<NodeId, GroupId> group_of;
};

// Groups keep the order of the trace. Near-linear. Throws InputError(Unsupported) as platform_kinds does.
FreeInstance make_free_instance(const Problem& problem);

// Devices of a free split: accelerators from 0, then hosts.
struct FreeSplit {
  double value = 0;                       // the largest load
  IdVector<GroupId, DeviceId> device_of;  // DeviceId: index below accelerators + hosts of the StagePlatform
};

Split lift_free(const Problem& problem, const FreeInstance& instance, const FreeSplit& split);
// The other way: a split of the problem (a staged one, say) as a free split. Its value is left at 0.
FreeSplit to_free(const Problem& problem, const FreeInstance& instance, const Split& split);

}  // namespace partita
