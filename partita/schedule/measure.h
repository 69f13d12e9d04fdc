// SPDX-License-Identifier: Apache-2.0
// What a run took: times, the use of devices, and intervals to draw.
#pragma once

#include "partita/schedule/program.h"

namespace partita::detail {

// Of how many samples intervals and memory are kept.
std::size_t samples_to_record(const Steps& steps, const SimulationOptions& options);

// Fills makespan to steady, the intervals of the first `record` samples, and of each device all but in-flight samples
// and memory. Batches of result.microbatches where that is not 0. O(tasks log tasks).
void measure(const Steps& steps, const Timing& timing, std::size_t record, Simulation& result);

}  // namespace partita::detail
