// SPDX-License-Identifier: Apache-2.0
// From a problem to the graph that staged splits are searched in, and back.
#pragma once

#include <string>
#include <vector>

#include "partita/model/problem.h"
#include "partita/model/split.h"
#include "partita/reduce/stage_graph.h"

namespace partita::detail {

// Stages in pipeline order, as groups of some StageGraph.
struct Stage {
  bool on_host = false;
  std::vector<GroupId> groups;
};

struct StagedInstance {
  StageGraph graph;
  StagePlatform platform;
  IdVector<NodeId, GroupId> group_of;
  // What each step did, for people to read: "colour classes: 1512 nodes -> 1463 groups".
  std::vector<std::string> steps;
};

// Colour classes become groups, orphaned backward nodes are mirrored into the forward order, and what lies on a cycle
// is contracted. Near-linear but for the closure (see StageGraph). Throws InputError(Unsupported) for platforms with
// more than one class of a kind.
StagedInstance make_staged_instance(const Problem& problem);

// The split of the problem that puts each stage on a device of its own, accelerators and hosts in the order of the
// stages.
Split lift_stages(const Problem& problem, const StagedInstance& instance, const std::vector<Stage>& stages);

// Stages of a contracted graph as stages of the graph it was made from.
std::vector<Stage> lift_stages(const Lift& lift, const std::vector<Stage>& stages);

}  // namespace partita::detail
