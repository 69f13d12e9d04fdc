// SPDX-License-Identifier: Apache-2.0
// A picture of a schedule: who does what when, for the first samples (timeline.h says which).
#pragma once

#include <string>

#include "partita/schedule/simulation.h"

namespace partita::detail {

// A row for each lane, boxes in the colours of the devices, lighter in the backward pass and hatched where data move,
// with the numbers of the samples in them. Works without scripts or fonts of its own, in light and dark.
std::string timeline_svg(const Problem& problem, const CheckReport& report, const Simulation& simulation);

}  // namespace partita::detail
