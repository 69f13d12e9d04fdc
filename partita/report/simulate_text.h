// SPDX-License-Identifier: Apache-2.0
// A simulation for people: what was run, what it took, and how each device spent the time.
#pragma once

#include <string>

#include "partita/schedule/simulation.h"
#include "partita/util/text_width.h"

namespace partita::detail {

// Every line ends with a newline; the workload's own line (check/describe.h) is for the caller to put before. Shares
// are of the time from the start of the first sample to the end of the last one. Devices are in the order in which a
// sample meets them; those that hold nothing are left out. Lines are at most `width` wide:
// the table is folded where it would not fit.
std::string simulate_text(const Problem& problem, const CheckReport& report, const Simulation& simulation,
                          std::size_t width = kAnyWidth);

}  // namespace partita::detail
