// SPDX-License-Identifier: Apache-2.0
// The linearised dynamic program (DPL): the best split whose stages are intervals of one given order.
//
// dp[b][c][f] = least possible largest load when the first b groups of the order are held by c hosts and f
// accelerators:
//     dp[b][c][f] = min over a < b of  max(dp[a][c][f-1], load of an accelerator with groups a..b-1)
//                                 and  max(dp[a][c-1][f], load of a host with them).
// For fixed a the load is kept up while b grows, in time proportional to the pins passed. Intervals whose compute alone
// reaches the value to beat end the scan, so with a good first split each a sees only about one stage's worth of
// groups. A topological order gives a staged split; any other order gives a free one, whose stages may depend on each
// other. With a limit on each pass, "load" is the largest share of a limit: max over the passes of load / limit. So
// with limits that add up to the best value for gpipe, whatever has a share below 1 is better.
// From [the paper, section 5.1.2]; differences: costs are incremental, scans are cut off, equal states are skipped.
// Complexity O(n * w * (pins per group + useful device counts)), w = groups per stage.
// Tests: tests/solve/linear_test.cpp, gpipe_linear_test.cpp, free_orders_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "partita/solve/staged/staged_split.h"
#include "partita/util/budget.h"

namespace partita::detail {

struct LinearOptions {
  double below = std::numeric_limits<double>::infinity();  // only splits with a smaller value are of interest
  std::size_t stride = 1;          // stages end only at multiples of this; for a quick first value on large graphs
  std::uint64_t* steps = nullptr;  // where given, the work done is added: groups passed by all scans
};

inline constexpr std::uint64_t kIntervalStepsPerTick = 8;  // for who counts them on a budget

// Empty if there is none below the value asked for, or if the budget ended first.
std::optional<StagedSplit> linear_split(const NetGraph& graph, const StagePlatform& platform,
                                        const std::vector<GroupId>& order, const LinearOptions& options,
                                        const Budget& budget);

// The split's value, and the value asked for, is the largest share of a limit. Limits must be positive.
std::optional<StagedSplit> linear_split(const PassGraphs& graphs, const StagePlatform& platform,
                                        const std::vector<GroupId>& order, const std::array<double, kPasses>& limits,
                                        const LinearOptions& options, const Budget& budget);

}  // namespace partita::detail
