// SPDX-License-Identifier: Apache-2.0
// How large a trellis gets that takes the groups in some order, and moves that make it smaller.
//
// How an open net stands (all in, all out, mixed) depends on its decided members alone. So nets with the same decided
// members stand alike, and are one *kind*: a hub that is decided before its branches opens a net to each of them, and
// all of these together are in or out. The estimate is the sum over places of kGrowth to the power of the kinds open
// there. [dlrm-training, 137 groups, limit 0.57: with every net counted by itself, hubs come last, and a run of the
// trellis has some twenty times as many labels.]
//
// What is open at a place depends on which groups come before it, not on their order. So a move of a few groups changes
// the estimate only between where they were and where they go, and only that is looked at.
// Tests: tests/solve/free_orders_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "partita/reduce/net_graph.h"

namespace partita::detail {

class OrderEstimate {
 public:
  // The graph must outlive it.
  explicit OrderEstimate(const NetGraph& graph);

  // Takes the order, and tells its estimate. O(pins).
  double take(std::vector<GroupId> order);

  const std::vector<GroupId>& order() const { return order_; }
  double states() const;

  // Some neighbours in the order, and the place at which they are put after they were taken out.
  struct Move {
    std::size_t from = 0, length = 1, to = 0;
    bool reversed = false;
  };
  // Makes the move unless the estimate would grow. Returns how many groups and nets it looked at.
  std::size_t try_move(const Move& move);

 private:
  struct OpenNet {
    std::uint64_t marks = 0;  // of its decided members, all in one
    std::size_t left = 0;     // members to be decided
  };
  struct Kind {
    std::uint64_t marks = 0;
    std::uint32_t nets = 0;  // open ones
    std::uint32_t run = 0;   // an entry of an earlier one is none
  };

  Kind& kind_of(std::uint64_t marks);
  void begin_at(std::size_t place);
  void decide(GroupId v);
  double states_here() const { return power_[kinds_]; }
  void settle(std::size_t first, std::size_t last);

  const NetGraph& graph_;
  IdVector<GroupId, std::uint64_t> mark_of_;
  std::vector<double> power_;  // kGrowth to the power of a number of kinds

  std::vector<GroupId> order_;
  IdVector<GroupId, std::size_t> place_of_;
  IdVector<NetId, std::size_t> first_, last_;  // places of members
  std::vector<double> states_;                 // by place, after its group

  // While groups are decided one by one:
  IdVector<NetId, OpenNet> nets_;
  std::vector<Kind> table_;
  std::uint32_t run_ = 0;
  std::size_t kinds_ = 0;
  std::vector<GroupId> moved_;  // scratch: the groups between the two ends of a move, in their new order
  std::vector<double> moved_states_;
};

}  // namespace partita::detail
