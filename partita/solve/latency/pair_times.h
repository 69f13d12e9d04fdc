// SPDX-License-Identifier: Apache-2.0
// When can the producers of two edges both be done?
//
// A label (block_finish.h) is about one edge. Where several edges enter a block S, each has a label that some block of
// its own would meet, and these may be different blocks that cannot all be there: of the three inputs of an attention
// layer, say, each alone leaves its producer's block with one output to pay for, and all of them together with three.
//
// Take two edges (p, a) and (q, b) that enter one block S, so that a and b are in S, and p and q are not.
// Claim. p's block and q's block are not both done before the least of
//   together:  the least finish of a block that holds p and q and neither a nor b;
//   apart:     the lesser of: the least finish of p's block if it holds neither a nor q nor c, and the least finish of
//              q's block if it holds neither b nor p nor c. c is any node; if it is p, only the second counts, if it is
//              q, only the first.
// Proof. S is neither of their blocks. If they are one block, that is the first case. If not, at most one of the two
// holds c, and the other finishes no sooner than said; with c = p, it is p's block that holds it. ∎
// A good c is the last node that both come after: whoever has it need not wait for it, and the other one must.
//
// So S starts at that time or later. BlockFinish uses it where a cheapest set that starts at t is entered by two edges
// that are not both there at t: either S starts later, or it is not entered by both, and then it holds one of the
// producers, or lacks one of the consumers. All of these cases are looked at, and the least of them counts. Tests:
// tests/solve/latency_bound_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "partita/solve/latency/block_finish.h"

namespace partita::detail {

class PairTimes {
 public:
  // As BlockFinish. The model must have one class of accelerators alone: the two may be on any.
  PairTimes(const BlockModel& model, const NodeReach& reach, bool reversed, double toll);

  // The producers of two edges into one block are not both done before this, or `at_most`. Labels must not fall between
  // calls.
  double both(const EnteringEdge& one, const EnteringEdge& other, const EdgeLabels& labels,
              const std::vector<double>& levels, double at_most, std::uint64_t& ticks);

 private:
  double find(const EnteringEdge& one, const EnteringEdge& other, const EdgeLabels& labels,
              const std::vector<double>& levels, double at_most, std::uint64_t& ticks);
  double apart(const EnteringEdge& from, NodeId other, NodeId shared, const EdgeLabels& labels,
               const std::vector<double>& levels, double at_most, std::uint64_t& ticks);
  NodeId last_before_both(NodeId p, NodeId q) const;

  struct Known {
    double time, asked_up_to;
  };
  const BlockModel& model_;
  const NodeReach& reach_;
  const bool reversed_;
  BlockFinish finish_;
  IdVector<NodeId, std::size_t> turn_;  // by node: its place in the topological order, seen in the direction of time
  std::map<std::pair<EdgeId, EdgeId>, Known> known_;
};

}  // namespace partita::detail
