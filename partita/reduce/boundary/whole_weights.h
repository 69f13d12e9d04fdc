// SPDX-License-Identifier: Apache-2.0
// The weights of a stage graph as integers, never above what they were, and the limit, never below: whatever exact
// integer arithmetic refutes of these is refuted of the graph.
//
// One unit is a power of two with 2^44 to 2^45 units in the limit, so dividing a double by it is exact, and so is
// rounding the quotient down. A load is a sum of times and costs; with each of them rounded down it is no larger, so a
// split within the limit stays within the limit. Weights above the limit become one more than the limit: no device that
// carries one is within the limit before, or after. With at most 2^15 groups the sums stay far below 2^63.
//
// Loads elsewhere are sums of doubles. A load of which the doubles say that it is within the limit may be above by some
// 1e-13 of it, so the limit here is larger by 1e-11 of itself: less than is taken off any claim (kRoundingSlack).
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "partita/reduce/threshold.h"

namespace partita::detail {

using Whole = std::int64_t;
inline constexpr Whole kMostWhole = std::numeric_limits<Whole>::max();

struct WholeWeights {
  Whole limit = 0;
  Whole total = 0;      // work of all groups
  Whole host_work = 0;  // no host holds more work (accelerator time!) within the limit; 0 without hosts
  IdVector<GroupId, Whole> work;
  IdVector<NetId, Whole> cost;
};

// Nothing where there is no limit to speak of, or too many groups.
std::optional<WholeWeights> whole_weights(const StageGraph& graph, const Threshold& question);

}  // namespace partita::detail
