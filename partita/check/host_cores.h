// SPDX-License-Identifier: Apache-2.0
// When blocks run if host nodes must share a few cores: list scheduling, as docs/formats.md defines it.
//
// Time moves from one finish to the next. What is finished at that time is in host memory, and blocks that take no time
// finish as they start, so first everything that follows at once is settled: accelerators' blocks, and host nodes that
// take no time and need no core, start as soon as all they wait for is finished. Then the free cores take host nodes
// that are ready, the one with the longest way to the end first: its own time plus the longest path of block durations
// behind it, as if there were cores enough. Of equal ways, the node earlier in the input goes first. A core is never
// left free while a node could use it, and no node is interrupted.
//
// This is a rule, not an optimum: a different order of the same nodes may finish earlier.
#pragma once

#include <vector>

#include "partita/check/block_order.h"
#include "partita/check/check.h"

namespace partita::detail {

// The steps in the order in which they start, with start and finish set. `order` takes every arc forward; the steps of
// host nodes are those with a valid node. Preconditions: cores >= 1 if some host node takes time. O((blocks + arcs) log
// blocks).
std::vector<ScheduleStep> share_host_cores(const IdVector<BlockId, ScheduleStep>& steps,
                                           const IdVector<BlockId, double>& duration, const std::vector<BlockArc>& arcs,
                                           const std::vector<BlockId>& order, std::size_t cores);

}  // namespace partita::detail
