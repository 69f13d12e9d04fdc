// SPDX-License-Identifier: Apache-2.0
// The least load of a block, or of a part of it, within limits of memory: what is inside, what is outside and how much
// memory is left are given. A minimum cut (partial_block.h); memory is used to rule out what does not fit together with
// the forced part and all between. All simplifications drop conditions or costs, so every answer is a lower bound.
// Tests: tests/solve/spine_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "partita/solve/latency/partial_block.h"

namespace partita::detail {

class BlockLoad {
 public:
  using Part = PartialBlock::Part;

  // Both must outlive it.
  BlockLoad(const BlockModel& model, const NodeReach& reach);

  // Now about blocks that hold all of `inside`, at least one node, and none of `outside`. False if there is none.
  // `beyond`: for the part above, a node below the border that is not in the block, or nothing (partial_block.h).
  bool begin(Part part, NodeId border, const std::vector<NodeId>& inside, const std::vector<NodeId>& outside,
             NodeId beyond = NodeId());
  // Of the part: the memory of what is surely in the block.
  double memory() const { return block_.memory(); }
  // The least load of the part if its memory is at most this; infinite if there is no such block. Limits must not rise
  // from one call to the next.
  double least(double memory_limit);

  // The nodes of a block, or of its part and more, that has the load least() gave last.
  std::vector<NodeId> cheapest() const;

  std::uint64_t work() const { return block_.work(); }  // so far, in steps

 private:
  struct Candidate {
    ClusterId cluster;
    double memory;  // with it and all that lies between
  };

  void find_candidates();
  double memory_with(ClusterId c);

  const BlockModel& model_;
  PartialBlock block_;
  std::vector<Candidate> candidates_;  // open clusters that may matter, the largest memory first
  std::size_t ruled_out_ = 0;          // of the candidates, so many are out
  bool known_ = false;                 // last_ is the answer for these candidates
  double last_ = 0;

  IdVector<ClusterId, std::uint32_t> seen_;
  IdVector<NetId, std::uint32_t> net_seen_;
  std::uint32_t stamp_ = 0;
};

}  // namespace partita::detail
