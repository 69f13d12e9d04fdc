// SPDX-License-Identifier: Apache-2.0
// Better staged splits by simulated annealing [Kirkpatrick-Science'83], where orders alone do not find them.
//
// The devices stand in a fixed row; a move shifts a group by some places of the row, as far as its predecessors and
// successors allow, or shifts it by one place together with all that stands in its way. What is minimised is the load
// above a target just below the best value known, summed over the devices, and memory above the limits; zero means
// success, and the target is lowered. A move costs O(pins of what moves). Wide graphs (experts or tables side by side)
// gain most: their stages are no intervals of any order that one would guess. Tests: tests/solve/anneal_test.cpp.
#pragma once

#include <cstdint>
#include <optional>

#include "partita/solve/staged/orders.h"
#include "partita/solve/staged/staged_split.h"
#include "partita/util/budget.h"

namespace partita {

struct AnnealOptions {
  std::uint64_t moves = 1'000'000;
  double hot = 0.01, cold = 0.0001;  // first and last temperature, as shares of the value to beat
};

// A split with a smaller value than `start`, or none. One run; call again for another with different chances.
std::optional<StagedSplit> anneal(const StageGraph& graph, const StagePlatform& platform, const StagedSplit& start,
                                  const AnnealOptions& options, Rng& rng, Budget& budget);

}  // namespace partita
