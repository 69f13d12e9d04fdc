// SPDX-License-Identifier: Apache-2.0
// Makes the graph smaller without losing a pipeline within the limit, where stages can run in several ways: the rules
// of reduce/presolve that hold for unequal devices, copies, clusters and every transfer mode. Each is a contraction.
// Proofs are at the head of the .cpp.
#pragma once

#include <string>
#include <vector>

#include "partita/model/settings/presolve.h"
#include "partita/reduce/setup_instance.h"
#include "partita/util/budget.h"

namespace partita::detail {

// If a pipeline of `graph` with every load at most the limit exists, so does one of the result, and the lift of that
// one is within the limit. Of the settings, cheap_neighbour and unaffordable_pair matter here.
SetupContraction presolve(const SetupGraph& graph, const SetupRules& rules, double limit,
                          const PresolveSettings& options, const Budget& budget);

// A relaxation for stages with copies: groups that take no time are as if they had no weights to exchange, so that many
// of them can follow a neighbour. Every pipeline costs no more than it does; a split of it is one of the graph, at a
// value of its own. The same groups, before any presolve.
SetupGraph without_idle_weights(const SetupGraph& graph);

}  // namespace partita::detail
