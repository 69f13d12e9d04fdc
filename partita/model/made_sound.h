// SPDX-License-Identifier: Apache-2.0
// What every function that a caller hands a problem to does first.
#pragma once

#include "partita/model/problem.h"

namespace partita::detail {

// The problem, after validate(). Sums of its memory are exact (exact_memory.h): those of readers and GraphBuilder are,
// and share their workload with the one that was given; of others the sizes are cut off to where they are.
Problem made_sound(const Problem& problem);

}  // namespace partita::detail
