// SPDX-License-Identifier: Apache-2.0
// What is to be done for one sample, as steps that lanes run one at a time.
//
// Transfer mode sum: a device has one lane, and a piece is one step: in, compute, out, one right after the other.
// overlap: an accelerator has a lane for computing and one for transfers, duplex: one for each direction, and in,
// compute and out are steps of their own. A host has one lane and computes only. A piece begins once everything that it
// needs is there: what another accelerator makes when that has written it, what its own device or a host makes when
// that is computed.
//
// A shared link has a lane too, or with duplex transfers one for each direction. What a piece moves over it is a step on
// that lane, in the time that it takes there: before anything is read, and after everything is written. Outputs wait for
// their turn in host memory, so the device need not wait with them.
//
// Where r devices share a stage, sample n belongs to the one with place n mod r among them. Their exchange of weights
// is a step of r times `sync` after all pieces of the sample on that device: on its lane in the mode sum, on a lane of
// its own otherwise, so that it adds to the load, or runs beside it, as the load's formula has it (check/copies.h).
// Nobody waits for the exchange but the lane.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "partita/schedule/simulation.h"

namespace partita::detail {

using StepId = Id<struct StepTag>;

struct Step {
  PieceId piece;    // Sync: the last one of the device
  DeviceId device;  // where devices share a stage: the original; names nothing on a shared link
  bool backward = false;
  std::array<double, 4> spent = {};  // by Phase, one after the other
  double duration = 0;
  std::vector<StepId> after;  // what it waits for, of the same sample
  std::vector<LaneId> lanes;  // of the devices that share the stage, ascending

  LaneId lane(std::size_t sample) const { return lanes[sample % lanes.size()]; }
};

// Those that a piece has; names nothing where there is none.
struct PieceSteps {
  StepId in, compute, out;  // transfer mode sum: all in `compute`

  StepId first() const { return in.valid() ? in : compute; }
  StepId last() const { return out.valid() ? out : compute; }
};

struct Steps {
  IdVector<StepId, Step> steps;  // each behind all that it waits for
  IdVector<LaneId, Lane> lanes;  // those of shared links last
  IdVector<PieceId, PieceSteps> of;
  IdVector<DeviceId, StepId> sync;                    // by original
  IdVector<DeviceId, std::vector<DeviceId>> sharers;  // by original: itself and its copies, ascending

  Step& operator[](StepId id) { return steps[id]; }
  const Step& operator[](StepId id) const { return steps[id]; }
};

// Steps that take no time hold no lane, and what waits for them can wait for what they wait for: they are left out, or,
// where a schedule counts on every piece computing in its turn, kept as the `compute` of their piece.
enum class EmptySteps { LeftOut, KeptAsCompute };

// Preconditions: `report` is check(problem, split) and `pieces` are those of the split.
// Throws InputError(Unsupported) where the copies of a stage are behind different links of a level.
Steps make_steps(const Problem& problem, const CheckReport& report, const Pieces& pieces, EmptySteps empty);

// Throws InputError(Usage) where so many samples have more than kMostTasks steps.
void refuse_too_many_tasks(std::size_t steps, std::size_t samples);

// The work of a lane for one sample, averaged over the samples that others take: the largest of all lanes.
double busiest_lane(const Steps& steps, const std::vector<StepId>& chosen);

std::vector<StepId> all_steps(const Steps& steps);

}  // namespace partita::detail
