// SPDX-License-Identifier: Apache-2.0
// How soon can the block that holds a given node finish?
//
// Given: for each edge (p, a) a label, a lower bound on the finish of p's block in every split in which a is not in it.
// Asked: the same for a node u (and an edge out of it, whose end must stay outside). On a host u finishes when its
// inputs are there plus its time. On an accelerator it is in some block S. Let t be the largest label of an edge that
// enters S: S starts at t or later, and takes load(S), so it finishes at
//     t + load(S),  where no edge with a label above t enters S.
// So the answer is the least of t + L(t) over the labels t, where L(t) is the least load of a set S that
//  - holds u, with every cluster its whole, and with every node the producers of its edges with labels above t;
//  - is convex, lies in one pass and can run on one accelerator; does not hold the end of the given edge;
//  - is not larger than the memory.
// L falls as t rises. We go down from the largest t and stop where t's set must hold more than it can. L(t) is a
// minimum cut, for load is node times plus cut nets (submodular) and the first two kinds of conditions are implications
// between clusters. Of convexity we ask what has one end in the forced part H: between a node of S and H nothing is
// left out. Memory is used to rule out each cluster that does not fit together with H and all between.
//
// Every simplification drops conditions on S or counts less than S costs, so the result stays a lower bound. It does
// not count accelerators, so it holds for any number of them. Tests: tests/solve/latency_bound_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "partita/solve/latency/block_cut.h"
#include "partita/solve/latency/block_model.h"
#include "partita/util/time_watch.h"

namespace partita {

using EdgeLabels = IdVector<EdgeId, double>;

class BlockFinish {
 public:
  // Reversed, everything is seen with time running backwards: edges turned round, finishing is starting. Both arguments
  // must outlive it.
  BlockFinish(const BlockModel& model, const NodeReach& reach, bool reversed, double toll);

  struct Question {
    NodeId node;
    NodeId without;      // the end of an edge out of `node`, or nothing
    double at_most = 0;  // answers above it are of no interest; the time on a host, if that is possible, is one
  };
  // The least finish on an accelerator, or at_most if that is less. `levels` are the finite labels and 0, rising.
  double least(const Question& question, const EdgeLabels& labels, const std::vector<double>& levels,
               std::uint64_t& ticks);

  std::span<const BlockModel::EdgeEnd> edges_in(NodeId v) const {
    return reversed_ ? model_.edges_out(v) : model_.edges_in(v);
  }
  std::span<const BlockModel::EdgeEnd> edges_out(NodeId v) const {
    return reversed_ ? model_.edges_in(v) : model_.edges_out(v);
  }

 private:
  enum class Side : char { Open, In, Out };
  struct Cut {
    double load;
    double entering;  // the largest label of an edge into the set found
  };

  void start(NodeId node);
  bool take_in(ClusterId c);
  bool close(double t);
  void leave_out(ClusterId c);
  bool spread_out(double t);
  bool rule_out(const Question& question, double t, double room);
  bool fits(ClusterId c, double room);
  Cut least_load(double t, double room);
  void add_net(NetId e);
  void add_implications(ClusterId c, double t);
  double largest_entering(double t, bool cut_known) const;

  std::span<const Word> below(NodeId v) const { return (reversed_ ? reach_.above : reach_.below).row(v.index()); }
  std::span<const Word> above(NodeId v) const { return (reversed_ ? reach_.below : reach_.above).row(v.index()); }
  Side side(NodeId v) const { return side_[model_.cluster_of(v)]; }
  void count(std::uint64_t steps) {
    work_ += steps;
    watch_.step(steps);
  }

  const BlockModel& model_;
  const NodeReach& reach_;
  TimeWatch watch_;
  const bool reversed_;
  const double toll_;

  // The question at hand.
  const EdgeLabels* labels_ = nullptr;
  IdVector<ClusterId, Side> side_;
  std::vector<ClusterId> in_, out_;  // with those sides; of in_ the first closed_ have been looked at
  std::size_t closed_ = 0, spread_ = 0;
  double memory_ = 0, time_ = 0;           // of in_, with the toll
  std::vector<Word> above_in_, below_in_;  // the nodes above and below some node of in_
  std::vector<Word> gone_;                 // the nodes of out_
  bool backward_ = false;
  DeviceId device_;  // of in_, if it is known

  BlockCut cut_;
  std::vector<BlockCut::Vertex> ends_;
  IdVector<ClusterId, std::uint32_t> hull_stamp_;
  IdVector<NetId, std::uint32_t> net_stamp_;
  std::uint32_t stamp_ = 0, hulls_ = 0;
  std::uint64_t work_ = 0;
};

}  // namespace partita
