// SPDX-License-Identifier: Apache-2.0
// The time of one sample for a split: the longest path through its blocks, in O(nodes + edges).
//
// Blocks are what runs uninterrupted: the forward nodes of an accelerator, its backward nodes, each host node by
// itself. The split is legal only if no block waits for itself. Searches ask this hundreds of thousands of times, so it
// works on plain arrays in topological order of the nodes, in two sweeps over the edges: one adds up loads and counts
// what each block waits for, one takes the blocks off as they become ready. Tests: tests/solve/latency_value_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "partita/reduce/latency_instance.h"

namespace partita {

class LatencyValue {
 public:
  // Where a group is: an accelerator from 0 on, or host().
  using Place = std::int32_t;

  explicit LatencyValue(const LatencyInstance& instance);

  Place host() const { return accelerators_; }

  struct Measure {
    double latency = 0;       // of the blocks that could run
    double total = 0;         // all blocks' times added up
    double excess = 0;        // memory above the limits, in limits
    std::size_t waiting = 0;  // blocks that wait in a circle, or for one
  };
  // `place` by group. Support is the caller's to mind.
  const Measure& measure(const std::vector<Place>& place);

 private:
  using Index = std::uint32_t;
  struct Node {
    double accelerator_time, host_time, cost;
    Index group, first_arc;
    bool backward, own_transfers;
  };

  void add_up_loads(const std::vector<Place>& place);
  void run_blocks();

  const LatencyInstance& instance_;
  Place accelerators_;
  Index accelerator_blocks_;      // forward ones, then backward ones if there are any; then one for each node
  std::vector<Node> nodes_;       // in topological order, one more at the end
  std::vector<Index> arc_to_;     // positions in nodes_
  std::vector<double> arc_cost_;  // used where the producer's transfers are its edges
  std::vector<double> group_memory_;

  Measure measured_;
  std::vector<Index> block_of_;                    // by position
  std::vector<Index> waits_for_, stack_, seen_;    // by block
  std::vector<double> ready_, load_;               // by block
  std::vector<double> used_;                       // memory, by accelerator
  std::vector<Index> first_member_, next_member_;  // positions of accelerator blocks as linked lists
};

}  // namespace partita
