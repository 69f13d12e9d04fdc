// SPDX-License-Identifier: Apache-2.0
// Labels of all edges, and from them a bound on the latency: one sweep over the nodes in topological order.
//
// The label of an edge (u, w) is a lower bound on the finish of u's block in every split in which w is not in that
// block (block_finish.h). A node without edges out of it has one for every split; the largest of those bounds the
// latency. Reversed, labels bound the time from the start of w's block to the end, if u is not in it.
//
// With a limit, only splits with a lower latency are considered. If an edge is cut, its two labels add up to no more
// than the latency; so where they reach the limit it cannot be cut, and its label is infinite. A node is not on a host
// if the labels around it leave no time. With a toll, all of this is said of the latency plus one toll for each block
// of an accelerator on the path that takes longest, and the limit is a limit on that.
//
// Several threads label nodes that lie on no common path at once (label_rounds.h), and as these are few, they also
// share the levels of one label. Labels that these have found are known from the next round on, so a label may be a
// little lower than one thread finds it, as it does not know of all labels beside it. Tests:
// tests/solve/latency_bound_test.cpp, latency_threads_test.cpp.
#pragma once

#include <memory>
#include <vector>

#include "partita/solve/latency/block_finish.h"
#include "partita/solve/latency/pair_times.h"
#include "partita/util/budget.h"

namespace partita::detail {

class LatencyLabels {
 public:
  // With a limit, labels may be infinite, for splits below it. `pairs`: also look at edges two by two (pair_times.h),
  // where there is one class of accelerators.
  struct Way {
    double limit;
    double toll = 0;
    bool pairs = false;
  };

  // Model, reach and `other` must outlive the sweep. `labels` are valid ones from an earlier sweep in the same
  // direction, or all 0; `other` those of the opposite direction, or all 0.
  LatencyLabels(const BlockModel& model, const NodeReach& reach, bool reversed, EdgeLabels labels,
                const EdgeLabels& other, const Way& way);

  // Works until the slice ends or the sweep does; true once it has. Overruns the slice by at most one node, or one for
  // each thread.
  bool advance(Budget& slice);

  const EdgeLabels& labels() const { return labels_; }
  // A lower bound on the latency; infinite if there is no split, or none below the limit.
  double bound() const { return bound_; }

 private:
  // What a thread needs for itself.
  using Finish = std::vector<BlockFinish>;  // by class of accelerators
  Finish make_finish();
  // What a label answers.
  struct Asked {
    EdgeId edge;
    double no_use;  // answers from here on: the edge is cut in no split below the limit
    BlockFinish::Question question;
    double answer(double least) const;
  };
  std::vector<Asked> asked_about(NodeId u) const;
  void label_alone(NodeId u, Budget& slice);
  void label_together(const std::vector<NodeId>& round, Budget& slice);
  void raise(EdgeId e, double value);

  const BlockModel& model_;
  const NodeReach& reach_;
  const bool reversed_;
  const Way way_;
  EdgeLabels labels_;
  const EdgeLabels& other_;
  std::vector<double> levels_;  // the finite labels and 0, rising
  KnownPairTimes known_;
  std::vector<std::unique_ptr<Finish>> finish_;  // by slot of the threads
  std::vector<std::vector<NodeId>> rounds_;      // where threads share them
  std::size_t next_ = 0;                         // of the rounds, or of the nodes in their order
  std::uint64_t ticks_of_round_ = 0;             // of the last one
  double bound_ = 0;
};

// Of labels in both directions, forward ones first: the least time that passes before and after node v, if the edges
// around it are cut.
double time_around(const BlockModel& model, const EdgeLabels (&labels)[2], NodeId v);
// Joins the ends of edges that are cut in no split below the limit. True if that is new. Throws OutOfTime.
bool join_ends(const BlockModel& model, const EdgeLabels (&labels)[2], double limit, LatencyFacts& facts);

}  // namespace partita::detail
