// SPDX-License-Identifier: Apache-2.0
// A block of an accelerator of which some is known: clusters that are in, clusters that are out, and open ones.
//
// What follows from that is taken in or left out as well: nothing between two nodes of the block is outside (it is
// convex), a block is in one pass and on one accelerator, and whoever holds the end of an edge that is demanded holds
// its producer. The cheapest way to decide the open clusters is a minimum cut (block_cut.h), for load is node times
// plus cut nets (submodular), and the conditions are implications between clusters. Of convexity the cut knows what has
// one end in the forced part.
//
// Not all of a block's load need count. Seen from a node inside, the border, a block has a part above it and a part
// below it. The parts of one border, or of two borders of which the lower one is used for the part below, have no node
// and no net in common, so their loads may be added up:
//  - above: nodes not at or below the border; nets whose producer is one of these, without members below the border,
//    but with those at or below a node *beyond* it that is surely not in the block, for then they are not either;
//  - below: nodes below the border; nets whose producer is at the border or below it.
// The memory of nodes that are in one block always is counted whole, at the last of them: sources that belong to
// something are no place to count it.
//
// BlockFinish asks for whole blocks with edges demanded, BlockLoad for parts within limits of memory.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "partita/reduce/never.h"
#include "partita/solve/latency/block_cut.h"
#include "partita/solve/latency/block_model.h"
#include "partita/util/time_watch.h"

namespace partita::detail {

using EdgeLabels = IdVector<EdgeId, double>;

class PartialBlock {
 public:
  enum class Part { Whole, Above, Below };
  enum class Side : char { Open, In, Out };
  struct Cut {
    double load;
    bool complete;  // is_inside() says which block that is
  };

  // Reversed, everything is seen with time running backwards: edges turned round. Both must outlive it.
  PartialBlock(const BlockModel& model, const NodeReach& reach, bool reversed);

  // All open. `time` is what counts besides the load. `beyond`, if it is valid, is below the border.
  void begin(Part part, NodeId border, bool backward, double time, NodeId beyond = NodeId());
  // Demands the producers of edges with labels above this. Nothing is out any more. The labels must outlive the work.
  void demand_edges(const EdgeLabels& labels, double above);
  // Into the forced part. False if it cannot be in this block, or would be too large.
  bool take_in(ClusterId c);
  // Takes in what the forced part demands. False if it cannot.
  bool close();
  void leave_out(ClusterId c);
  // After close(): leaves out what would demand something that is out. False if the forced part would.
  bool spread_out();

  // After close(): visit(x) for c and each open cluster between c and the forced part, until it returns false. False
  // then, or if something between is out.
  template <class Visit>
  bool for_each_taken_with(ClusterId c, const Visit& visit);
  // The least load of what counts, the time of begin() with it. Exact if it is below `room`.
  Cut least_load(double room = kNever);
  bool is_inside(ClusterId c) const { return side_[c] == Side::In || cut_.is_inside(c); }
  template <class Visit>  // the clusters of the block that least_load() found
  void for_each_inside(const Visit& visit) const;

  Side side(ClusterId c) const { return side_[c]; }
  Side side(NodeId v) const { return side_[model_.cluster_of(v)]; }
  bool may_run(ClusterId c) const { return model_.cluster(c).may_run(backward_, device_); }
  const std::vector<ClusterId>& forced() const { return in_; }
  double memory() const { return memory_; }  // of what counts of the forced part
  double time() const { return time_; }
  double memory_of(ClusterId c) const { return counts(model_.cluster(c).last) ? model_.cluster(c).memory : 0; }
  double time_of(ClusterId c) const;
  bool net_counts(NetId e) const;

  using EdgeEnds = std::span<const BlockModel::EdgeEnd>;
  EdgeEnds edges_in(NodeId v) const { return reversed_ ? model_.edges_out(v) : model_.edges_in(v); }
  EdgeEnds edges_out(NodeId v) const { return reversed_ ? model_.edges_in(v) : model_.edges_out(v); }
  std::span<const Word> below(NodeId v) const { return (reversed_ ? reach_.above : reach_.below).row(v.index()); }
  std::span<const Word> above(NodeId v) const { return (reversed_ ? reach_.below : reach_.above).row(v.index()); }

  void count(std::uint64_t steps) {
    work_ += steps;
    watch_.step(steps);
  }
  std::uint64_t work() const { return work_; }  // so far, in steps

 private:
  bool counts(NodeId v) const;
  bool demanded(EdgeId e) const { return labels_ != nullptr && (*labels_)[e] > demanded_above_; }
  void add_net(NetId e);
  void add_implications(ClusterId c);

  const BlockModel& model_;
  const NodeReach& reach_;
  const bool reversed_;
  TimeWatch watch_;
  std::uint64_t work_ = 0;

  Part part_ = Part::Whole;
  NodeId border_, beyond_;
  const EdgeLabels* labels_ = nullptr;
  double demanded_above_ = 0;
  IdVector<ClusterId, Side> side_;
  std::vector<ClusterId> in_, out_;  // with those sides; of out_ the first spread_ have been looked at
  std::size_t spread_ = 0;
  std::vector<Word> above_in_, below_in_;  // the nodes above and below some node of in_
  std::vector<Word> gone_;                 // the nodes of out_
  bool backward_ = false;
  DeviceId device_;  // of in_, if it is known
  double memory_ = 0, time_ = 0;

  BlockCut cut_;
  std::vector<BlockCut::Vertex> ends_;
  IdVector<ClusterId, std::uint32_t> hull_stamp_;
  IdVector<NetId, std::uint32_t> net_stamp_;
  std::uint32_t stamp_ = 0, hulls_ = 0;
};

// visit(node) for each bit of the words that word(w) gives, until it returns false; false then.
template <class WordAt, class Visit>
bool all_nodes(std::size_t words, const WordAt& word, const Visit& visit) {
  for (std::size_t w = 0; w < words; ++w) {
    for (Word rest = word(w); rest != 0; rest &= rest - 1) {
      if (!visit(NodeId(w * kWordBits + static_cast<std::size_t>(std::countr_zero(rest))))) return false;
    }
  }
  return true;
}

template <class Visit>
bool PartialBlock::for_each_taken_with(ClusterId c, const Visit& visit) {
  if (!visit(c)) return false;
  hull_stamp_[c] = ++hulls_;
  const auto take_between = [&](std::span<const Word> row, const std::vector<Word>& toward) {
    count(row.size() / 4);
    return all_nodes(
        row.size(), [&](std::size_t w) { return row[w] & toward[w]; },
        [&](NodeId v) {
          const ClusterId x = model_.cluster_of(v);
          if (side_[x] == Side::In || hull_stamp_[x] == hulls_) return true;
          hull_stamp_[x] = hulls_;
          count(1);
          return side_[x] != Side::Out && visit(x);
        });
  };
  for (NodeId v : model_.nodes(c)) {
    if (test_bit(above_in_, v.index()) && !take_between(below(v), above_in_)) return false;
    if (test_bit(below_in_, v.index()) && !take_between(above(v), below_in_)) return false;
  }
  return true;
}

template <class Visit>
void PartialBlock::for_each_inside(const Visit& visit) const {
  for (ClusterId c : in_) visit(c);
  for (ClusterId c : cut_.open()) {
    if (cut_.is_inside(c)) visit(c);
  }
}

}  // namespace partita::detail
