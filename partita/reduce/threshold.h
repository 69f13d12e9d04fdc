// SPDX-License-Identifier: Apache-2.0
// The question that presolve and search answer: is there a staged split with every load at most `limit`?
#pragma once

#include "partita/reduce/stage_graph.h"

namespace partita {

struct Threshold {
  StagePlatform platform;
  double limit = 0;

  bool fits_host(const Group& g) const {
    return platform.hosts > 0 && g.on_host && g.host_time <= limit && g.memory <= platform.host_memory;
  }
  bool fits_accelerator(const Group& g) const {
    return platform.accelerators > 0 && g.on_accelerator && g.accelerator_time <= limit && g.memory <= platform.accelerator_memory;
  }
};

// Loads are sums of doubles, so a comparison with the limit may be off by rounding. What is proved for a limit is
// claimed only for limit * (1 - kRoundingSlack), which is far more than the sums can be wrong by.
inline constexpr double kRoundingSlack = 1e-10;

}  // namespace partita
