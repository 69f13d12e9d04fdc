// SPDX-License-Identifier: Apache-2.0
// What a run of a plan really did, as its trace tells: who was busy with what, when, for which sample.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "partita/model/phase.h"

namespace partita {

struct RunTrace {
  // Does one thing at a time.
  struct Lane {
    std::string device;         // its name; empty where nobody says
    std::int64_t process = 0;   // the number of the device, from 1, where it has no name
    std::string name;           // empty where nobody says
    bool shared_links = false;  // no device: the links that several of them share
  };

  struct Slice {
    std::uint32_t lane = 0;
    std::uint32_t sample = 0;
    Phase phase = Phase::Compute;
    bool backward = false;
    std::optional<std::uint32_t> piece;  // as in a simulation, or what a runner calls so
    double start = 0;                    // seconds; the first slice of all starts at 0
    double finish = 0;
  };

  std::string source;    // what messages call it
  std::string workload;  // whose run it is; empty where nobody says; likewise the schedule
  std::string schedule;
  std::vector<Lane> lanes;    // in the order in which the trace first has a slice of them
  std::vector<Slice> slices;  // by start; those of a lane do not overlap. At least one
  std::size_t samples = 0;    // with a slice; their numbers are below kMostRunSamples, and may have gaps
};

inline constexpr std::size_t kMostRunSamples = 1'000'000;
inline constexpr std::size_t kMostRunLanes = 10'000;

// The process of links that several devices share, as traces name it.
inline constexpr const char* kSharedLinks = "shared links";

}  // namespace partita
