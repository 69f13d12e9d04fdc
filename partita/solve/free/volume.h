// SPDX-License-Identifier: Apache-2.0
// The plainest bound: if groups could be cut into pieces and nothing had to be moved, how long would the devices need?
#pragma once

#include <vector>

#include "partita/reduce/net_graph.h"

namespace partita {

// The least limit within which all devices together could hold all groups, fractions allowed, without transfers; 0 if
// some group fits nowhere. Groups go to hosts in the order of what a host's time saves.
double volume_bound(const NetGraph& graph, const StagePlatform& platform);

// Prices that go with it at a limit: a group's accelerator time, but no more than its host time at the best rate of
// exchange between the two.
std::vector<double> volume_prices(const NetGraph& graph, const StagePlatform& platform, double limit);

}  // namespace partita
