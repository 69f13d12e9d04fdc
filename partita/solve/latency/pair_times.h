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
// So S starts at that time or later. BlockFinish uses it where a cheapest set is entered by two edges that are not both
// there so soon: either S starts later, or it is not entered by both, and then it holds one of the producers, or lacks
// one of the consumers. All of these cases are looked at, and the least of them counts.
//
// **Several edges.** Three branches may fit into one block two by two, and not all together. Take edges (pi, ai) into S
// with different producers, and a node c above all of them. Let l be the least load of a block that holds some pi, and
// neither ai nor c, or the time of a pi on a host.
// Claim. They are not all done before the least of
//   together: the least finish of a block that holds all pi and no ai;
//   behind:   l plus the least finish of a block that holds c and some pi, and no ai;
//   shared:   the least finish of a block that holds two of the pi, and neither c nor an ai (for three edges or more);
//   a row:    l plus the least finish of a block that holds some pi, and neither ai nor c;
//   a fan:    the largest, over i, of the least finish of pi's block without ai and c, and a toll for each other
//             producer that is on no host.
// Proof. If all are in one block, that is the first case. Else, if one is in the block of c, some other is not, and its
// block comes after that of c, for a path leads there: the second. Else no block of a pi holds c. If two share one, that
// is the third. If not, and one of these blocks is an ancestor of another, this other starts when it is done: the
// fourth. If none is an ancestor of another, each of them is done at the time of the fifth case without tolls, at the
// soonest, and the others are not among its ancestors. ∎
// A block that holds pi and not ai also finishes no sooner than the label of this edge says. That counts wherever a case
// is about such a block: labels know of what comes before it in pairs, and the questions asked here do not.
//
// **Tolls** are paid for all blocks of accelerators before S, not only for those on one path: with a toll x, a label is at
// most the finish of p's block plus x for this block and for each of its ancestors. That is what the sweeps say, for a
// block has all ancestors of those before it and these as well, so it adds its own toll and its load; and the fan adds
// the blocks beside. An edge that is cut has its producer's block with all ancestors on one side and its consumer's with
// all descendants on the other, so labels of both directions still add up to no more than the latency and x for each
// block there is. (The operators of BERT with 12 layers and a tenth of the transfer costs: a fan over three accelerators
// is cheaper than a cut at one narrow node, four times. There are accelerators for one.)
// Tests: tests/solve/pair_times_test.cpp, which looks at each label by itself.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "partita/solve/latency/block_finish.h"

namespace partita::detail {

// What was found so far, by edges. Several threads may share it.
template <class Edges>
class KnownTimes {
 public:
  // Nothing if it was not asked for, or only up to less than this.
  std::optional<double> find(const Edges& edges, double at_most) const {
    const std::lock_guard lock(mutex_);
    const auto at = known_.find(edges);
    if (at == known_.end()) return std::nullopt;
    const auto [time, asked_up_to] = at->second;
    if (asked_up_to < at_most && time >= asked_up_to) return std::nullopt;
    return time;
  }
  void add(const Edges& edges, double time, double asked_up_to) {
    const std::lock_guard lock(mutex_);
    known_[edges] = {time, asked_up_to};
  }

 private:
  struct Known {
    double time, asked_up_to;
  };
  mutable std::mutex mutex_;
  std::map<Edges, Known> known_;
};
// Those that no thread works with at the moment.
class SpareFinishes {
 public:
  // work(finish) with one of them, or with a new one.
  template <class Make, class Work>
  void lend(const Make& make, const Work& work) {
    std::unique_ptr<BlockFinish> one = take();
    if (!one) one = make();
    work(*one);
    const std::lock_guard lock(mutex_);
    spare_.push_back(std::move(one));
  }

 private:
  std::unique_ptr<BlockFinish> take() {
    const std::lock_guard lock(mutex_);
    if (spare_.empty()) return nullptr;
    std::unique_ptr<BlockFinish> one = std::move(spare_.back());
    spare_.pop_back();
    return one;
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<BlockFinish>> spare_;
};
struct KnownPairTimes {
  KnownTimes<std::pair<EdgeId, EdgeId>> pairs;
  KnownTimes<std::vector<EdgeId>> groups;  // of two or more
  SpareFinishes with_pairs, plain;         // of the same model, direction and toll
};

class PairTimes {
 public:
  // As BlockFinish. The model must have one class of accelerators alone: the two may be on any. What is known must be
  // of this model, direction and toll, and outlive it.
  PairTimes(const BlockModel& model, const NodeReach& reach, bool reversed, double toll, KnownPairTimes& known);

  // The producers of two edges into one block are not both done before this, or `at_most`. Labels must not fall between
  // calls.
  double both(const EnteringEdge& one, const EnteringEdge& other, const EdgeLabels& labels,
              const std::vector<double>& levels, double at_most, std::uint64_t& ticks);
  // The same for two or more, of different producers: dearer, and mostly later.
  double all(const std::vector<EnteringEdge>& edges, const EdgeLabels& labels, const std::vector<double>& levels,
             double at_most, std::uint64_t& ticks);

 private:
  double find(const EnteringEdge& one, const EnteringEdge& other, const EdgeLabels& labels,
              const std::vector<double>& levels, double at_most, std::uint64_t& ticks);
  double apart(const EnteringEdge& from, NodeId other, NodeId shared, const EdgeLabels& labels,
               const std::vector<double>& levels, double at_most, std::uint64_t& ticks);
  double find_all(const std::vector<EnteringEdge>& edges, const EdgeLabels& labels, const std::vector<double>& levels,
                  double at_most, std::uint64_t& ticks);
  double shortest_block(const std::vector<EnteringEdge>& edges, NodeId c, double at_most, std::uint64_t& ticks);
  double least(const BlockFinish::Question& question, const EdgeLabels& labels, const std::vector<double>& levels,
               std::uint64_t& ticks);
  NodeId last_before(std::span<const NodeId> producers) const;

  const BlockModel& model_;
  const NodeReach& reach_;
  const bool reversed_;
  const double toll_;
  BlockFinish finish_;
  const EdgeLabels none_;  // all 0: what finishes is then what a block takes
  const std::vector<double> zero_ = {0};
  IdVector<NodeId, std::size_t> turn_;  // by node: its place in the topological order, seen in the direction of time
  KnownPairTimes& known_;
};

}  // namespace partita::detail
