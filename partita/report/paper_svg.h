// SPDX-License-Identifier: Apache-2.0
// The paper's figure of throughput: bars relative to the first column, one panel for each kind of graph.
#pragma once

#include <string>

#include "partita/model/paper.h"

namespace partita::detail {

// Precondition: there is a column. Solvers are blue, baselines are not. A bar that is missing has no legal split, or
// was not asked for. Works without scripts or fonts of its own, in light and dark.
std::string paper_svg(const PaperTable& throughput);

}  // namespace partita::detail
