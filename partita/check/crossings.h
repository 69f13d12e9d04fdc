// SPDX-License-Identifier: Apache-2.0
// What has to move when the nodes are divided into blocks.
//
// Where the edges out of node u all have one cost, u's output leaves u's block once if some successor is in another
// block, and enters each other block with a successor once. Where the costs differ, each edge between two blocks is a
// transfer of its own. That is the paper's subdivision: a zero node on every such edge, colocated with u, carries the
// edge's cost, so nothing of u itself crosses and each zero node has one consumer. Costs are compared exactly.
//
// What the device of a block pays is the price of the cost over its link and in the clusters (clusters.h): between it and
// the producer's device on the way in, the largest of those to the readers' devices on the way out.
#pragma once

#include <vector>

#include "partita/check/clusters.h"
#include "partita/check/shared_links.h"
#include "partita/model/graph.h"

namespace partita::detail {

// A set of nodes that runs as one: a device, or a part of one.
using BlockId = Id<struct BlockTag>;

struct Crossing {
  NodeId producer;
  BlockId block;    // the block that is left or entered
  double cost = 0;  // what its device pays
  NodeId reader;    // where the transfer is that of one edge: who reads; else names nothing
};

struct Crossings {
  std::vector<Crossing> out;
  std::vector<Crossing> in;
};

// Nodes whose block names nothing are as if they, and their edges, did not exist. `device_of` by block. O(nodes + edges
// + blocks), times the depth of the clusters.
Crossings find_crossings(const Graph& graph, const IdVector<NodeId, BlockId>& block_of,
                         const IdVector<BlockId, DeviceId>& device_of, const ClusterTree& clusters);

// The same at what a shared link asks for: a transfer costs 0 where it does not go over the link.
Crossings find_crossings(const Graph& graph, const IdVector<NodeId, BlockId>& block_of,
                         const IdVector<BlockId, DeviceId>& device_of, const SharedLinkPlaces& link);

}  // namespace partita::detail
