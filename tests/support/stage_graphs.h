// SPDX-License-Identifier: Apache-2.0
// Random small stage graphs, and their optimum by looking at all chains of ideals. Shares no code with the solvers but
// the graph itself.
#pragma once

#include <cstdint>
#include <limits>

#include "partita/reduce/stage_graph.h"

namespace partita::detail::test {

struct StageCase {
  StageGraph graph;
  StagePlatform platform;
};

// 2 to `most` groups: free groups, views (no time, one net in and one out), hosts and accelerators in any number,
// memory limits that sometimes bind, groups that some devices cannot run, nets that join any groups.
StageCase random_stage_case(std::uint64_t seed, int most = 9);

inline constexpr double kNoSplit = std::numeric_limits<double>::infinity();

// Groups as bits: does the set hold, with every group, all its predecessors?
bool is_ideal(const StageGraph& graph, std::uint32_t set);

// The least possible largest load of a staged split, or kNoSplit. Exponential: for up to a dozen groups.
double least_value(const StageGraph& graph, const StagePlatform& platform);

}  // namespace partita::detail::test
