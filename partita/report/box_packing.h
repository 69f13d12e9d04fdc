// SPDX-License-Identifier: Apache-2.0
// Boxes of pieces in rows, in an order that shows the pipeline.
#pragma once

#include <functional>

#include "partita/report/graph_layout.h"
#include "partita/schedule/pieces.h"

namespace partita::detail {

struct BoxSize {
  double width = 0;
  double height = 0;
};

// The size of a piece's box whose columns have at most so many lines, from 1 on. More lines never make it wider, up to
// how lines of unequal length happen to be broken.
using BoxSizes = std::function<BoxSize(PieceId, std::size_t lines)>;

struct PackedBoxes {
  IdVector<PieceId, Box> boxes;          // at least as wide as asked for, and as high
  IdVector<PieceId, std::size_t> lines;  // how many the columns of each piece have at most
  double width = 0;
  double height = 0;
};

// `most_lines` is the number of lines of the longest piece, `order` as for lay_out. O(pieces log most_lines) calls of
// `size_of`, and for each of these logarithmically many heights O(pieces sqrt(pieces)) work.
PackedBoxes pack_boxes(const Pieces& pieces, const BoxSizes& size_of, std::size_t most_lines, const LayoutStyle& style,
                       const std::vector<DeviceId>& order);

}  // namespace partita::detail
