// SPDX-License-Identifier: Apache-2.0
// The least load of a block of which some is known: what is inside, what is outside, how much memory is left.
//
// Load is node times plus cut nets, and what a block with a node must also hold are implications, so this is a minimum
// cut, as in block_finish.h; here no labels play a part, but parts of a load can be asked for. Seen from a node inside,
// the border, a block has a part above it and a part below it. The parts of one border, or of two borders of which the
// lower one is used for the part below, have no node and no net in common, so their loads may be added up:
//  - above: nodes not at or below the border; nets whose producer is one of these, without members below the border;
//  - below: nodes below the border; nets whose producer is at the border or below it.
// The memory of nodes that are in one block always is counted whole, at the last of them: sources that belong to
// something are no place to count it.
// All simplifications drop conditions or costs, so every answer is a lower bound. Tests: tests/solve/spine_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "partita/solve/latency/block_cut.h"
#include "partita/solve/latency/block_model.h"
#include "partita/util/time_watch.h"

namespace partita {

class BlockLoad {
 public:
  enum class Part { Whole, Above, Below };

  // Both must outlive it.
  BlockLoad(const BlockModel& model, const NodeReach& reach);

  // Now about blocks that hold all of `inside`, at least one node, and none of `outside`. False if there is none.
  bool begin(Part part, NodeId border, const std::vector<NodeId>& inside, const std::vector<NodeId>& outside);
  // Of the part: the memory of what is surely in the block.
  double memory() const { return memory_; }
  // The least load of the part if its memory is at most this; infinite if there is no such block. Limits must not rise
  // from one call to the next.
  double least(double memory_limit);

  // The nodes of a block, or of its part and more, that has the load least() gave last.
  std::vector<NodeId> cheapest() const;

  std::uint64_t work() const { return work_; }  // so far, in steps

 private:
  enum class Side : char { Open, In, Out };
  struct Candidate {
    ClusterId cluster;
    double memory;  // with it and all that lies between
  };

  bool counts(NodeId v) const;
  bool net_counts(NetId e) const;
  bool take_in(ClusterId c);
  bool close();
  bool leave_out(const std::vector<NodeId>& nodes);
  void find_candidates();
  double memory_with(ClusterId c);
  double part_memory(ClusterId c) const { return counts(model_.cluster(c).last) ? model_.cluster(c).memory : 0; }
  double part_time(ClusterId c) const;
  double least_cut();
  void add_net(NetId e);
  void add_implications(ClusterId c);

  std::span<const Word> below(NodeId v) const { return reach_.below.row(v.index()); }
  std::span<const Word> above(NodeId v) const { return reach_.above.row(v.index()); }
  Side side(NodeId v) const { return side_[model_.cluster_of(v)]; }
  void count(std::uint64_t steps) {
    work_ += steps;
    watch_.step(steps);
  }

  const BlockModel& model_;
  const NodeReach& reach_;
  TimeWatch watch_;
  std::uint64_t work_ = 0;

  Part part_ = Part::Whole;
  NodeId border_;
  IdVector<ClusterId, Side> side_;
  std::vector<ClusterId> in_;
  std::vector<Word> above_in_, below_in_, gone_;
  bool backward_ = false;
  DeviceId device_;
  double memory_ = 0, time_ = 0;       // of the part of in_
  std::vector<Candidate> candidates_;  // open clusters that may matter, the largest memory first
  std::size_t ruled_out_ = 0;          // of the candidates, so many are out
  bool known_ = false;                 // last_ is the answer for these candidates
  double last_ = 0;

  BlockCut cut_;
  std::vector<BlockCut::Vertex> ends_;
  IdVector<ClusterId, std::uint32_t> seen_, hull_stamp_;
  IdVector<NetId, std::uint32_t> net_stamp_;
  std::uint32_t stamp_ = 0, hulls_ = 0;
};

}  // namespace partita
