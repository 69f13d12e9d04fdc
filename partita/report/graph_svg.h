// SPDX-License-Identifier: Apache-2.0
// A split as a picture, for papers and READMEs: the pieces of each device, what they cost, and what moves between them.
#pragma once

#include <string>

#include "partita/check/check.h"
#include "partita/model/problem.h"
#include "partita/model/result.h"
#include "partita/schedule/pieces.h"

namespace partita::detail {

// How much is drawn depends on the size of the graph: nodes with their names, nodes, dots, or only the pieces with what
// there is to say of them. Works without scripts and fonts of its own, in light and dark. Below 300 KB for 1,500 nodes.
// Preconditions: `result` has a split, `report` is the check of it, and `pieces` are cut from it.
std::string graph_svg(const Problem& problem, const Pieces& pieces, const CheckReport& report, const Result& result);

}  // namespace partita::detail
