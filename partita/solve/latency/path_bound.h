// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "partita/reduce/latency_instance.h"

namespace partita::detail {

// A bound in linear time: the longest path, each node taking the lesser of its times. Blocks that a path goes through
// run one after the other, and each takes at least the times of the path's nodes in it.
double path_bound(const LatencyInstance& instance);

}  // namespace partita::detail
