// SPDX-License-Identifier: Apache-2.0
// What a pipeline costs: the largest load of a device, clusters and copies included.
#pragma once

#include <span>
#include <vector>

#include "partita/reduce/stage_cost.h"
#include "partita/solve/staged/setups/segment.h"

namespace partita::detail {

// The sums of a stage that holds these groups. O(pins of the groups).
StageSums stage_sums(const SetupGraph& graph, const SetupRules& rules, const Segment& segment, ClassId device_class,
                     std::span<const GroupId> groups);

// `parts` are those of the whole platform.
double pipeline_value(const SetupGraph& graph, const SetupRules& rules, const std::vector<PipelinePart>& parts);

}  // namespace partita::detail
