// SPDX-License-Identifier: Apache-2.0
// What a run of a plan really did (model/run_trace.h), measured as a simulation is, so that the two can be compared.
#pragma once

#include "partita/model/run_trace.h"
#include "partita/schedule/simulation.h"

namespace partita {

// `report` is check(problem, split), `predicted` a simulation of that split. The result is a Simulation in the
// workload's unit of time (a millisecond where nobody names it), with the trace's lanes and intervals, with the pieces
// and the kind of `predicted`, without formula, remark and memory. Samples are numbered anew, from 0, without gaps.
//
// Its time per sample is that of the pattern in which samples leave where they keep one to the nanosecond, as in the
// trace of a simulation; else the time between those that leave while the pipeline is full, the median of
// a few blocks of them. Where the prediction
// has no steady state it is makespan / samples, as there.
//
// Throws InputError(BadField) where the trace is not one of the plan: a device that the platform does not have or that
// runs nothing in the plan. A piece that is not the device's is taken for its first one. O(slices log slices).
Simulation measured_run(const Problem& problem, const CheckReport& report, const Simulation& predicted,
                        const RunTrace& trace);

}  // namespace partita
