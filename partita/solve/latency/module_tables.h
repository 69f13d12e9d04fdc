// SPDX-License-Identifier: Apache-2.0
// What one module of a spine costs, by how far the blocks of the two spine nodes at its ends reach into it.
//
// On each chain of the module the block of the upper spine node holds the first few nodes and the block of the lower
// one the last few: an *extent* for each chain, known exactly or within a range. A state is one extent for each chain.
//
// What is left between runs on hosts or in blocks of the module's own, n of them. Each chain by itself takes at least
// so long, with so many of the blocks; a block with parts in two chains is counted at the first. And since every block
// of the module's own runs in the time D between the two, together they do at most n * D of work: if a chain would take
// H on hosts, the time H - D must be taken from them, by blocks that do some work for it. If a chain has stretches in
// two of the n blocks, these two run one after the other, and all blocks together do at most (n - 1) * D; else chains
// are packed into blocks as wholes (chain_packing.h). Tests: tests/solve/spine_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "partita/solve/latency/block_load.h"
#include "partita/solve/latency/chain_packing.h"
#include "partita/solve/latency/spine.h"
#include "partita/util/budget.h"

namespace partita::detail {

class ModuleTables {
 public:
  static constexpr std::size_t kMemoryLevels = 16;

  // How closely to look.
  struct Detail {
    std::size_t most_blocks;  // more blocks inside of the module are counted as this many
    std::size_t most_states;  // extents are known within ranges where there would be more
  };

  // No block that begins at the module's lower end reaches the node `beyond`, which is below that; or it is invalid.
  // Model and block_load must outlive it.
  ModuleTables(const Spine& spine, std::size_t module, const Detail& detail, const BlockModel& model,
               BlockLoad& block_load, NodeId beyond);

  // Fills the tables until the slice ends or they are full; true once they are. Overruns it by one chain or state.
  bool advance(Budget& slice);

  std::size_t states() const { return states_; }  // state 0: nothing of the chains is in the block
  bool is_exact() const { return exact_; }        // more states would tell no more

  // Of the block of the upper end with this state, the part below the upper end: its memory, surely, and its least load
  // if so much memory is left for it. Infinite where there is no such block. The same for the lower end.
  double memory_below(std::size_t state) const { return below_.memory[state]; }
  double load_below(std::size_t state, double room) const { return load(below_, state, room); }
  double memory_above(std::size_t state) const { return above_.memory[state]; }
  double load_above(std::size_t state, double room) const { return load(above_, state, room); }

  // The least time between the two blocks if at most so many blocks run wholly inside of the module, for numbers up to
  // most_blocks, which stands for any number. False if the states exclude each other.
  bool delays(std::size_t upper_state, std::size_t lower_state, std::vector<double>& by_blocks) const;

  // Blocks that take as long as the tables say: the nodes of one that reaches from an end into the module, and all that
  // run inside of it.
  std::vector<NodeId> reaching(BlockLoad::Part part, std::size_t state, double room);
  std::vector<std::vector<NodeId>> inside(std::size_t upper_state, std::size_t lower_state, std::size_t blocks);

 private:
  struct Extent {
    std::size_t least, most;
  };
  // What blocks must do on a stretch of a chain, as far as no other chain has a part in it.
  struct Work {
    double on_hosts = 0;  // the time of all nodes there, but for those that cannot be there
    double sure = 0;      // work on those
    double ratio = 0;     // least work for a unit of time that blocks save, instead of hosts
  };
  using Delays = std::vector<std::vector<std::vector<double>>>;
  struct Chain {
    std::vector<NodeId> nodes;
    std::vector<Extent> extents;
    // delay[p][e][d]: of the nodes from p up to e, not with it, if d blocks are used that no earlier chain has a part
    // in; and in `own_delay`, if d blocks are used in all.
    Delays delay, own_delay;
    std::vector<std::vector<Work>> work;  // of the same nodes
    // The least load of a block of those nodes, and of one that also has a part in an earlier chain.
    std::vector<std::vector<double>> alone, shared;
    // The least of delay and work over all that two extents, of the upper and of the lower end, may stand for. The
    // shortest stretch between them is not enough: its blocks must leave out its neighbours, which may be dearer.
    Delays least_delay, least_own;
    std::vector<std::vector<Work>> least_work;
    std::vector<std::vector<ChainPacking::Rest>> rest;
  };
  struct Reach {
    std::vector<double> memory;
    std::vector<double> load;  // by state and level of memory
  };

  void make_extents(std::size_t most_states);
  void make_delays(std::size_t c);
  Delays delays_along(const Chain& chain, bool share) const;
  std::vector<double> cuts_along(const std::vector<NodeId>& nodes) const;
  void make_work(Chain& chain) const;
  void pack_chains();
  void make_least(Chain& chain) const;
  bool begin_stretch(const Chain& chain, std::size_t p, std::size_t e, NodeId with);
  bool begin_reach(BlockLoad::Part part, std::size_t state);
  std::size_t fewer(std::size_t blocks) const { return blocks < most_blocks_ ? blocks - 1 : blocks; }
  static double time_for_work(std::span<const Work* const> chains, std::size_t blocks);
  void fill(BlockLoad::Part part, std::size_t state, Reach& reach);
  std::size_t extent_number(std::size_t state, std::size_t chain) const {
    return extent_of_[state * chains_.size() + chain];
  }
  const Extent& extent(std::size_t state, std::size_t chain) const {
    return chains_[chain].extents[extent_number(state, chain)];
  }
  double room_at(std::size_t level) const;  // of a device's memory
  double load(const Reach& reach, std::size_t state, double room) const;

  const BlockModel& model_;
  BlockLoad& block_load_;
  const NodeId upper_, lower_, beyond_;
  const std::size_t most_blocks_;
  const double memory_limit_;
  std::vector<Chain> chains_;
  ChainPacking packing_;
  std::size_t states_ = 1;
  bool exact_ = true;
  std::vector<std::uint32_t> extent_of_;  // by state and chain
  Reach below_, above_;
  std::size_t chains_done_ = 0, states_done_ = 0;
};

}  // namespace partita::detail
