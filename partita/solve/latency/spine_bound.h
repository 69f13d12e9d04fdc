// SPDX-License-Identifier: Apache-2.0
// A bound that counts accelerators also where branches run side by side: a dynamic program down a spine (spine.h).
//
// Between two neighbours on the spine that are in different blocks, time passes as the slowest chain of the module
// says, and the blocks that run wholly inside of the module are that module's alone. So splits are followed along the
// spine by how many blocks accelerators have used so far, and by how far the block of a spine node reaches into the
// modules on its two sides:
//     enter(i, t, w): the least start of the block of spine node i, if t blocks are used before and w says how far up
//                     it reaches;
//     leave(i, t, w): the least finish of that block, if it holds no later spine node, t blocks are used with it, and w
//                     says how far down it reaches.
// A block from spine node i to spine node j takes at least the times of all between, its part above i and its part
// below j (block_load.h), and the nets that jump over its ends: from spine node i - 1 or above to something between,
// and from something between to spine node j + 1 or below. Sources that only nodes between read, such as weights, are
// in the block, as far as there is memory, or their nets are. In a training graph every pass has its own count. The
// same program from the other end tells what is left to come; where the two add up to the limit, neighbours on the
// spine share a block, or a spine node is not on a host, in all better splits. Every condition that is not mentioned is
// dropped, so the bound is valid whatever spine it follows. Where only splits below a limit matter, states that a spine
// followed in less detail knows to lead nowhere are left out. Tests: tests/solve/spine_test.cpp.
#pragma once

#include <memory>
#include <vector>

#include "partita/reduce/never.h"
#include "partita/solve/latency/module_tables.h"
#include "partita/util/budget.h"

namespace partita::detail {

class SpineBound {
 public:
  // How closely to look.
  struct Detail {
    double neglect = 0;             // see find_spine()
    std::size_t most_states = 400;  // see ModuleTables
  };

  // What is left to come from each spine node on, at least, by blocks used so far, in splits below the limit.
  struct ToCome {
    double limit = 0;
    std::vector<NodeId> spine;
    std::vector<std::vector<double>> after_enter, after_leave;
  };

  // Model and reach must outlive it. With a limit only splits below it matter: what leads to others may be left out,
  // and `known`, from a spine followed with no more facts, tells early; it is not used if it is not of this spine, or
  // only about splits below a lower limit.
  SpineBound(const BlockModel& model, const NodeReach& reach, const Detail& detail, double limit = kNever,
             const ToCome* known = nullptr);

  // Works until the slice ends or the bound is there; true once it is.
  bool advance(Budget& slice);
  bool is_exact() const;  // more states would tell no more
  const Spine& spine() const { return spine_; }

  double bound() const { return bound_; }  // infinite if there is no split (below the limit)
  ToCome to_come() const;                  // after advance()
  // After advance(), unless the bound is infinite: blocks that would take as long as the bound says, if nothing had
  // been dropped. They may have nodes in common, or be too many.
  std::vector<std::vector<NodeId>> cheapest_blocks();
  // What holds for all splits below this limit, which is no higher than its own. True if there is something new. After advance().
  bool learn(double limit, LatencyFacts& facts) const;

 private:
  // Times by number of blocks and state.
  struct Table {
    std::size_t states = 1;
    std::vector<double> time;
    double& at(std::size_t blocks, std::size_t state) { return time[blocks * states + state]; }
    double at(std::size_t blocks, std::size_t state) const { return time[blocks * states + state]; }
    double at_best(std::size_t state) const;
  };

  Table table(std::size_t states) const;
  std::vector<double> best_of(const Table& table) const;
  bool leads_nowhere(const Table& from, std::size_t state, const std::vector<double>& to_come) const;
  void begin_program();
  bool enter_and_leave(std::size_t i, Budget& slice);
  bool leave_and_enter(std::size_t i, Budget& slice);
  // Sources beside the spine that a block reads: it holds them, or takes in their nets.
  struct SideSources {
    double never_held = 0;  // nets of those that cannot be in the block
    double memory = 0;      // of the others, as far as they come alone
    double ratio = 0;       // what it costs to leave them out, at least, for one unit of memory
  };
  void place_on_spine(const NodeReach& reach);
  void find_side_sources();
  void add_sources_of(NodeId v, std::size_t i, IdVector<NodeId, char>& seen, SideSources& sources) const;
  void find_crossing_nets();
  std::vector<double> nets_from_above(std::size_t i) const;
  double nets_to_below(std::size_t i, std::size_t j) const;
  NodeId beyond_blocks_from(std::size_t i) const;
  double host_time(std::size_t i) const;
  std::vector<NodeId> block_nodes(std::size_t i, std::size_t j, std::size_t up, std::size_t down);
  bool new_pass(std::size_t module) const;
  struct Range {
    std::size_t first, last;
  };
  struct Ending {
    std::size_t at;       // spine node
    double sure, memory;  // load and memory of what lies between, both ends with it
    SideSources sources;
  };
  enum class End { Upper, Lower };
  template <class Wanted, class Relax>
  void for_each_way_through(std::size_t module, std::size_t upper, const Range& lower_states, const Wanted& wanted,
                            const Relax& relax) const;
  std::vector<Ending> endings_from(std::size_t i) const;
  template <class Wanted, class Relax>
  void for_each_block(std::size_t i, const Ending& ending, const Range& states_above, const Range& states_below,
                      const Wanted& wanted, const Relax& relax) const;
  template <class Work>
  static void for_each_piece(const Budget& slice, bool share, std::size_t states, const Work& work);
  template <class Wanted, class Relax>
  bool pass_module(std::size_t module, End changed, Budget& slice, const Wanted& wanted, const Relax& relax);
  template <class Relax>
  void pass_node(std::size_t i, End changed, Budget& slice, const Relax& relax);

  const BlockModel& model_;
  const Detail detail_;
  const double limit_;
  BlockLoad block_load_;
  Spine spine_;
  std::size_t most_blocks_;  // of accelerators, in one pass
  std::vector<std::unique_ptr<ModuleTables>> modules_;
  // By node: the last spine node above it, or it; the first one below it, or it.
  IdVector<NodeId, std::size_t> starts_at_, ends_at_;
  // By cluster: a block that holds it must begin at this spine node or before, and reach this one.
  IdVector<ClusterId, std::size_t> first_end_, last_start_;
  std::vector<std::vector<NodeId>> ending_at_;  // by spine node: the nodes with that ends_at_
  // By source beside the spine: the last spine node that all who read it are below; else 0.
  IdVector<NodeId, std::size_t> read_below_;
  // By spine node: nets that come from above it, not from it, and have members below it.
  struct Crossing {
    NetId net;
    std::size_t last;  // of the spine nodes that have a member below them, or are one
  };
  std::vector<std::vector<Crossing>> crossing_;
  // By spine node: from the start of all, and to the end of all.
  std::vector<Table> enter_, leave_, after_enter_, after_leave_;
  ToCome known_;                   // nothing, or of this spine
  double no_use_ = kNever;         // on the way up: what is not below this
  std::size_t down_ = 0, up_ = 0;  // so many spine nodes have been passed, from above and from below
  std::size_t next_upper_ = 0;     // state of the module at hand
  double bound_ = 0;
};

}  // namespace partita::detail
