// SPDX-License-Identifier: Apache-2.0
// A picture of a schedule: who does what when, for the first samples (timeline.h says which).
#pragma once

#include <string>

#include "partita/schedule/simulation.h"

namespace partita::detail {

// A row for each lane, boxes in the colours of the devices, lighter in the backward pass and hatched where data move,
// with the numbers of the samples in them. Works without scripts or fonts of its own, in light and dark.
std::string timeline_svg(const Problem& problem, const CheckReport& report, const Simulation& simulation);

// The same of a prediction and, below it, of what was measured (schedule/measured_run.h), in the same scale of time.
std::string timelines_svg(const Problem& problem, const CheckReport& report, const Simulation& predicted,
                          const Simulation& measured);

}  // namespace partita::detail
