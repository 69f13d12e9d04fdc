// SPDX-License-Identifier: Apache-2.0
// The time of one sample, each accelerator running a few uninterrupted subgraphs, one after the other.
//
// The split is contracted to blocks: the nodes of each subgraph of an accelerator (split.subgraph_of tells those of one
// pass apart), and each host node by itself. A block starts when everything it reads from other blocks is in host
// memory. An accelerator's block then takes in + compute + out, where in and out are what crosses the block's own
// border (crossings.h), so what it reads of another block of the same accelerator passes through host memory like
// everything else; only then are its outputs there. An accelerator does one thing at a time, in a fixed order: its
// forward blocks by number, then its backward blocks by number, each after the one before has finished. A host node
// takes its time; by default there are cores enough for all, and we count how many were busy at once. With
// problem.strict_host_cores there are as many as hosts, and nodes wait for one (host_cores.h).
//
// The latency is the last finish: without waiting for cores the longest path through the blocks. A split is legal only
// if there are no circles among them, the order of each accelerator's blocks included. The transfer mode plays no part:
// a subgraph reads, computes and writes one after the other.
#pragma once

#include "partita/check/clusters.h"
#include "partita/check/placement.h"

namespace partita::detail {

// Fills report.value, report.schedule and report.host_cores, or names the circle (Shape) and leaves an infinite value.
// O((nodes + edges) log nodes).
void measure_latency(const Problem& problem, const Placement& placement, const ClusterTree& clusters,
                     CheckReport& report);

}  // namespace partita::detail
