// SPDX-License-Identifier: Apache-2.0
// The smaller graph of shrink.h for stages that can run in several ways: on devices of several classes, on several at
// once, with memory for the samples in flight.
//
// Groups vanish into their nets so that, for every set S of groups and every class of devices, the sums that a cost is
// made of (stage_cost.h) get no larger: compute and transfers together, by the steps of shrink_nets.h for each class
// that pays (shrink_weights.h), host times, weights and memory because what vanished is gone. A stage's cost rises with
// all of them, whatever the number of copies (load / r plus the exchange of its weights), with recomputing and without.
// A stage of vanished groups alone is empty; without it fewer devices are behind those before it, so that no more
// samples are in flight there. So a pipeline within a limit, without what vanished, is one of the small graph within
// the limit, and a "no" carries over.
//
// It does not hold
// - with transfers beside compute (overlap, duplex): a shift makes transfers compute, and the larger of both may grow;
// - between clusters: what a device pays for a net depends on where the others are, so that a net with other members
//   may cost more. All devices next to each other are a relaxation of clusters (without_clusters), and there it holds.
//
// Memory of what vanishes is lost, which matters where memory binds. Which groups vanish is as in shrink.h, a group
// weighing what it takes on the slowest class; it must be one that all classes can run that pay for transfers.
// Needs the closure. Tests: tests/reduce/setup_shrink_test.cpp, tests/solve/setup_search_test.cpp.
#pragma once

#include <vector>

#include "partita/reduce/setup_instance.h"
#include "partita/reduce/shrink_dose.h"
#include "partita/util/budget.h"

namespace partita::detail {

struct ShrunkSetups {
  SetupGraph graph;
  std::vector<GroupId> removed;  // groups of the large graph
  Lift lift;                     // those removed have no image

  bool changed() const { return !removed.empty(); }
};

bool setups_can_shrink(const SetupRules& rules);

// `dose` is a share of the limit. Precondition: setups_can_shrink. When time is up, fewer groups are removed.
ShrunkSetups shrink_setups(const SetupGraph& graph, const SetupRules& rules, double limit, const ShrinkDose& dose,
                           const Budget& budget);

}  // namespace partita::detail
