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
// minimum cut (partial_block.h). Memory is used to rule out each cluster that does not fit together with the forced
// part and all between.
//
// Every simplification drops conditions on S or counts less than S costs, so the result stays a lower bound. It does
// not count accelerators, so it holds for any number of them. Tests: tests/solve/latency_bound_test.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "partita/solve/latency/partial_block.h"

namespace partita::detail {

// An edge into a block, seen in the direction of time.
struct EnteringEdge {
  EdgeId edge;
  NodeId producer, consumer;
  double label = 0;
};
class PairTimes;
struct KnownPairTimes;

class BlockFinish {
 public:
  // Reversed, everything is seen with time running backwards: edges turned round, finishing is starting. A block costs
  // the toll besides its load. Model and reach must outlive it.
  BlockFinish(const BlockModel& model, const NodeReach& reach, bool reversed, double toll);
  BlockFinish(BlockFinish&&) noexcept;
  ~BlockFinish();

  // From now on also minds which edges cannot all enter a block so soon (pair_times.h): slower, and better, so the
  // threads of the model's budget share what it asks. Both must outlive it. The model must have no more than one class
  // of accelerators.
  void look_at_pairs(const NodeReach& reach, KnownPairTimes& known);

  struct Question {
    NodeId node;
    NodeId without;      // a node below `node`, or nothing
    double at_most = 0;  // answers above it are of no interest; the time on a host, if that is possible, is one
    // Nodes that are in the block, too, all of them above `without`; and nodes that are not.
    std::span<const NodeId> also = {}, left_out = {};
  };
  // From now on, the nodes of the set that gave an answer go there, if one did. For starts of searches.
  void record(std::vector<NodeId>* set) { recorded_ = set; }

  // The least finish on an accelerator, or at_most if that is less. `levels` are the finite labels and 0, rising.
  double least(const Question& question, const EdgeLabels& labels, const std::vector<double>& levels,
               std::uint64_t& ticks);

  // The same step by step, for several threads: sets that are entered at levels[level] or later have been looked at;
  // what is entered before has at least this load.
  struct Walk {
    double best;
    std::size_t level;
    double load = 0;
  };
  static Walk begin_walk(const Question& question, const std::vector<double>& levels);
  // On to sets that are entered at levels[last] or later, in so many steps at most. Where nothing is left before, the
  // walk is at level 0.
  void go_on(Walk& walk, std::size_t last, std::size_t most_steps, const Question& question, const EdgeLabels& labels,
             const std::vector<double>& levels, std::uint64_t& ticks);

  PartialBlock::EdgeEnds edges_in(NodeId v) const { return block_.edges_in(v); }
  PartialBlock::EdgeEnds edges_out(NodeId v) const { return block_.edges_out(v); }

 private:
  using Side = PartialBlock::Side;

  bool begin(const Question& question, std::span<const NodeId> more = {});
  // Nodes that are in, and nodes that are out, besides those of the question.
  struct Case {
    std::vector<NodeId> in, out;
  };
  // What is asked of sets that are entered at `from` or later, but not after t.
  struct AskedAt {
    const Question& question;
    double from, t;
    const EdgeLabels& labels;
    const std::vector<double>& levels;
  };
  double least_at(const AskedAt& asked, double at_most, std::uint64_t& ticks);
  std::vector<Case> divide(const Case& now, const AskedAt& asked, bool by_edges, double& best, std::uint64_t& ticks);
  std::size_t threads() const;
  template <class Work>
  void share(std::size_t count, std::uint64_t& ticks, const Work& work);
  std::vector<EnteringEdge> latest_entering(const EdgeLabels& labels) const;
  // Edges whose producers are not all done before `start`, or none.
  struct Late {
    double start;
    std::vector<EnteringEdge> edges;
  };
  Late latest_together(const std::vector<EnteringEdge>& entering, const AskedAt& asked, double enough, double at_most,
                       std::uint64_t& ticks);
  void ask_all_pairs(const std::vector<EnteringEdge>& entering, const AskedAt& asked, double at_most,
                     std::uint64_t& ticks);
  void lower(double& best, double found);
  bool rule_out(const Question& question, double room);
  bool fits(ClusterId c, double room);
  double largest_entering(const EdgeLabels& labels) const;

  const BlockModel& model_;
  const NodeReach& reach_;
  const bool reversed_;
  const double toll_;
  PartialBlock block_;
  std::unique_ptr<PairTimes> pairs_;
  KnownPairTimes* known_ = nullptr;  // by pairs_
  std::vector<NodeId>* recorded_ = nullptr;
};

}  // namespace partita::detail
