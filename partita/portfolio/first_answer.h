// SPDX-License-Identifier: Apache-2.0
// What can be said of any problem in linear time: a split, where a simple one is legal, and a bound. It is for graphs
// so large, or limits so short, that the solvers come to nothing: a limit then still ends with an answer.
#pragma once

#include <optional>

#include "partita/model/problem.h"
#include "partita/model/split.h"

namespace partita::detail {

// Accelerators filled one after the other, or everything on one device, if `check` finds that legal. O(n + m).
std::optional<Split> first_split(const Problem& problem);

// Throughput: some device does its share of all that has to be done, and some does the longest of it. Latency: the
// longest path of least times. Transfers and memory are left out. Holds for every shape. O(n + m).
double first_bound(const Problem& problem);

}  // namespace partita::detail
