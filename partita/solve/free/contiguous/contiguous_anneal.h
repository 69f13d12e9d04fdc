// SPDX-License-Identifier: Apache-2.0
// Better contiguous splits by simulated annealing [Kirkpatrick-Science'83], for those that are not staged: devices that
// depend on each other, and backward nodes on other devices than a staged split would mirror them to. Measured, from
// the staged splits: DLRM training 0.6277 -> 0.6047, DenseNet-201 training 8.256 -> 8.219, each in a second; nothing
// comes of it on graphs that are nearly a chain.
//
// A move takes a group to another device, alone or with all groups of its device that come after it, or before it; it
// counts only if both devices stay contiguous (contiguity.h). So every split on the way is contiguous. What is
// minimised is, as in anneal.h, the load above a target just below the best value known, summed over the devices, and
// memory above the limits. Tests: tests/solve/contiguous_test.cpp.
#pragma once

#include <cstdint>

#include "partita/model/problem.h"
#include "partita/reduce/free_instance.h"
#include "partita/util/budget.h"

namespace partita::detail {

// The best split found from `start`, which is legal, contiguous and has its value. Runs of different temperatures until
// many in a row bring nothing, or the budget ends. Graphs beyond Contiguity::kMostNodes are given back as they came.
FreeSplit improve_contiguous(const Problem& problem, const FreeInstance& instance, FreeSplit start, std::uint64_t seed,
                             Budget& budget);

}  // namespace partita::detail
