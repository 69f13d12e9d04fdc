// SPDX-License-Identifier: Apache-2.0
// Where to draw each node and each piece of a split graph.
//
// Every piece has a box of its own. The boxes are laid out by what they wait for: in pipeline order from left to right,
// with the backward pass below the forward pass and running back, each device's backward piece under its forward piece
// where it has one of each. In a box the nodes are in layers by their longest path inside the piece; layers follow each
// other like lines of text and start a new column where the box would get too tall. Edges inside a layer's neighbours
// are kept short by the order within the layers.
#pragma once

#include "partita/model/graph.h"
#include "partita/schedule/pieces.h"

namespace partita {

struct Point {
  double x = 0;
  double y = 0;
};

struct Box {
  double left = 0, top = 0, width = 0, height = 0;
};

// A node's own box is 1 wide and 1 high.
struct GraphLayout {
  IdVector<NodeId, Point> centres;
  IdVector<PieceId, Box> boxes;  // do not overlap; each holds its nodes
  double width = 0;
  double height = 0;
};

// Every node is in a piece. O((nodes + edges) log nodes), with a constant number of sweeps.
GraphLayout lay_out(const Graph& graph, const Pieces& pieces);

}  // namespace partita
