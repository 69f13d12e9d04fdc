// SPDX-License-Identifier: Apache-2.0
// Does a split keep the wishes of the problem?
#pragma once

#include "partita/check/check.h"
#include "partita/check/placement.h"

namespace partita::detail {

// One violation for each device that holds nodes pinned elsewhere, and for each place that they are pinned to; one for
// each device that runs a copy of a node pinned to another one alone; one for each list of nodes to be together that is
// on several devices; one for each list of nodes to be apart and each device that holds several of them. Nodes on no device
// break no wish. Precondition: the report knows who copies whom. Near-linear.
void check_wishes(const Problem& problem, const Placement& placement, CheckReport& report);

}  // namespace partita::detail
