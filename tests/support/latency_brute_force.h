// SPDX-License-Identifier: Apache-2.0
// The time of one sample by the definitions of docs/formats.md, read literally, and the best one by trying everything:
// which device each node is on, and in which of its subgraphs. Knows training, colours, memory (of hosts too), nodes
// that cannot run everywhere, costs that differ, problem.subgraphs and problem.strict_host_cores. Shares no code with
// `check`, `reduce` or `solve`. For graphs of up to 32 nodes; the best latency for up to about 8.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "partita/model/problem.h"

namespace partita::detail {

// The latency of one split, or infinity if something waits for itself. `device_of` by node index; `subgraph_of` as in
// Split, and empty for one subgraph in each pass. Nothing else that makes a split illegal is looked at.
double latency_by_definition(const Problem& problem, const std::vector<std::size_t>& device_of,
                             const std::vector<std::size_t>& subgraph_of = {});

// The least latency of any legal split, or infinity if there is none. Devices of one class are alike, so the first
// unused one stands for all, and a host without memory limit for every other. A case is given up when the nodes placed
// so far take as long as the best split already: placing more only adds work, transfers and waiting, so the longest
// path through the blocks, cores not counted, never falls.
double best_latency_by_brute_force(const Problem& problem);

// A legal split as labels see it, cores not counted.
struct SplitTimes {
  struct OfNode {
    std::size_t block;  // equal for nodes of one block
    // Of its block: first, the time until it is done, and the blocks of accelerators that come before it in time, with
    // itself; second, the same from its start to the end.
    double time[2];
    int blocks[2];
  };
  double latency = 0;
  std::vector<OfNode> nodes;
};

// Every split that takes less than the limit, once at least.
void for_each_split_below(double limit, const Problem& problem, const std::function<void(const SplitTimes&)>& visit);

}  // namespace partita::detail
