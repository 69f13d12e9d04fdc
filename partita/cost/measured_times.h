// SPDX-License-Identifier: Apache-2.0
// Measured times in the place of estimates.
#pragma once

#include <vector>

#include "partita/cost/cost.h"
#include "partita/cost/network_graph.h"

namespace partita::detail {

struct MeasuredGroup {
  std::vector<OperatorId> operators;  // not empty
  double seconds = 0;
};

// The measured times whose operators the network has. Throws InputError where an operator is in two of them, where a time is
// negative or not finite, and where there are times but none of an operator of this network.
std::vector<MeasuredGroup> measured_groups(const Network& network, const std::vector<MeasuredTime>& measured);

// Nodes of `made` have estimates, in ms, which these times replace, as CostOptions::measured says.
void apply_measured(const std::vector<MeasuredGroup>& groups, ClassId measured_on, NetworkGraph& made);

}  // namespace partita::detail
