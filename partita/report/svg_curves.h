// SPDX-License-Identifier: Apache-2.0
// Edges as soft curves: the data of SVG paths.
#pragma once

#include <string>

#include "partita/report/graph_layout.h"

namespace partita::detail {

// From one box to another inside a piece: downwards, with a bow around what lies between, or over to the next column.
std::string inner_curve(const Box& from, const Box& to);

// Between pieces: leaves sideways where the boxes of the pieces are beside each other, else up or down.
std::string outer_curve(const Box& from, const Box& to, const Box& from_piece, const Box& to_piece);

// Between pieces that others are between: from top to top over them, or from bottom to bottom under them.
std::string around_curve(const Box& from, const Box& to, bool over);

// Where the middle of outer_curve is.
Point outer_middle(const Box& from, const Box& to, const Box& from_piece, const Box& to_piece);

}  // namespace partita::detail
