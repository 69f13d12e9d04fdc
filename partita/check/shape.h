// SPDX-License-Identifier: Apache-2.0
// The shape a split must have for throughput.
//
// Staged: some order of the devices takes every edge between two of them forward. Which edges: those between forward
// nodes, as they are, and some of those between backward nodes, turned round, for the backward pass runs through the
// pipeline in the opposite direction. Of the backward edges only those count that touch an orphan, a backward node
// whose colour class holds no forward node (a node without colour is a class of its own): the others follow the forward
// nodes they share a class with. With problem.backward_shape all backward edges count. In clusters there must be such
// an order of the members of each cluster, its own devices and the clusters inside: the devices of a cluster are then
// next to each other in the order of all.
//
// Contiguous: no path leaves a device's nodes and comes back. Asked of the forward nodes and the edges among them and,
// with problem.backward_shape, of the backward nodes and the edges among them.
#pragma once

#include <vector>

#include "partita/check/clusters.h"
#include "partita/check/placement.h"

namespace partita::detail {

// An edge that a staged split must take forward, or stay on one device with.
struct StageArc {
  NodeId from, to;        // as the split must take it
  std::size_t edge = 0;   // of the graph
  bool mirrored = false;  // a backward edge, turned round
};
std::vector<StageArc> stage_arcs(const Problem& problem);

// Names what breaks problem.shape: for staged one circle of devices with an edge for each step, for contiguous one path
// for each device. Fills report.order for staged splits. Where memory goes by the order of the stages, the split must
// have a good one itself. Precondition: the passes are measured.
std::vector<Violation> check_shape(const Problem& problem, const Placement& placement, const ClusterTree& clusters,
                                   CheckReport& report);

}  // namespace partita::detail
