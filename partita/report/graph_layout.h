// SPDX-License-Identifier: Apache-2.0
// Where to draw each node and each piece of a split graph.
//
// Every piece has a box of its own. The boxes are laid out by what they wait for: in pipeline order from left to right,
// pieces that do not wait for each other in one column. The backward pass is below the forward pass and runs back, from
// right to left, each device's backward piece under its forward piece where it has one of each. Where the split has an
// order of stages, the columns follow it. Long rows are wrapped, so that all fits well into a picture of 16 to 9
// (box_packing.h).
//
// In a box the nodes are in layers by their longest path inside the piece. Layers follow each other like lines of text,
// a layer that is too wide on several lines, and start a new column where the box would get too tall; the columns of a
// backward piece run from right to left, too. The order within the layers keeps edges short (piece_lines.h).
#pragma once

#include <vector>

#include "partita/model/graph.h"
#include "partita/schedule/pieces.h"

namespace partita::detail {

struct Point {
  double x = 0;
  double y = 0;
};

struct Box {
  double left = 0, top = 0, width = 0, height = 0;

  double right() const { return left + width; }
  double bottom() const { return top + height; }
};

// How a layout will be drawn, in units of a node's own box, which is 1 wide and 1 high.
struct LayoutStyle {
  double stretch = 1;      // how many times as wide as high a unit will be drawn
  double header = 1.5;     // space for a title at the top of each box
  double least_width = 4;  // of a box
  double gap = 2;  // between boxes, in heights, so that it is drawn alike in both directions; half of it around all
};

struct GraphLayout {
  IdVector<NodeId, Point> centres;
  IdVector<PieceId, Box> boxes;  // do not touch; each holds its nodes, below its header
  double width = 0;
  double height = 0;
};

// Every node is in a piece. `order`: the devices in pipeline order; empty where there is none. Depends on nothing but
// its arguments. O((nodes + edges) log nodes), with a constant number of sweeps: 10 ms for 8,000 nodes.
GraphLayout lay_out(const Graph& graph, const Pieces& pieces, const LayoutStyle& style = {},
                    const std::vector<DeviceId>& order = {});

}  // namespace partita::detail
