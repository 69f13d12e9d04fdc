// SPDX-License-Identifier: Apache-2.0
// What one module of a spine costs, by how far the blocks of the two spine nodes at its ends reach into it.
//
// On each chain of the module the block of the upper spine node holds the first few nodes and the block of the lower
// one the last few: an *extent* for each chain, known exactly or within a range. A state is one extent for each chain.
// Tests: tests/solve/spine_test.cpp.
#pragma once

#include <vector>

#include "partita/solve/latency/block_load.h"
#include "partita/solve/latency/spine.h"

namespace partita {

class ModuleTables {
 public:
  static constexpr std::size_t kMemoryLevels = 16;

  // `most_blocks`: more blocks inside of the module than this are counted as this many.
  ModuleTables(const Spine& spine, std::size_t module, std::size_t most_blocks, const BlockModel& model,
               BlockLoad& block_load);

  std::size_t states() const { return states_; }  // state 0: nothing of the chains is in the block

  // Of the block of the upper end with this state, the part below the upper end: its memory, surely, and its least load
  // if so much memory is left for it. Infinite where there is no such block. The same for the lower end.
  double memory_below(std::size_t state) const { return below_.memory[state]; }
  double load_below(std::size_t state, double room) const { return load(below_, state, room); }
  double memory_above(std::size_t state) const { return above_.memory[state]; }
  double load_above(std::size_t state, double room) const { return load(above_, state, room); }

  // The time between the two blocks, at least, by the number of blocks (up to most_blocks) that run wholly inside of
  // the module. False if the states exclude each other.
  bool delays(std::size_t upper_state, std::size_t lower_state, std::vector<double>& by_blocks) const;

 private:
  struct Extent {
    std::size_t least, most;
  };
  struct Chain {
    std::vector<NodeId> nodes;
    std::vector<Extent> extents;
    // delay[p][e][d]: of the nodes from p up to e, not with it, if d blocks are used that no earlier chain has a part
    // in.
    std::vector<std::vector<std::vector<double>>> delay;
  };
  struct Reach {
    std::vector<double> memory;
    std::vector<double> load;  // by state and level of memory
  };

  void make_extents();
  void make_delays(std::size_t c, const BlockModel& model, BlockLoad& block_load);
  void reach_from(NodeId end, NodeId other_end, BlockLoad::Part part, const BlockModel& model, BlockLoad& block_load,
                  Reach& reach) const;
  Extent extent(std::size_t state, std::size_t chain) const;
  double load(const Reach& reach, std::size_t state, double room) const;

  NodeId upper_, lower_;
  std::size_t most_blocks_;
  double memory_limit_;
  std::vector<Chain> chains_;
  std::size_t states_ = 1;
  Reach below_, above_;
};

}  // namespace partita
