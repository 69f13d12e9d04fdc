// SPDX-License-Identifier: Apache-2.0
// Everything on one accelerator: what there is to gain by splitting at all.
//
// Of several classes of accelerators, the one that runs most groups, and takes least for them. The accelerator takes
// every group that it can run, whatever its memory: whether the model fits is for `check` to say, and a baseline that
// is out of memory says why somebody splits. Groups that it cannot run go to the first host; without accelerators that
// host takes all.
//
// Where the split must have a shape, or for latency, a path may not leave the accelerator for a host and come back. So
// what comes after such a host's group stays on hosts if it can run there, on the second host if there is one, since in
// a pipeline the first comes before the accelerator. With one host on both sides of it the split is not staged, and
// `check` says so. The paper's code has the same baseline as `-oneFpga`, without hosts. O(nodes + edges) after the
// reduction. Tests: tests/solve/baselines_test.cpp.
#pragma once

#include <optional>

#include "partita/model/problem.h"
#include "partita/model/split.h"

namespace partita::detail {

// Nothing if some group can run on none of these devices.
std::optional<Split> single_split(const Problem& problem);

}  // namespace partita::detail
