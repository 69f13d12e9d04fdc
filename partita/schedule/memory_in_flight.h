// SPDX-License-Identifier: Apache-2.0
// How many samples are in flight at each device, and what they keep in memory.
//
// A sample is in flight at a device from the start of its first step to the end of its last one there, the exchange of
// weights left out. In the flat memory model the device holds what `check` counts, always. Otherwise it holds weights
// and optimizer state, the activations of the samples in flight and, where it recomputes, those of the sample whose
// backward piece computes (in a graph without backward pass: whose piece computes).
#pragma once

#include "partita/schedule/program.h"

namespace partita::detail {

// Fills most_in_flight and peak_memory of each device over the whole run, and result.memory up to the end of the first
// `record` samples. O(tasks log tasks).
void measure_memory_in_flight(const Problem& problem, const CheckReport& report, const Steps& steps,
                              const Timing& timing, std::size_t record, Simulation& result);

}  // namespace partita::detail
