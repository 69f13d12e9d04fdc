// SPDX-License-Identifier: Apache-2.0
// The edges of a picture of a split graph, as SVG.
#pragma once

#include <string>

#include "partita/report/graph_picture.h"

namespace partita::detail {

struct GraphEdges {
  std::string heads;   // definitions of the arrow heads; empty where there are none
  std::string curves;  // to be drawn behind nodes and titles
  std::string labels;  // of edges between devices, in small graphs: to be drawn on top
};

// What moves between devices is in the colour of the device it comes from, the wider the more it costs; other edges are
// thin and grey. Where nodes are not drawn, there is one edge for all that moves from one piece to another.
GraphEdges draw_edges(const Graph& graph, const Pieces& pieces, const GraphPicture& picture);

}  // namespace partita::detail
