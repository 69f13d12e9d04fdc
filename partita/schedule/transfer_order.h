// SPDX-License-Identifier: Apache-2.0
// In which order transfers share a lane, where a program says only in which order devices compute.
//
// Two orders are tried, and the one that is through earlier is taken. One by one: what each piece reads right before
// what it writes, in the order of computing. That is the order of the transfer mode sum, so the run is never slower
// than in that mode. By readiness: a run in which each kind of transfer of a device has a lane of its own says when
// each would start, and that is the order. Neither makes the program wait for itself: both are linear orders, on all
// lanes together, in which every task is behind what it waits for.
#pragma once

#include "partita/schedule/program.h"

namespace partita {

// Completes the orders of the lanes with all steps that are on none: in, out, and exchanges of weights on their own
// lanes. Precondition: the steps `compute` have their places. O(tasks log tasks).
void order_transfers(const Steps& steps, Program& program);

}  // namespace partita
