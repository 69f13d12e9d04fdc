// SPDX-License-Identifier: Apache-2.0
// Random paths of layers on one or two levels of equal devices: PipeDream's questions, as its recurrence takes them and
// as a Problem.
#pragma once

#include <cstdint>
#include <vector>

#include "partita/model/problem.h"
#include "tests/support/pipedream_recurrence.h"

namespace partita::detail {

struct PathQuestion {
  std::vector<PathLayer> layers;
  std::vector<PathLevel> levels;  // from the inside out
  double sync_bandwidth = kUnlimited;

  Problem problem() const;
};

// Up to `most_layers` layers, and up to `most_devices` devices on one or two levels.
PathQuestion random_path(std::uint64_t seed, std::size_t most_layers, std::size_t most_devices);

}  // namespace partita::detail
