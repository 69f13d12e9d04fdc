// SPDX-License-Identifier: Apache-2.0
// A workload as other planners have it: one kind of device, and forward and backward pass in one node.
#pragma once

#include <string>
#include <vector>

#include "partita/model/workload.h"

namespace partita::detail {

struct FusedNode {
  const Node* node = nullptr;  // the forward one
  double forward = 0;          // times in the unit that was asked for
  double backward = 0;
  MemoryParts parts = {};  // of both passes together
  double output_cost = 0;  // the largest cost of its edges
};

struct FusedEdge {
  std::size_t from = 0;  // places in the list of nodes
  std::size_t to = 0;
  double forward = 0;   // cost
  double backward = 0;  // of the mirror image, 0 without one
};

struct FusedGraph {
  std::vector<FusedNode> nodes;
  std::vector<FusedEdge> edges;
  std::size_t differing = 0;  // nodes whose edges differ in cost
  int devices = 0;
  double memory = 0;               // of one; may be kUnlimited
  std::vector<std::string> notes;  // what is lost, a line each
};

// A backward node is part of the forward node of its colour: of the first of them that has none yet, where there are
// several. Times are those of the first class of accelerators that has devices. Throws InputError for a backward node
// without a forward one, and for a node that cannot run there. `unit_seconds`: the unit of times that come out.
FusedGraph fuse_passes(const Workload& workload, double unit_seconds);

}  // namespace partita::detail
