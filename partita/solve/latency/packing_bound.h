// SPDX-License-Identifier: Apache-2.0
// A bound for wide graphs: more branches than blocks, so some block has several of them.
//
// Take a node c and N *items*, clusters (block_model.h) of its pass that have a node above c and are on accelerators in
// every split that is still looked for. Let B be the block of c. There are at most b blocks of one pass, the number of
// accelerators times the subgraphs in one.
//
// Claim. Let after(a) be at most the time from the start of B to the end, if B holds exactly a items, and before(m) at
// most the finish of any block that holds at least m items and not c, before(0) = 0. Then no split that is looked for
// takes less than the least of
//     after(a) + before(ceil((N - a) / (b - 1)))       for every number a of items that an accelerator has room for,
//     after on a host + before(ceil(N / b))            if c may be on a host.
// Proof. Let a be the number of items in B. From every other item a path leads to c, so its block, which is not B,
// finishes before B starts. These blocks are of c's pass, and without B they are at most b - 1 (b, if B is the one node
// of a host), so one of them holds as many as said.
//
// before(m) is the least over all sets of m items of how soon a block with these can finish (block_finish.h); a set of
// fewer items is a bound for all that contain it, so many are never looked at. after(a) is the same with time turned
// round and with all other items left out, which is how memory counts: a minimum cut would take in every item that fits
// alone. Where there are too many sets, before(m - 1) stands in for before(m), which is no less, and for after(a) the
// least time of any block that holds c.
//
// What lies between an item and c is in that block, or in B, or takes time between them. So choose a node between each
// item and c, the *middle* of its branch. The block P that holds m items holds all their middles as well; or one of these
// is in B, and its item is not; or it is in neither, and then its block begins after P and is done before B begins. The
// least of the three is added up, instead of the sum above.
//
// Everything also holds with time turned round: items below c. Items are an antichain of what weighs most, in memory and
// in time; any choice of items and of c gives a valid bound. Tests: tests/solve/packing_bound_test.cpp.
#pragma once

#include <optional>
#include <vector>

#include "partita/solve/latency/block_finish.h"
#include "partita/util/budget.h"

namespace partita::detail {

class PackingBound {
 public:
  // Labels forward and reversed, and a limit on the latency, for splits below which they hold. All but the limit must
  // outlive it.
  PackingBound(const BlockModel& model, const NodeReach& reach, const EdgeLabels (&labels)[2], double limit);

  // Works until the slice ends or nothing is left to try; true then. Overruns the slice by at most one node c.
  bool advance(Budget& slice);
  // No split below the limit takes less; infinite if there is none.
  double bound() const { return bound_; }

 private:
  struct Place {
    NodeId c;
    bool reversed = false;  // items are below it
    std::vector<NodeId> items;
    // Of their branches, between them and c, or the item itself; empty if they are not looked at.
    std::vector<NodeId> middles;
  };
  // How soon blocks with so many items finish, seen in one direction of time.
  class Counts;

  std::vector<double> levels_of(const EdgeLabels& labels) const;
  std::vector<NodeId> heavy_nodes() const;
  void find_places();
  double bound_at(const Place& place, std::uint64_t& ticks);
  NodeId middle_of_branch(const Place& place, NodeId item) const;
  double least_middle(const Place& place, std::uint64_t& ticks) const;
  double on_host(const Place& place) const;
  std::size_t most_items_with(const Place& place) const;

  const BlockModel& model_;
  const NodeReach& reach_;
  const EdgeLabels (&labels_)[2];
  const double limit_;
  const std::size_t most_blocks_;  // of one pass
  std::vector<double> levels_[2];
  std::vector<Place> places_;
  std::optional<std::size_t> next_;  // of the places, once they are known
  double bound_ = 0;
};

}  // namespace partita::detail
