// SPDX-License-Identifier: Apache-2.0
// How soon a block of an accelerator that holds a given node can finish, at least, in every split within the limit of a
// claim about latency.
//
// Given is a label for each edge (p, a): a time before which p's block does not finish if a is not in it. Let S be the
// block that holds u, and not w, a node right after u, and let t be the largest label of an edge that enters S, or 0.
// Then S starts at t or later and finishes at t + load(S) or later, and every edge into S with a label above t has its
// producer in S as well. So with L(t) at most the load of every such set, S finishes at the least t + L(t), over all
// labels t and 0, or later.
//
// L(t) is a minimum cut between what is surely in S and what is surely not.
//  - In: u with its cluster (joined_nodes.h); producers of edges labelled above t; all that lies on paths between nodes
//    that are in, for blocks are convex: of two blocks that wait for each other, neither could start.
//  - Out: w and all below it, for a path from u to there leads through w; other passes; what the class cannot hold;
//    then whatever demands something that is out; and what with all between it and what is in needs more memory than
//    there is, or more time than `room`, for sets that take as long as that are not asked about.
//  - Open clusters are vertices. A transfer with members on both sides is paid for; a node demands the producers of its
//    edges labelled above t, and the next nodes on its paths to what is in.
// If what must be in S cannot be, there is no such set for t, nor for any lower one, which demands more.
//
// L(t) does not fall as t falls. So if t + L(t) is enough, then so is every t' + L(t') with t' >= enough - L(t); the
// next label to look at is the one below that.
//
// All of it holds with time running backwards: edges turned round, finishing is starting, and so is done for that.
// Every capacity is a whole number, and flows end at a limit far below 2^53, so that doubles hold them exactly.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "partita/check/joined_nodes.h"
#include "partita/util/max_flow.h"

namespace partita::detail {

class EarliestFinish {
 public:
  using Int = LatencyClaim::Int;
  // Seen with time running backwards if `reversed`. All must outlive the answer.
  struct View {
    const std::vector<Int>& labels;  // by edge
    const std::vector<Int>& levels;  // 0 and all labels that are not of joined nodes, rising, each once
    Int toll = 0;                    // that each block takes besides its load
    bool reversed = false;
  };

  // Both must outlive it. The clusters may change between questions.
  EarliestFinish(const LatencyClaim& claim, const JoinedNodes& joined) : claim_(claim), joined_(joined) {}

  // Of the block of the node, on an accelerator, if `without`, a node right after it, is not in that. At most `enough`.
  Int least(const View& view, std::size_t node, std::optional<std::size_t> without, Int enough);

 private:
  enum class Side : char { Open, In, Out };
  struct Cut {
    Int load = 0;
    bool complete = false;  // the block that is_inside() gives has that load
  };

  Int on_class(std::size_t node, std::optional<std::size_t> without, Int enough);
  void begin();
  bool may_hold(std::size_t cluster) const;
  bool take_in(std::size_t cluster);
  bool close(std::size_t node, Int t);
  bool leave_out(std::size_t cluster);
  bool spread_out(Int t);
  bool rule_out(std::optional<std::size_t> without, Int t, Int room);
  bool fits(std::size_t cluster, Int room);
  Cut least_load(Int t, Int room);
  void add_transfer(std::size_t e);
  void add_demands(std::size_t cluster, Int t);
  std::size_t vertex(std::size_t cluster);
  Int largest_entering() const;

  bool demanded(std::size_t e, Int t) const;
  const std::vector<std::size_t>& edges_before(std::size_t v) const;
  const std::vector<std::size_t>& edges_behind(std::size_t v) const;
  std::size_t before(std::size_t e) const { return view_->reversed ? claim_.edges[e].to : claim_.edges[e].from; }
  std::size_t behind(std::size_t e) const { return view_->reversed ? claim_.edges[e].from : claim_.edges[e].to; }
  std::span<const Word> above(std::size_t v) const { return (view_->reversed ? claim_.below : claim_.above).row(v); }
  std::span<const Word> below(std::size_t v) const { return (view_->reversed ? claim_.above : claim_.below).row(v); }

  const LatencyClaim& claim_;
  const JoinedNodes& joined_;
  // Of the question at hand.
  const View* view_ = nullptr;
  std::size_t class_ = 0;
  bool backward_ = false;
  std::vector<Side> side_;  // by cluster
  std::vector<char> held_;  // likewise: it may be in such a block
  std::vector<std::size_t> in_, out_;
  std::size_t spread_ = 0;                 // of out_, so many have been looked at
  std::vector<Word> above_in_, below_in_;  // nodes with a path to what is in, and from it
  std::vector<char> has_memory_;           // by group: it is in
  Int memory_ = 0, time_ = 0;              // of what is in
  // Of the cut.
  struct Arc {
    std::size_t from, to;
    double capacity;
  };
  MaxFlow flow_;
  std::vector<Arc> arcs_;
  std::vector<std::size_t> vertex_of_, open_;  // by cluster, 0 for none; clusters with vertices
  std::vector<char> transfer_seen_;
  std::vector<std::size_t> hull_stamp_, group_stamp_, seen_transfers_;
  std::size_t vertices_ = 0, stamp_ = 0;
  Int sure_ = 0;  // cost of transfers that are surely cut
};

}  // namespace partita::detail
