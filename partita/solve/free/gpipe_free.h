// SPDX-License-Identifier: Apache-2.0
// Good splits without a shape for `gpipe`: annealing from splits made elsewhere. Bounds come from max-load.
#pragma once

#include <optional>

#include "partita/reduce/free_instance.h"
#include "partita/reduce/pass_graphs.h"
#include "partita/util/budget.h"

namespace partita {

// The value of `gpipe`; split.value is neither read nor set.
double gpipe_value(const PassNets& passes, const StagePlatform& platform, const FreeSplit& split);

// Rounds of annealing from the best so far, each with other chances, until `moves` are spent or the value is at most
// `enough`. Returns the best split with its value; `start` itself if nothing better was found. `start` must be legal.
FreeSplit anneal_free_gpipe(const PassNets& passes, const StagePlatform& platform, const FreeSplit& start,
                            std::uint64_t moves, double enough, std::uint64_t seed, Budget& budget);

}  // namespace partita
