// SPDX-License-Identifier: Apache-2.0
// The linearised dynamic program (linear.h) with a limit on each pass: among the splits whose stages are intervals of
// one given order, the one for which
//     max over the devices of  max(forward load / forward limit, backward load / backward limit)
// is least, if that is below 1. So with limits that add up to the best value, what is found is better. Tests:
// tests/solve/gpipe_linear_test.cpp.
#pragma once

#include <optional>
#include <vector>

#include "partita/reduce/pass_graphs.h"
#include "partita/reduce/staged_instance.h"
#include "partita/util/budget.h"

namespace partita {

// Limits must be positive. Empty if there is none, or if the budget ended first.
std::optional<std::vector<Stage>> linear_pass_split(const PassGraphs& graphs, const StagePlatform& platform,
                                                    const std::vector<GroupId>& order, double forward_limit,
                                                    double backward_limit, Budget& budget);

}  // namespace partita
