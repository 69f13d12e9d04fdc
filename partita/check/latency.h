// SPDX-License-Identifier: Apache-2.0
// The time of one sample, each accelerator running one uninterrupted subgraph (in a training graph, one in each pass).
//
// The split is contracted to blocks: all forward nodes of an accelerator, all its backward nodes, and each host node by
// itself. A block starts when everything it reads from other blocks is in host memory. An accelerator's block then
// takes in + compute + out, where in and out are what crosses the block's own border (crossings.h), so what the
// backward block reads of the forward block of the same accelerator passes through host memory like everything else;
// only then are its outputs there. A host node takes its time; there are cores enough for all, and we count how many
// were busy at once. An accelerator runs its backward block after its forward block: it does one thing at a time, and
// no forward node depends on a backward one. The latency is the longest path through the blocks, and a split is legal
// only if there are no circles among them. The transfer mode plays no part: a subgraph reads, computes and writes one
// after the other.
#pragma once

#include "partita/check/placement.h"

namespace partita {

// Fills report.value, report.schedule and report.host_cores, or names the circle (Shape) and leaves an infinite value.
// O((nodes + edges) log nodes).
void measure_latency(const Problem& problem, const Placement& placement, CheckReport& report);

}  // namespace partita
