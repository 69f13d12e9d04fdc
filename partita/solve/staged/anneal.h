// SPDX-License-Identifier: Apache-2.0
// Better splits by simulated annealing [Kirkpatrick-Science'83], where orders alone do not find them.
//
// The devices stand in a fixed row. A move shifts a group by some places of the row, as far as its predecessors and
// successors allow, or shifts it by one place together with all that stands in its way; so staged splits stay staged.
// What is minimised is the load above a target just below the best value known, summed over the devices, and memory
// above the limits; zero means success, and the target is lowered. With two passes there is a target for each. The two
// add up to a little less than the best value; how much of that is asked of which pass is drawn afresh after every
// success and now and then without one, for a little more forward may be worth much less backward.
// A move costs O(pins of what moves). It only ever gives splits, never bounds. Wide graphs (experts or tables side by
// side) gain most: their stages are no intervals of any order that one would guess.
// Tests: tests/solve/anneal_test.cpp, tests/solve/gpipe_anneal_test.cpp.
#pragma once

#include <cstdint>
#include <optional>

#include "partita/solve/staged/orders.h"
#include "partita/solve/staged/staged_split.h"
#include "partita/util/budget.h"

namespace partita::detail {

struct AnnealOptions {
  std::uint64_t moves = 1'000'000;
  double hot = 0.01, cold = 0.0001;  // first and last temperature, as shares of the value to beat
};

// A staged split with a smaller value than `start`, which must be legal, or none. One run; call again for another with
// different chances. `Graphs` is a StageGraph or PassGraphs.
template <class Graphs>
std::optional<StagedSplit> anneal(const Graphs& graphs, const StagePlatform& platform, const StagedSplit& start,
                                  const AnnealOptions& options, Rng& rng, Budget& budget);

}  // namespace partita::detail
