// SPDX-License-Identifier: Apache-2.0
// The time of one sample for a split that changes a little at a time: the longest path through its blocks.
//
// Blocks are what runs uninterrupted: on an accelerator up to q subgraphs of forward nodes and then up to q of backward
// nodes, one after the other; each host node by itself. The split is legal only if no block waits for itself.
//
// Searches ask for this hundreds of thousands of times, so little is computed anew. A move of a node updates the loads
// of the two blocks it leaves and enters, from the nets it is in, and the number of edges between each pair of
// accelerator blocks, from its own edges. What is left for measure() is a graph of the accelerator blocks and the host
// nodes: O(host nodes and their edges + pairs of blocks with an edge), however many nodes the blocks hold. Where host
// cores are limited, the schedule is played through on the same graph (core_schedule.h).
//
// Sums are updated, so after many moves they differ from the true ones by rounding; place_all() starts afresh.
// Tests: tests/solve/latency_value_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "partita/reduce/latency_instance.h"
#include "partita/solve/latency/core_schedule.h"
#include "partita/util/bit_matrix.h"

namespace partita::detail {

class LatencyValue {
 public:
  // Where a node is: slot s of accelerator a is a * slots() + s; else host(). A slot is one forward and one backward
  // subgraph. Slots run in the order of their numbers forward, and in the opposite order backward, so that the nodes of
  // a training graph that belong together may be in one slot.
  using Place = std::int32_t;

  explicit LatencyValue(const LatencyInstance& instance);

  // How many are used: as many as there are, unless that is a great many.
  int slots() const { return slots_; }
  int accelerators() const { return accelerators_; }
  Place host() const { return accelerators_ * slots_; }
  // host() / slots() for hosts.
  int accelerator(Place place) const { return place / slots_; }

  struct Measure {
    double latency = 0;       // of the blocks that could run
    double total = 0;         // all blocks' times added up
    double excess = 0;        // memory above the limits, in limits
    std::size_t waiting = 0;  // blocks that wait in a circle, or for one
  };

  // Where everything is, by node. Support and colours are the caller's to mind.
  void place_all(const IdVector<NodeId, Place>& place);
  void move(NodeId node, Place to);
  Place place(NodeId node) const { return place_[position_[node]]; }
  bool empty(Place place) const { return slot_size_[static_cast<std::size_t>(place)] == 0; }  // not a host
  double memory_used(int accelerator) const { return now_.used[static_cast<std::size_t>(accelerator)]; }
  double memory_limit(int accelerator) const { return limit_[static_cast<std::size_t>(accelerator)]; }

  const Measure& measure();
  // Moves since the last place_all, keep or take_back stay, or are undone.
  void keep();
  void take_back();

  // Steps taken so far, for whoever counts ticks.
  std::uint64_t work() const { return work_; }

  // Which of the subgraphs of its pass a node is in.
  std::uint32_t subgraph(NodeId node) const;

 private:
  using Index = std::uint32_t;
  static constexpr Index kNone = static_cast<Index>(-1);
  static constexpr int kMostBlocks = 4096, kMostSlots = 64;  // the table of edges between blocks is quadratic

  struct Node {
    double accelerator_time, host_time, memory;  // the first only where all accelerators are alike
    Index first_net, first_in, first_out;
    Index rank;  // in the input
    bool backward;
  };
  struct Sums {
    std::vector<double> load;  // by block
    std::vector<double> used;  // memory, by accelerator
    double host_time = 0;
  };

  Index block(Index v, Place place) const;
  void find_classes();
  void put(Index v, Place to);  // all but the sums
  template <bool kEqual>
  void change_loads(Index v, Index from, Index to);
  void count_edges(Index v, Index home, bool add);
  void count_edge(Index from, Index to, bool add);
  bool in_use(Index b) const { return block_size_[b] > 0; }
  // On the block's accelerator. Where all are alike, net_cost_ has the price over their link in it.
  double time(Index v, Index b) const {
    return equal_ ? nodes_[v].accelerator_time : class_time_[class_of_block_[b]][v];
  }
  const Link& link(Index b) const { return link_[class_of_block_[b]]; }
  double duration(Index unit) const { return unit < blocks_ ? now_.load[unit] : nodes_[unit - blocks_].host_time; }

  friend class CoreSchedule;  // what it asks of its units
  bool on_host(Index unit) const { return unit >= blocks_; }
  Index rank(Index unit) const { return nodes_[unit - blocks_].rank; }
  template <class Visit>
  void for_each_next(Index unit, Visit visit) const;

  void link_units();
  void run_units();

  const LatencyInstance& instance_;
  int passes_, accelerators_, slots_;
  Index blocks_;             // of accelerators; unit blocks_ + v is host node v
  const bool equal_;         // all accelerators are alike
  std::vector<Node> nodes_;  // in topological order, one more at the end
  IdVector<NodeId, Index> position_;
  std::vector<Index> nets_, net_first_, net_members_;
  std::vector<double> net_cost_;
  std::vector<Index> in_, out_, in_owner_;  // neighbours; in_owner_: whose entry of in_ it is

  std::vector<double> limit_;  // memory, by accelerator
  // Unless all are alike.
  std::vector<Index> class_of_block_;
  std::vector<std::vector<double>> class_time_;  // by class, then in topological order
  std::vector<Link> link_;                       // by class

  std::vector<Place> place_;
  std::vector<Index> block_of_;  // blocks_ on hosts
  std::vector<Index> block_size_, slot_size_;
  std::vector<Index> hosts_, host_at_;  // nodes on hosts, and where in that list each one is
  std::vector<Index> edges_;            // between blocks, from * blocks_ + to
  BitMatrix followers_;                 // by block: the blocks it has edges to
  Sums now_, kept_;
  std::vector<std::pair<Index, Place>> moved_;  // and where from

  std::uint64_t work_ = 0;
  CoreSchedule cores_;
  Measure measured_;
  std::vector<Index> waits_for_;            // by unit
  std::vector<double> ready_;               // by unit
  std::vector<Index> run_;                  // units in the order in which they ran
  std::vector<Index> chain_;                // by block: the next one of its accelerator
  std::vector<Index> host_out_, next_out_;  // by block and by entry of in_: edges to host nodes as linked lists
};

}  // namespace partita::detail
