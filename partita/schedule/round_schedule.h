// SPDX-License-Identifier: Apache-2.0
// Pipelines of virtual devices, round by round: a new sample every period, each step in a time slot of its own.
//
// The period T is the work of the busiest lane for one sample: no schedule is faster. A step of a stage that r devices
// share comes to each of their lanes every r T. We fix a start for each step, for sample 0; sample n runs n T later.
// Two steps of a lane are never in each other's way if their slots are disjoint modulo r T (modulo scheduling
// [Rau-MICRO'94] without the loop). In the order of the pieces each step gets the earliest start, not before anything
// that it waits for has finished, whose slot is free: first fit into the gaps. The steps of a lane fill at most r T,
// but gaps may become too small for a step that comes late. Then the lane's steps are laid back to back, in order, and
// we start again: that always fits, and happens once for each lane at most.
//
// The static schedule is a proof; what runs is its order. Each lane runs its tasks in the order of start + n T, each as
// soon as it can, samples being released at n T. By induction along that order no task runs later than its static
// start: what it waits for, the task before it on the lane and its sample's release are all on time. So every sample
// is through within a fixed time of its release, and the time per sample is exactly T in the long run.
#pragma once

#include <vector>

#include "partita/schedule/program.h"

namespace partita::detail {

struct Rounds {
  double period = 0;
  IdVector<StepId, double> start;  // of sample 0; without meaning for steps that were not chosen
};

// `chosen` ascending; steps that are not chosen are waited for by nobody. O(chosen steps times those of their lane),
// and again for each lane laid back to back.
Rounds lay_out_rounds(const Steps& steps, const std::vector<StepId>& chosen);

// The tasks of so many samples by start. Each is behind what it waits for. Linear, and a sort of the steps.
std::vector<Task> in_rounds(const Rounds& rounds, const std::vector<StepId>& chosen, std::size_t samples);

// ScheduleKind::Pipeline.
Program pipeline_program(const Steps& steps, std::size_t samples);

}  // namespace partita::detail
