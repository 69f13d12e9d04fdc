// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/block_load.h"

#include <algorithm>

#include "partita/reduce/never.h"

namespace partita::detail {
namespace {}  // namespace

BlockLoad::BlockLoad(const BlockModel& model, const NodeReach& reach)
    : model_(model),
      block_(model, reach, false),
      seen_(model.cluster_count(), 0),
      net_seen_(model.instance().net_cost.size(), 0) {}

bool BlockLoad::begin(Part part, NodeId border, const std::vector<NodeId>& inside, const std::vector<NodeId>& outside,
                      NodeId beyond) {
  block_.begin(part, border, model_.instance().nodes[inside[0]].backward, 0, beyond);
  block_.count(model_.cluster_count() / 16 + 16);
  candidates_.clear();
  ruled_out_ = 0;
  last_ = 0;
  known_ = false;
  for (NodeId v : inside) {
    if (!block_.take_in(model_.cluster_of(v))) return false;
  }
  if (!block_.close()) return false;
  for (NodeId v : outside) {
    if (block_.side(v) == PartialBlock::Side::In) return false;
    block_.leave_out(model_.cluster_of(v));
  }
  if (!block_.spread_out()) return false;
  find_candidates();
  return true;
}

// The memory of the part, if the block takes c in with all between; infinite if it cannot.
double BlockLoad::memory_with(ClusterId c) {
  double memory = block_.memory();
  const auto add = [&](ClusterId x) {
    memory += block_.memory_of(x);
    return true;
  };
  return block_.may_run(c) && block_.for_each_taken_with(c, add) ? memory : kNever;
}

// The open clusters that nets connect with the block, through other open ones.
void BlockLoad::find_candidates() {
  ++stamp_;
  const auto look_at = [&](ClusterId c) {
    for (NetId e : model_.nets_of(c)) {
      if (net_seen_[e] == stamp_ || !block_.net_counts(e)) continue;
      net_seen_[e] = stamp_;
      for (ClusterId other : model_.net_clusters(e)) {
        if (block_.side(other) != PartialBlock::Side::Open || seen_[other] == stamp_) continue;
        seen_[other] = stamp_;
        candidates_.push_back({other, 0});
      }
    }
  };
  for (ClusterId c : block_.forced()) look_at(c);
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    const ClusterId c = candidates_[i].cluster;
    candidates_[i].memory = memory_with(c);
    // What cannot be in the block connects nothing. It goes out at the first limit.
    if (candidates_[i].memory < kNever) look_at(c);
  }
  std::stable_sort(candidates_.begin(), candidates_.end(),
                   [](const Candidate& a, const Candidate& b) { return a.memory > b.memory; });
}

double BlockLoad::least(double memory_limit) {
  if (memory() > memory_limit) return kNever;
  for (; ruled_out_ < candidates_.size() && candidates_[ruled_out_].memory > memory_limit; ++ruled_out_) {
    const ClusterId c = candidates_[ruled_out_].cluster;
    if (block_.side(c) == PartialBlock::Side::Out) continue;
    block_.leave_out(c);
    known_ = false;
  }
  if (known_ || last_ == kNever) return last_;
  known_ = true;
  return last_ = block_.spread_out() ? block_.least_load().load : kNever;
}

std::vector<NodeId> BlockLoad::cheapest() const {
  std::vector<NodeId> found;
  block_.for_each_inside(
      [&](ClusterId c) { found.insert(found.end(), model_.nodes(c).begin(), model_.nodes(c).end()); });
  return found;
}

}  // namespace partita::detail
