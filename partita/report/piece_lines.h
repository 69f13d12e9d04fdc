// SPDX-License-Identifier: Apache-2.0
// The nodes of a piece as lines of a text, and the text in columns.
#pragma once

#include <vector>

#include "partita/model/graph.h"
#include "partita/report/graph_layout.h"
#include "partita/schedule/pieces.h"
#include "partita/util/csr.h"

namespace partita::detail {

// The edges with both ends in one piece, without repetitions.
struct InnerEdges {
  Csr<NodeId, NodeId> into;
  Csr<NodeId, NodeId> out_of;
};
InnerEdges inner_edges(const Graph& graph, const Pieces& pieces);

// Every inner edge leads to a higher layer. Layers count from 0 in each piece, none is empty.
IdVector<NodeId, std::size_t> layers_in_pieces(const Pieces& pieces, const InnerEdges& edges);

// The nodes of a piece, layer by layer, each layer on one or several lines.
using Lines = std::vector<std::vector<NodeId>>;
IdVector<PieceId, Lines> lines_of_pieces(const Pieces& pieces, const InnerEdges& edges);

// Lines in columns: column c holds the lines from first[c] to first[c + 1], and is as wide as the longest of them.
struct Columns {
  std::vector<std::size_t> first;
  std::vector<std::size_t> widths;  // in nodes
  std::size_t height = 0;           // in lines
};
// As few columns as lines of this height need, filled evenly. Precondition: height is at least 1.
Columns in_columns(const Lines& lines, std::size_t height);

// From centre to centre, in a layout whose units are drawn `stretch` times as wide as high.
struct Spacing {
  explicit Spacing(double stretch) : across(1 + 0.5 / stretch), from_column(1 + 2 / stretch) {}
  double across;       // neighbours in a line
  double from_column;  // the last node of a column and the first of the next one
  double down = 1.75;  // lines
};

// From the left side of the first node to the right side of the last, and from top to bottom.
double width_of(const Columns& columns, const Spacing& spacing);
double height_of(const Columns& columns, const Spacing& spacing);

// Centres of the nodes, in an area whose left top corner is at 0, 0. Nodes keep the order of their lines, and stay
// close to their neighbours in their column.
void place_nodes(const Lines& lines, const Columns& columns, const InnerEdges& edges, const Spacing& spacing,
                 IdVector<NodeId, Point>& centres);

}  // namespace partita::detail
