// SPDX-License-Identifier: Apache-2.0
// What a page shows of a split at work, where nobody asked for a simulation of another kind.
#pragma once

#include "partita/schedule/simulation.h"

namespace partita::detail {

// As the schedule that fits the question runs it: one sample for latency; else enough of them to see how the pipeline fills,
// how it runs, and how it drains. Preconditions: `report` is check(problem, split), and legal.
Simulation split_at_work(const Problem& problem, const Split& split, const CheckReport& report);

}  // namespace partita::detail
