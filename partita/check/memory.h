// SPDX-License-Identifier: Apache-2.0
// What counts against a device's memory.
//
// Flat: the sizes of its nodes. Otherwise weights and optimizer state, once, and activations for each sample in flight
// at its stage. With 1f1b those are the devices that share this stage or a later one, divided by the devices that share
// this stage and rounded up: while a sample is on its way to the end and back, each device further on has one in its
// hands. So the order of the stages matters, and it is the split's own. With gpipe all microbatches are in flight. A
// stage that recomputes keeps less of each sample, and all of the one that it works on.
#pragma once

#include "partita/check/placement.h"

namespace partita::detail {

// Fills memory and memory_items of every device with nodes. 1f1b goes by report.order; a device that is not in it
// counts as one with one sample in flight. Precondition: stages are shared (copies.h). Linear.
void measure_memory(const Problem& problem, const Placement& placement, CheckReport& report);

// Whether the order of the stages makes a difference to memory.
bool memory_needs_order(const Problem& problem);

}  // namespace partita::detail
