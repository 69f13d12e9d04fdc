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

// A source, two to four equal branches of one to three groups, and mostly a sink; one host or none. Ideals that differ by
// an exchange of branches weigh the same, which is where a bound by work and cost is tight.
StageCase branched_stage_case(std::uint64_t seed);

// A row of heavy groups, and light ones beside and between them: sums, views and gradients with two to four nets each,
// which lead to heavy groups and to each other, and maybe a tensor of which each is a part. Some may be in any stage, some
// only in a few. It is what shrink is for.
StageCase sums_stage_case(std::uint64_t seed, int most = 9);

inline constexpr double kNoSplit = std::numeric_limits<double>::infinity();

// Groups as bits: does the set hold, with every group, all its predecessors?
bool is_ideal(const StageGraph& graph, std::uint32_t set);

// The least possible largest load of a staged split, or kNoSplit. Exponential: for up to a dozen groups.
double least_value(const StageGraph& graph, const StagePlatform& platform);

// The same of splits with one host that holds something, at most so many accelerators before it, and at most all others
// after it.
double least_value_with_host_after(const StageGraph& graph, const StagePlatform& platform, int accelerators);

}  // namespace partita::detail::test
