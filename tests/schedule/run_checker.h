// SPDX-License-Identifier: Apache-2.0
// Is this a run of the split at all? Asked of the recorded intervals, from the definitions, and of nothing else.
#pragma once

#include <optional>
#include <string>

#include "partita/schedule/simulation.h"

namespace partita::detail::test {

// What is wrong with a simulation all of whose samples are recorded, or nothing: a lane that does two things at once, a
// phase that starts before its inputs are there, or out of turn, or on a device that should not have this sample; a
// piece that runs twice or not at all or not as long as it should; phases of a device that do not add up to its loads;
// uses of devices that do not agree with the intervals. Not for latency, where hosts have several cores.
std::optional<std::string> complaint_about(const Problem& problem, const CheckReport& report,
                                           const Simulation& simulation);

}  // namespace partita::detail::test
