// SPDX-License-Identifier: Apache-2.0
// The best free split over a fleet, with a bound: any devices, any transfer mode.
//
// As for the plain question (free/free.h), search and bound take turns and feed each other. FleetSearch looks for
// better splits; the bounds are the volume of work (fleet_volume.h), which is there at once, and FleetLp, which tries
// to refute limits below the best value. Where loads are maxima, each of a few weights (load_weights.h) makes an LP of
// its own; they climb in turns, and one that can do no more drops out.
//
// With one thread turns are counted in ticks, so a seed and a tick limit fix the answer. With two threads search and
// bounds run side by side, and the answer may differ from run to run. Tests: tests/solve/fleet_bound_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "partita/reduce/fleet_instance.h"
#include "partita/solve/free/free.h"
#include "partita/util/budget.h"
#include "partita/util/progress.h"

namespace partita {

struct FleetOutcome {
  std::optional<FreeSplit> split;
  double bound = 0;
  std::string proof_text;
  bool finished = false;  // neither search nor bounds have anything left to do
};

// `starts` may be empty; those that are not legal are ignored. Without a split in the end, none was found.
FleetOutcome solve_fleet(const FleetInstance& instance, const std::vector<FreeSplit>& starts,
                         const FreeOptions& options, Budget& budget, const Sink& sink);

}  // namespace partita
