// SPDX-License-Identifier: Apache-2.0
#include "partita/report/graph_layout.h"

#include <algorithm>

#include "partita/report/box_packing.h"
#include "partita/report/piece_lines.h"

namespace partita::detail {
namespace {

constexpr double kPadding = 0.75;  // between a box and the nodes in it

}  // namespace

GraphLayout lay_out(const Graph& graph, const Pieces& pieces, const LayoutStyle& style,
                    const std::vector<DeviceId>& order) {
  const Spacing spacing(style.stretch);
  const InnerEdges edges = inner_edges(graph, pieces);
  const IdVector<PieceId, Lines> lines = lines_of_pieces(pieces, edges);
  std::size_t most_lines = 0;
  for (const Lines& text : lines) most_lines = std::max(most_lines, text.size());
  const auto size_of = [&](PieceId piece, std::size_t height) {
    const Columns columns = in_columns(lines[piece], height);
    return BoxSize{std::max(style.least_width, width_of(columns, spacing) + 2 * kPadding / style.stretch),
                   style.header + height_of(columns, spacing) + 2 * kPadding};
  };
  PackedBoxes packed = pack_boxes(pieces, size_of, most_lines, style, order);

  GraphLayout layout;
  layout.centres.resize(graph.nodes.size());
  for (const PieceId p : pieces.pieces.all()) {
    const Columns columns = in_columns(lines[p], packed.lines[p]);
    place_nodes(lines[p], columns, edges, spacing, layout.centres);
    const Box& box = packed.boxes[p];
    const double width = width_of(columns, spacing);
    for (const NodeId v : pieces.pieces[p].nodes) {
      Point& centre = layout.centres[v];
      if (pieces.pieces[p].backward) centre.x = width - centre.x;
      centre.x += box.left + (box.width - width) / 2;
      centre.y += box.top + style.header + kPadding;
    }
  }
  layout.boxes = std::move(packed.boxes);
  layout.width = packed.width;
  layout.height = packed.height;
  return layout;
}

}  // namespace partita::detail
