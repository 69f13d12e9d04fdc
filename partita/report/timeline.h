// SPDX-License-Identifier: Apache-2.0
// What of a simulation fits into a picture: a stretch of time from its beginning, the lanes that are busy in it, and
// boxes on them.
//
// The picture is to show how the pipeline fills and that it then repeats itself: a pipeline or 1F1B until a few samples
// after the first one is through, GPipe two batches, one sample at a time two samples; all of it where that is not much
// more. It never goes beyond what was recorded. Where there would be too many boxes, it is shorter.
#pragma once

#include <cstdint>
#include <vector>

#include "partita/schedule/simulation.h"

namespace partita::detail {

struct TimelineBox {
  DeviceId device;
  bool backward = false;
  Phase phase = Phase::Compute;
  std::uint32_t sample = 0;
  double start = 0;
  double finish = 0;       // at most the end of the picture
  std::size_t pieces = 1;  // more where several narrow ones follow each other without a gap
};

struct TimelineLane {
  LaneId lane;
  std::vector<TimelineBox> boxes;  // by start; they do not overlap
};

struct Timeline {
  double end = 0;
  std::vector<TimelineLane> lanes;  // in the order in which a sample meets their devices
  std::size_t samples = 0;          // of which there is something in the picture
  std::size_t idle_lanes = 0;       // left out, as they do nothing until `end`
  bool cut = false;                 // `end` is not the end of the simulation
};

// How many samples must be recorded for it.
std::size_t samples_for_timeline(const SimulationOptions& options);

// Until `least` at least, where so much was recorded and is not too much.
Timeline timeline(const CheckReport& report, const Simulation& simulation, double least = 0);

}  // namespace partita::detail
