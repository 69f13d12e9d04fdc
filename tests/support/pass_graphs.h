// SPDX-License-Identifier: Apache-2.0
// Random small graphs with a forward and a backward pass, and what their staged splits can cost, by looking at all
// chains of ideals. Shares no code with the solvers but the graphs themselves.
#pragma once

#include <cstdint>
#include <vector>

#include "partita/reduce/pass_graphs.h"

namespace partita::detail::test {

struct PassCase {
  PassGraphs graphs;
  StagePlatform platform;
};

// A stage case (stage_graphs.h) whose times and nets are dealt out to the passes: some to one, some to the other, some
// to both; now and then a pass has nothing at all.
PassCase random_pass_case(std::uint64_t seed, int most = 9);
PassCase sums_pass_case(std::uint64_t seed, int most = 9);

struct PassPoint {
  double forward = 0, backward = 0;
};

// The largest forward and backward loads of all staged splits, those left out that another is not above in either.
std::vector<PassPoint> best_points(const PassGraphs& graphs, const StagePlatform& platform);

// Whether some staged split has every load of every view within its limit.
bool has_split_within(const PassGraphs& graphs, const PassQuestion& question);

// The least sum of the two, or infinity.
double least_gpipe_value(const std::vector<PassPoint>& points);

}  // namespace partita::detail::test
