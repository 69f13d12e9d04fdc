// SPDX-License-Identifier: Apache-2.0
// A closed segment (segment.h) of a cluster as a plain question, for the plain solver.
//
// Inside a cluster of equal accelerators the price of a transfer depends on where its other end is, and for a closed
// segment that is known: inside at the near price n, or outside at the far price f >= n. Let `outside` be one more
// group, which only a host can hold, takes no time there, and comes before all others. Then for a net with members M in
// the segment:
//   - all members in the segment: the net M at price n, as it is;
//   - the producer p in the segment, some reader outside: p's stage pays f whatever else it holds, every other stage
//     that holds a reader pays n. The net M + outside at price n is cut by every stage that holds a member of it, so it
//     costs each of them n, and f - n more for the stage of p are time of p;
//   - the producer outside: every stage that holds a reader pays the way to the producer, g. The net M + outside at
//     price g is cut by each of them.
// So every stage of accelerators has the load in the plain question that it has in the segment, and what fits is the
// same where memory is flat. Where M has one group, the net is time of that group. Tests:
// tests/solve/plain_side_test.cpp.
#pragma once

#include <optional>
#include <vector>

#include "partita/reduce/setup_instance.h"
#include "partita/reduce/staged_instance.h"
#include "partita/solve/staged/setups/segment.h"

namespace partita::detail {

struct PlainSide {
  StageGraph graph;  // group 0 is the outside
  StagePlatform platform;
  std::vector<GroupId> group_of;  // by group of `graph`; invalid for the outside
};

// None where the cluster has more than one class of accelerators in it, or where the way out is the shorter one.
// Precondition: the segment is closed.
std::optional<PlainSide> plain_side(const SetupGraph& graph, const SetupRules& rules, const Segment& segment);

// The stages of a split of the side, as parts of the cluster.
std::vector<PipelinePart> parts_of(const PlainSide& side, const std::vector<Stage>& stages);

}  // namespace partita::detail
