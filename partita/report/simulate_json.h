// SPDX-License-Identifier: Apache-2.0
// The measurements of a simulation as versioned JSON (docs/formats.md). What ran when is for trace_json.h.
#pragma once

#include <string>

#include "partita/schedule/simulation.h"

namespace partita::detail {

// With what was measured beside it (schedule/measured_run.h), where that is given.
std::string simulate_json(const Problem& problem, const CheckReport& report, const Simulation& simulation,
                          const Simulation* measured = nullptr);

}  // namespace partita::detail
