// SPDX-License-Identifier: Apache-2.0
#include "partita/report/timeline.h"

#include <algorithm>
#include <limits>

#include "partita/report/used_devices.h"

namespace partita::detail {
namespace {

constexpr double kSteadySamples = 5;    // shown after the first one is through
constexpr std::size_t kBatches = 2;     // GPipe
constexpr std::size_t kSequential = 2;  // samples, one after the other
constexpr double kNotMuchMore = 1.3;    // what is left over is shown too
constexpr std::size_t kMostBoxes = 900;
constexpr double kNarrow = 0.002;  // of the picture: what is narrower joins its neighbours
constexpr std::size_t kUsuallyRecorded = 64;

double end_of_samples(const Simulation& simulation, std::size_t count) {
  double end = 0;
  for (const Interval& interval : simulation.intervals) {
    if (interval.sample < count) end = std::max(end, interval.finish);
  }
  return end;
}

// The end of what the picture should show.
double wanted_end(const Simulation& simulation) {
  switch (simulation.kind) {
    case ScheduleKind::GPipe: return end_of_samples(simulation, kBatches * simulation.microbatches);
    case ScheduleKind::Sequential: return end_of_samples(simulation, kSequential);
    case ScheduleKind::Pipeline:
    case ScheduleKind::OneF1B: break;
  }
  return simulation.warm_up_end + kSteadySamples * simulation.time_per_sample;
}

// From when on something may be missing:
// the first sample that was not recorded starts no earlier than the last one that was.
double recorded_end(const Simulation& simulation) {
  std::uint32_t last = 0;
  for (const Interval& interval : simulation.intervals) last = std::max(last, interval.sample);
  if (last + 1 >= simulation.samples) return simulation.makespan;
  for (const Interval& interval : simulation.intervals) {
    if (interval.sample == last) return interval.start;
  }
  return simulation.makespan;
}

double chosen_end(const Simulation& simulation, double least) {
  const double wanted = std::max(wanted_end(simulation), least);
  const double end = simulation.makespan <= kNotMuchMore * wanted ? simulation.makespan : wanted;
  return std::min(end, recorded_end(simulation));
}

bool joins(const TimelineBox& box, const TimelineBox& next, double narrow) {
  return box.device == next.device && box.backward == next.backward && box.phase == next.phase &&
         box.sample == next.sample && next.start - box.finish <= narrow / 4 &&
         std::min(box.finish - box.start, next.finish - next.start) < narrow;
}

IdVector<LaneId, std::vector<TimelineBox>> boxes_until(const Simulation& simulation, double end) {
  IdVector<LaneId, std::vector<TimelineBox>> lanes(simulation.lanes.size());
  for (const Interval& interval : simulation.intervals) {
    if (interval.start >= end || interval.finish <= interval.start) continue;
    const Piece& piece = simulation.pieces.pieces[interval.piece];
    const bool backward = piece.backward;
    const DeviceId lane = simulation.lanes[interval.lane].device;
    const TimelineBox box{lane.valid() ? lane : piece.device, backward, interval.phase, interval.sample, interval.start,
                          std::min(interval.finish, end)};
    std::vector<TimelineBox>& boxes = lanes[interval.lane];
    if (!boxes.empty() && joins(boxes.back(), box, kNarrow * end)) {
      boxes.back().finish = box.finish;
      ++boxes.back().pieces;
    } else {
      boxes.push_back(box);
    }
  }
  return lanes;
}

// The earliest end beyond which there would be too many boxes; infinite where there are not.
double crowded_from(const IdVector<LaneId, std::vector<TimelineBox>>& lanes) {
  std::vector<double> starts;
  for (const auto& boxes : lanes) {
    for (const TimelineBox& box : boxes) starts.push_back(box.start);
  }
  if (starts.size() <= kMostBoxes) return std::numeric_limits<double>::infinity();
  std::nth_element(starts.begin(), starts.begin() + kMostBoxes, starts.end());
  return starts[kMostBoxes];
}

}  // namespace

std::size_t samples_for_timeline(const SimulationOptions& options) {
  const std::size_t batches = options.kind == ScheduleKind::GPipe ? kBatches * options.microbatches + 1 : 0;
  return std::max(kUsuallyRecorded, batches);
}

Timeline timeline(const CheckReport& report, const Simulation& simulation, double least) {
  Timeline result;
  result.end = chosen_end(simulation, least);
  auto boxes = boxes_until(simulation, result.end);
  const double crowded = crowded_from(boxes);
  if (crowded < result.end) {
    result.end = crowded;
    boxes = boxes_until(simulation, crowded);
  }
  result.cut = result.end < simulation.makespan;

  std::uint32_t last = 0;
  std::vector<DeviceId> devices;
  for (const UsedDevice& used : used_devices(report, simulation)) devices.push_back(used.device);
  devices.emplace_back();  // shared links
  for (DeviceId device : devices) {
    for (LaneId lane : simulation.lanes.all()) {
      if (simulation.lanes[lane].device != device) continue;
      for (const TimelineBox& box : boxes[lane]) last = std::max(last, box.sample);
      if (boxes[lane].empty()) {
        ++result.idle_lanes;
      } else {
        result.lanes.push_back({lane, std::move(boxes[lane])});
      }
    }
  }
  if (!result.lanes.empty()) result.samples = last + std::size_t{1};
  return result;
}

}  // namespace partita::detail
