// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "partita/model/problem.h"

namespace partita::detail {

// In a contiguous split (and every staged one is) no path comes back to a device that it has left. So a path that
// changes between nodes that run on hosts alone and nodes that run on accelerators alone needs a new device at each
// change: a sentence about the first such path that asks for more devices of a kind than there are, and what helps;
// empty where there is none, or where the question asks for no such shape. Near-linear.
std::string find_alternation(const Problem& problem);

}  // namespace partita::detail
