// SPDX-License-Identifier: Apache-2.0
// A sweep as a picture: the curve of best values, what the bounds leave open below it shaded, and the point after which
// more stops paying. For accelerators also the curve of as many devices that lose nothing by being many. Light or dark
// as whoever looks at it prefers.
#pragma once

#include <string>

#include "partita/model/sweep.h"

namespace partita::detail {

// `problem` as it was before anything was varied.
std::string sweep_svg(const Problem& problem, const Sweep& sweep);

}  // namespace partita::detail
