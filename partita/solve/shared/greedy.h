// SPDX-License-Identifier: Apache-2.0
// The paper's greedy baseline: the groups in topological order, each accelerator filled up to its memory before the
// next one is begun; what is left when the last one is full goes to a host. It looks at neither times nor transfers.
// From [the paper, section on latency experiments], which compares everything with it.
//
// Groups are colour classes with cycles contracted, in the order of the published code (published_order.h), which gives
// the paper's value on all its eight inputs; in training, that order of the forward pass, which backward nodes follow.
// O(nodes + edges) after the reduction.
//
// Accelerators are filled in the order of the platform, class by class; one that cannot run the next group is passed
// over and not come back to.
//
// Differences from the original. A group that no accelerator can run, or that fits on none, goes to a host (the
// original does not look at support). If its results are then needed by later groups and it needs some of those on the
// accelerator being filled, that accelerator is closed, since a path would otherwise leave its set and come back. So
// every split of an inference graph is legal for latency, the host standing between accelerators. A staged split has
// one place in the pipeline for each host, and a backward pass has edges of its own: there, ask `check`. Tests:
// tests/solve/greedy_test.cpp, tests/golden/baselines_test.cpp.
#pragma once

#include <optional>

#include "partita/model/problem.h"
#include "partita/model/split.h"

namespace partita::detail {

// Nothing if some group fits nowhere in this way.
std::optional<Split> greedy_split(const Problem& problem);

}  // namespace partita::detail
