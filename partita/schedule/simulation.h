// SPDX-License-Identifier: Apache-2.0
// A split at work on a stream of samples: executed event by event, and measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "partita/model/phase.h"
#include "partita/schedule/pieces.h"

namespace partita {

enum class ScheduleKind {
  Pipeline,    // round by round: a new sample every so often, each piece in its own time slot
  OneF1B,      // training: as many samples in flight as stages, then one backward for each forward (PipeDream);
               // without backward pass a pipeline with as many samples in flight as devices
  GPipe,       // batches: all microbatches forward, then all backward
  Sequential,  // one sample at a time, no pipelining
};

const char* to_string(ScheduleKind kind);  // "pipeline", "1f1b", "gpipe", "sequential"
std::optional<ScheduleKind> parse_schedule_kind(std::string_view text);

// What fits the problem: sequential for latency; gpipe for the objective gpipe; 1f1b for training; else pipeline.
ScheduleKind default_schedule(const Problem& problem);

struct SimulationOptions {
  ScheduleKind kind = ScheduleKind::Pipeline;
  std::size_t samples = 100;           // at least 1
  std::size_t microbatches = 8;        // GPipe: samples in a batch; the last batch may have fewer
  std::size_t record = 100;            // of how many samples, from the first on, intervals and memory are kept
  std::size_t record_steps = 500'000;  // of fewer samples, but of one, where they have more steps together
};

// Steps of all samples together: each is kept until all is measured, in 30 to 45 bytes, so that a run stays below 2 GB.
inline constexpr std::size_t kMostTasks = 40'000'000;

// Where one thing happens at a time: a device, or one of its engines, or a core of a host, or a shared link.
using LaneId = Id<struct LaneTag>;
struct Lane {
  DeviceId device;   // names nothing for a shared link
  std::string name;  // "accelerator 2", "accelerator 2: compute", "host 0: core 3"
};

struct Interval {
  LaneId lane;
  PieceId piece;
  Phase phase = Phase::Compute;
  std::uint32_t sample = 0;
  double start = 0;
  double finish = 0;
};

// How a device spent the time from the start of the first sample to the end of the last one.
struct DeviceUse {
  double compute = 0, in = 0, out = 0, sync = 0;  // time
  double busy = 0;                                // time in which at least one of its lanes was busy
  std::size_t samples = 0;                        // that it took
  std::size_t most_in_flight = 0;  // samples between the start of their first and the end of their last piece here
  double peak_memory = 0;          // bytes, in the problem's memory model
};

struct MemoryPoint {  // holds until the next one
  double time = 0;
  std::size_t in_flight = 0;
  double bytes = 0;
};

struct Simulation {
  ScheduleKind kind = ScheduleKind::Pipeline;
  std::size_t samples = 0;
  std::size_t microbatches = 0;  // 0 where the schedule has no batches
  Pieces pieces;                 // latency: the subgraphs of the accelerators and the single nodes of the hosts
  IdVector<LaneId, Lane> lanes;  // by device; those of shared links last

  double makespan = 0;     // the end of the last sample
  double latency = 0;      // from the start to the end of a sample that is in the middle of the stream
  double warm_up_end = 0;  // when the first sample (gpipe: the first batch) is through
  double drain_begin = 0;  // when the last sample (gpipe: the first of the last batch) starts; not before warm_up_end
  double time_per_sample = 0;     // in steady state; where none was reached, makespan / samples
  bool steady = false;            // a steady state was reached: samples leave in a pattern that repeats
  std::optional<double> formula;  // the objective whose promise this schedule keeps or breaks: max-load, gpipe, latency
  std::string remark;             // where time_per_sample is not the formula: why, in a sentence with numbers

  std::vector<Interval> intervals;  // by start, of the recorded samples
  IdVector<DeviceId, DeviceUse> devices;
  IdVector<DeviceId, std::vector<MemoryPoint>> memory;  // while the recorded samples are under way; copies too
};

// Throws InputError(IllegalSplit) for a split that is not legal for the problem, InputError(Usage) for options that
// make no sense or more than kMostTasks. Linear in pieces times samples, after cutting the split into pieces.
Simulation simulate(const Problem& problem, const Split& split, const SimulationOptions& options);

}  // namespace partita
