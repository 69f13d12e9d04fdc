// SPDX-License-Identifier: Apache-2.0
// The split with the least time for one sample, with proof.
//
// LatencySearch looks for better splits, LatencyBound for better bounds, and LatencyBranching takes over where those
// end. With one thread they take turns, counted in ticks, that grow, so a seed and a tick limit fix the answer. With
// more, one thread leads the bounds and each of the others searches from a seed of its own; they tell each other of
// better splits, and the answer may differ from run to run.
#pragma once

#include <cstdint>
#include <vector>

#include "partita/model/settings/latency.h"
#include "partita/reduce/latency_instance.h"
#include "partita/solve/shared/outcome.h"
#include "partita/util/budget.h"
#include "partita/util/progress.h"

namespace partita::detail {

struct LatencyOptions {
  double gap = 0;  // stop once (value - bound) / value is at most this
  std::uint64_t seed = 1;
  int threads = 1;
  LatencySettings settings = {};
};

using LatencyOutcome = Outcome<LatencySplit>;

// Begins with `starts`, as far as they are legal.
LatencyOutcome solve_latency(const LatencyInstance& instance, const std::vector<LatencySplit>& starts,
                             const LatencyOptions& options, Budget& budget, const Sink& sink);

}  // namespace partita::detail
