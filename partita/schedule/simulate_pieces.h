// SPDX-License-Identifier: Apache-2.0
// The simulation of a split that is cut into pieces.
#pragma once

#include "partita/schedule/simulation.h"

namespace partita::detail {

// Preconditions: `report` is check(problem, split), and legal; the pieces are those of the split. Not for sequential
// schedules of the objective latency, whose pieces are those of the report.
Simulation simulate_pieces(const Problem& problem, const Split& split, const CheckReport& report, const Pieces& pieces,
                           const SimulationOptions& options);

}  // namespace partita::detail
