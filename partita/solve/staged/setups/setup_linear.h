// SPDX-License-Identifier: Apache-2.0
// The best pipeline whose stages are intervals of one order, for stages that can run in several ways: the linearised
// dynamic program (solve/staged/linear.h) with a vector of devices in use for each class instead of two numbers.
// For platforms without clusters. Tests: tests/solve/setup_search_test.cpp.
#pragma once

#include <optional>
#include <vector>

#include "partita/reduce/setup_instance.h"
#include "partita/util/budget.h"

namespace partita::detail {

struct SetupPipeline {
  double value = 0;  // the largest load
  std::vector<PipelinePart> parts;
};

// None if every such pipeline costs `below` or more, or the budget ended. Where the graph is large, stages end only at
// every `stride`-th group.
std::optional<SetupPipeline> linear_pipeline(const SetupGraph& graph, const SetupRules& rules,
                                             const std::vector<GroupId>& order, double below, std::size_t stride,
                                             Budget& budget);

}  // namespace partita::detail
