// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/block_load.h"

#include <algorithm>
#include <limits>

namespace partita {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::size_t kStepsPerLook = 50'000;  // at the clock

}  // namespace

BlockLoad::BlockLoad(const BlockModel& model, const NodeReach& reach)
    : model_(model),
      reach_(reach),
      watch_(model.budget(), kStepsPerLook),
      side_(model.cluster_count(), Side::Open),
      above_in_(reach.below.words_per_row()),
      below_in_(reach.below.words_per_row()),
      gone_(reach.below.words_per_row()),
      cut_(model),
      seen_(model.cluster_count(), 0),
      hull_stamp_(model.cluster_count(), 0),
      net_stamp_(model.instance().net_cost.size(), 0) {}

bool BlockLoad::counts(NodeId v) const {
  switch (part_) {
    case Part::Whole: return true;
    case Part::Above: return v != border_ && !test_bit(below(border_), v.index());
    case Part::Below: return test_bit(below(border_), v.index());
  }
  return true;
}

bool BlockLoad::net_counts(NetId e) const {
  const NodeId producer = model_.instance().net_producer[e];
  return counts(producer) || (part_ == Part::Below && producer == border_);
}

double BlockLoad::part_time(ClusterId c) const {
  double time = 0;
  for (NodeId v : model_.nodes(c)) {
    if (counts(v)) time += model_.instance().nodes[v].accelerator_time;
  }
  return time;
}

bool BlockLoad::begin(Part part, NodeId border, const std::vector<NodeId>& inside, const std::vector<NodeId>& outside) {
  part_ = part;
  border_ = border;
  std::fill(side_.begin(), side_.end(), Side::Open);
  in_.clear();
  std::fill(above_in_.begin(), above_in_.end(), 0);
  std::fill(below_in_.begin(), below_in_.end(), 0);
  std::fill(gone_.begin(), gone_.end(), 0);
  backward_ = model_.instance().nodes[inside[0]].backward;
  device_ = DeviceId();
  memory_ = time_ = 0;
  candidates_.clear();
  ruled_out_ = 0;
  known_ = false;
  count(model_.cluster_count() / 16 + 16);
  for (NodeId v : inside) {
    if (!take_in(model_.cluster_of(v))) return false;
  }
  if (!close() || !leave_out(outside)) return false;
  find_candidates();
  return true;
}

bool BlockLoad::take_in(ClusterId c) {
  if (side_[c] == Side::In) return true;
  const BlockModel::Cluster& cluster = model_.cluster(c);
  if (!cluster.may_run(backward_, device_)) return false;
  if (cluster.device.valid()) device_ = cluster.device;
  side_[c] = Side::In;
  in_.push_back(c);
  memory_ += part_memory(c);
  time_ += part_time(c);
  for (NodeId v : model_.nodes(c)) {
    join_bits(above_in_, above(v));
    join_bits(below_in_, below(v));
  }
  count(model_.nodes(c).size() * above_in_.size() / 4);
  return memory_ <= model_.memory_limit();
}

// All that lies on paths between nodes of the block is in it.
bool BlockLoad::close() {
  for (std::size_t before = 0; before < in_.size();) {
    before = in_.size();
    for (std::size_t w = 0; w < above_in_.size(); ++w) {
      for (Word rest = above_in_[w] & below_in_[w]; rest != 0; rest &= rest - 1) {
        const NodeId v(w * kWordBits + static_cast<std::size_t>(std::countr_zero(rest)));
        if (side(v) != Side::In && !take_in(model_.cluster_of(v))) return false;
      }
    }
  }
  return true;
}

// With a node above the block that is out, all above it is: a path would leave the block and come back. And so below.
bool BlockLoad::leave_out(const std::vector<NodeId>& nodes) {
  std::vector<NodeId> seeds = nodes;
  std::vector<Word> spread(gone_.size());
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    const NodeId seed = seeds[i];
    std::fill(spread.begin(), spread.end(), 0);
    set_bit(spread, seed.index());
    if (test_bit(above_in_, seed.index())) join_bits(spread, above(seed));
    if (test_bit(below_in_, seed.index())) join_bits(spread, below(seed));
    for (std::size_t w = 0; w < spread.size(); ++w) {
      for (Word rest = spread[w] & ~gone_[w]; rest != 0; rest &= rest - 1) {
        const NodeId v(w * kWordBits + static_cast<std::size_t>(std::countr_zero(rest)));
        const ClusterId c = model_.cluster_of(v);
        if (side_[c] == Side::In) return false;
        set_bit(gone_, v.index());
        if (side_[c] == Side::Out) continue;
        side_[c] = Side::Out;
        for (NodeId mate : model_.nodes(c)) {
          if (mate != v) seeds.push_back(mate);
        }
      }
    }
    count(spread.size());
  }
  return true;
}

// The memory of the part, if the block takes c in with all between; infinite if it cannot.
double BlockLoad::memory_with(ClusterId c) {
  if (!model_.cluster(c).may_run(backward_, device_)) return kNever;
  double memory = memory_ + part_memory(c);
  ++hulls_;
  hull_stamp_[c] = hulls_;
  const auto take_between = [&](std::span<const Word> row, const std::vector<Word>& toward) {
    for (std::size_t w = 0; w < row.size(); ++w) {
      for (Word rest = row[w] & toward[w]; rest != 0; rest &= rest - 1) {
        const ClusterId x = model_.cluster_of(NodeId(w * kWordBits + static_cast<std::size_t>(std::countr_zero(rest))));
        if (side_[x] == Side::In || hull_stamp_[x] == hulls_) continue;
        if (side_[x] == Side::Out) return false;
        hull_stamp_[x] = hulls_;
        memory += part_memory(x);
      }
    }
    count(row.size() / 2);
    return true;
  };
  for (NodeId v : model_.nodes(c)) {
    if (test_bit(above_in_, v.index()) && !take_between(below(v), above_in_)) return kNever;
    if (test_bit(below_in_, v.index()) && !take_between(above(v), below_in_)) return kNever;
  }
  return memory;
}

// The open clusters that nets connect with the block, through other open ones.
void BlockLoad::find_candidates() {
  ++stamp_;
  const auto look_at = [&](ClusterId c) {
    for (NetId e : model_.nets_of(c)) {
      if (net_stamp_[e] == stamp_ || !net_counts(e)) continue;
      net_stamp_[e] = stamp_;
      for (ClusterId other : model_.net_clusters(e)) {
        if (side_[other] != Side::Open || seen_[other] == stamp_) continue;
        seen_[other] = stamp_;
        candidates_.push_back({other, 0});
      }
    }
  };
  for (ClusterId c : in_) look_at(c);
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
  if (memory_ > memory_limit) return kNever;
  std::vector<NodeId> out;
  while (ruled_out_ < candidates_.size() && candidates_[ruled_out_].memory > memory_limit) {
    const ClusterId c = candidates_[ruled_out_++].cluster;
    if (side_[c] == Side::Open) out.push_back(model_.nodes(c)[0]);
  }
  if (!out.empty()) {
    known_ = false;
    if (!leave_out(out)) {
      last_ = kNever;
      known_ = true;
      memory_ = kNever;  // lower limits need not be tried
    }
  }
  if (!known_) last_ = least_cut();
  known_ = true;
  return last_;
}

std::vector<NodeId> BlockLoad::cheapest() const {
  std::vector<NodeId> found;
  const auto add = [&](ClusterId c) { found.insert(found.end(), model_.nodes(c).begin(), model_.nodes(c).end()); };
  for (ClusterId c : in_) add(c);
  for (ClusterId c : cut_.open()) {
    if (cut_.is_inside(c)) add(c);
  }
  return found;
}

void BlockLoad::add_net(NetId e) {
  if (net_stamp_[e] == stamp_ || !net_counts(e)) return;
  net_stamp_[e] = stamp_;
  bool in = false, out = false;
  ends_.clear();
  for (NodeId v : model_.instance().net_members[e]) {
    if (part_ == Part::Above && v != border_ && !counts(v)) continue;
    const ClusterId c = model_.cluster_of(v);
    in = in || side_[c] == Side::In;
    out = out || side_[c] == Side::Out;
    if (side_[c] == Side::Open) ends_.push_back(cut_.vertex(c));
  }
  std::sort(ends_.begin(), ends_.end());
  ends_.erase(std::unique(ends_.begin(), ends_.end()), ends_.end());
  cut_.add_net(model_.instance().net_cost[e], in, out, ends_);
}

// If c is in the block, so is all between it and the forced part.
void BlockLoad::add_implications(ClusterId c) {
  const auto demand = [&](NodeId x) {
    const ClusterId other = model_.cluster_of(x);
    if (other != c && side_[other] == Side::Open) cut_.demand(c, other);
  };
  for (NodeId v : model_.nodes(c)) {
    if (test_bit(below_in_, v.index())) {
      for (const auto& [producer, edge] : model_.edges_in(v)) {
        if (test_bit(below_in_, producer.index())) demand(producer);
      }
    }
    if (test_bit(above_in_, v.index())) {
      for (const auto& [consumer, edge] : model_.edges_out(v)) {
        if (test_bit(above_in_, consumer.index())) demand(consumer);
      }
    }
  }
}

double BlockLoad::least_cut() {
  ++stamp_;
  cut_.begin();
  for (ClusterId c : in_) {
    for (NetId e : model_.nets_of(c)) add_net(e);
  }
  for (std::size_t i = 0; i < cut_.open().size(); ++i) {
    const ClusterId c = cut_.open()[i];
    for (NetId e : model_.nets_of(c)) add_net(e);
    add_implications(c);
    const double time = part_time(c);
    if (time > 0) cut_.add_time(c, time);
  }
  count(7 * cut_.arc_count());
  const double sure = time_ + cut_.direct();
  return cut_.open().empty() ? sure : sure + cut_.run(kNever);
}

}  // namespace partita
