// SPDX-License-Identifier: Apache-2.0
// A problem as graph partitioners see it, and a split out of what they answer.
//
// Scotch and METIS cut an undirected graph into k parts of about equal vertex weight so that the edges between parts
// weigh little in sum. The paper's way to ask them for a split [the paper, section on throughput experiments]:
//   vertices  the groups: colour classes with cycles contracted, as staged splits have them; weighted by compute time
//   edges     between groups of which one reads the other; weighted by what is moved between them, both ways: the cost
//             of each output once, however many nodes of the other group read it
//   parts     the accelerators, each with an equal share of the weight
// An output that several groups read is several edges here, but moves out only once: a cut is not a load. Neither
// order nor memory is known to the partitioners, so the splits are seldom staged and may need more memory than there
// is. That is what the baseline shows; `check` says it.
//
// Weights are whole numbers of 32 bits in both libraries: times and costs are scaled so that each kind adds up to about
// 2^28, and an edge that costs anything weighs at least 1 (the paper's code has a millionth of the unit of time).
//
// Differences from the original, which gives up where a node cannot run on an accelerator: such groups go to hosts,
// each to the one that is done with it first. Without accelerators, the hosts are the parts.
//
// Several classes of accelerators. A vertex weighs its time on the fastest class that runs it. A class's speed is what
// the groups that it runs weigh, over the time that they take on it, and the shares of the parts are as the speeds of
// their devices. The libraries cannot be told that a vertex must not be in some part: groups that come out on a device
// that cannot run them go to the accelerator that can and is done with them first. Link factors make no difference,
// since a cut has no device that pays for it; nor do transfer modes.
//
// Tests: tests/solve/partition_test.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "partita/model/problem.h"
#include "partita/model/split.h"

namespace partita::detail {

// Compressed rows; every edge is in the row of both its ends. At least two vertices, all weights positive or 0.
struct PartitionGraph {
  std::vector<std::int32_t> row_begin;  // vertices + 1
  std::vector<std::int32_t> neighbour;
  std::vector<std::int32_t> edge_weight;  // like neighbour
  std::vector<std::int32_t> vertex_weight;

  std::size_t size() const { return vertex_weight.size(); }
};

// The part of each vertex, from 0 on; an empty list where the library fails. There is a share of the weight for each
// part: 2 or more, at most as many as there are vertices, positive, the largest first; in sum 1.
using Partitioner = std::function<std::vector<std::int32_t>(const PartitionGraph& graph,
                                                            const std::vector<double>& shares, std::uint64_t seed)>;
inline bool all_equal(const std::vector<double>& shares) { return shares.front() == shares.back(); }

// Nothing if some group runs on no device that there is, if there are too many edges for 32 bits, or if the partitioner
// fails.
std::optional<Split> split_by_partition(const Problem& problem, const Partitioner& partitioner, std::uint64_t seed);

// Throws InputError(Unsupported): this build lacks the library that the algorithm asks.
[[noreturn]] void refuse_without(const char* algorithm, const char* library, const char* debian_package);

}  // namespace partita::detail
