// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/partial_block.h"

#include <algorithm>

namespace partita::detail {
namespace {

constexpr std::size_t kStepsPerLook = 50'000;  // at the clock

}  // namespace

PartialBlock::PartialBlock(const BlockModel& model, const NodeReach& reach, bool reversed)
    : model_(model),
      reach_(reach),
      reversed_(reversed),
      watch_(model.budget(), kStepsPerLook),
      side_(model.cluster_count(), Side::Open),
      above_in_(reach.below.words_per_row()),
      below_in_(reach.below.words_per_row()),
      gone_(reach.below.words_per_row()),
      cut_(model),
      hull_stamp_(model.cluster_count(), 0),
      net_stamp_(model.instance().net_cost.size(), 0) {}

bool PartialBlock::counts(NodeId v) const {
  switch (part_) {
    case Part::Whole: return true;
    case Part::Above: return v != border_ && !test_bit(below(border_), v.index());
    case Part::Below: return test_bit(below(border_), v.index());
  }
  return true;
}

bool PartialBlock::net_counts(NetId e) const {
  const NodeId producer = model_.instance().net_producer[e];
  return counts(producer) || (part_ == Part::Below && producer == border_);
}

double PartialBlock::time_of(ClusterId c) const {
  if (part_ == Part::Whole) return model_.cluster(c).time;
  double time = 0;
  for (NodeId v : model_.nodes(c)) {
    if (counts(v)) time += model_.instance().nodes[v].accelerator_time;
  }
  return time;
}

void PartialBlock::begin(Part part, NodeId border, bool backward, double time, NodeId beyond) {
  part_ = part;
  border_ = border;
  beyond_ = beyond;
  backward_ = backward;
  labels_ = nullptr;
  std::fill(side_.begin(), side_.end(), Side::Open);
  in_.clear();
  out_.clear();
  spread_ = 0;
  std::fill(above_in_.begin(), above_in_.end(), 0);
  std::fill(below_in_.begin(), below_in_.end(), 0);
  std::fill(gone_.begin(), gone_.end(), 0);
  device_ = DeviceId();
  memory_ = 0;
  time_ = time;
}

void PartialBlock::demand_edges(const EdgeLabels& labels, double above) {
  labels_ = &labels;
  demanded_above_ = above;
  for (ClusterId c : out_) {
    if (side_[c] == Side::Out) side_[c] = Side::Open;
  }
  out_.clear();
  spread_ = 0;
  std::fill(gone_.begin(), gone_.end(), 0);
}

bool PartialBlock::take_in(ClusterId c) {
  if (side_[c] == Side::In) return true;
  if (!may_run(c)) return false;
  if (model_.cluster(c).device.valid()) device_ = model_.cluster(c).device;
  side_[c] = Side::In;
  in_.push_back(c);
  memory_ += memory_of(c);
  time_ += time_of(c);
  for (NodeId v : model_.nodes(c)) {
    join_bits(above_in_, above(v));
    join_bits(below_in_, below(v));
  }
  count(model_.nodes(c).size() * above_in_.size() / 4);
  return memory_ <= model_.memory_limit();
}

bool PartialBlock::close() {
  std::size_t closed = 0;  // more edges may be demanded than before, so all are looked at
  do {
    for (; closed < in_.size(); ++closed) {
      if (labels_ == nullptr) continue;
      for (NodeId v : model_.nodes(in_[closed])) {
        for (const auto& [producer, edge] : edges_in(v)) {
          if (demanded(edge) && !take_in(model_.cluster_of(producer))) return false;
        }
      }
    }
    const bool taken = all_nodes(
        above_in_.size(), [&](std::size_t w) { return above_in_[w] & below_in_[w]; },
        [&](NodeId v) { return take_in(model_.cluster_of(v)); });
    if (!taken) return false;
  } while (closed < in_.size());
  count(in_.size());
  return true;
}

void PartialBlock::leave_out(ClusterId c) {
  if (side_[c] == Side::Out) return;
  side_[c] = Side::Out;
  out_.push_back(c);
}

bool PartialBlock::spread_out() {
  // With a node above the forced part all that is above it is out, or a path would leave the block and come back. And
  // so below.
  const auto leave_row = [&](std::span<const Word> row) {
    count(row.size() / 4);
    return all_nodes(
        row.size(), [&](std::size_t w) { return row[w] & ~gone_[w]; },
        [&](NodeId x) {
          if (side(x) == Side::In) return false;
          leave_out(model_.cluster_of(x));
          set_bit(gone_, x.index());
          return true;
        });
  };
  while (spread_ < out_.size()) {
    for (NodeId v : model_.nodes(out_[spread_++])) {
      if (!test_bit(gone_, v.index())) {  // else it was in a row that has all of its own
        set_bit(gone_, v.index());
        if (test_bit(above_in_, v.index()) && !leave_row(above(v))) return false;
        if (test_bit(below_in_, v.index()) && !leave_row(below(v))) return false;
      }
      if (labels_ == nullptr) continue;
      for (const auto& [consumer, edge] : edges_out(v)) {
        if (!demanded(edge)) continue;
        if (side(consumer) == Side::In) return false;
        leave_out(model_.cluster_of(consumer));
      }
    }
  }
  return true;
}

void PartialBlock::add_net(NetId e) {
  if (net_stamp_[e] == stamp_ || !net_counts(e)) return;
  net_stamp_[e] = stamp_;
  bool in = false, out = false;
  ends_.clear();
  const auto add_end = [&](ClusterId c) {
    in = in || side_[c] == Side::In;
    out = out || side_[c] == Side::Out;
    if (side_[c] == Side::Open) ends_.push_back(c.index());
  };
  if (part_ == Part::Above) {
    for (NodeId v : model_.instance().net_members[e]) {
      if (v == border_ || counts(v)) add_end(model_.cluster_of(v));
      out = out || (beyond_.valid() && (v == beyond_ || test_bit(below(beyond_), v.index())));
    }
    std::sort(ends_.begin(), ends_.end());
    ends_.erase(std::unique(ends_.begin(), ends_.end()), ends_.end());
  } else {
    for (ClusterId c : model_.net_clusters(e)) add_end(c);
  }
  if (in && out) ends_.clear();
  for (BlockCut::Vertex& end : ends_) end = cut_.vertex(ClusterId(end));
  cut_.add_net(model_.instance().net_cost[e], in, out, ends_);
}

// If c is in the block, so is what the edges demanded and the paths to the forced part ask for.
void PartialBlock::add_implications(ClusterId c) {
  const auto demand = [&](NodeId x) {
    const ClusterId other = model_.cluster_of(x);
    if (other != c && side_[other] == Side::Open) cut_.demand(c, other);
  };
  for (NodeId v : model_.nodes(c)) {
    const bool over = test_bit(above_in_, v.index()), under = test_bit(below_in_, v.index());
    if (under || labels_ != nullptr) {
      for (const auto& [producer, edge] : edges_in(v)) {
        if (demanded(edge) || (under && test_bit(below_in_, producer.index()))) demand(producer);
      }
    }
    if (!over) continue;
    for (const auto& [consumer, edge] : edges_out(v)) {
      if (test_bit(above_in_, consumer.index())) demand(consumer);
    }
  }
}

PartialBlock::Cut PartialBlock::least_load(double room) {
  ++stamp_;
  cut_.begin();
  for (ClusterId c : in_) {
    for (NetId e : model_.nets_of(c)) add_net(e);
  }
  // Nets between open clusters and what is out count only if some of them are in the block, so what is sure is that of
  // the forced part.
  const double sure = time_ + cut_.direct();
  if (sure >= room) return {sure, false};
  for (std::size_t i = 0; i < cut_.open().size(); ++i) {
    const ClusterId c = cut_.open()[i];
    for (NetId e : model_.nets_of(c)) add_net(e);
    add_implications(c);
    const double time = time_of(c);
    if (time > 0) cut_.add_time(c, time);
  }
  count(7 * cut_.arc_count());
  if (cut_.open().empty()) return {sure, true};
  const double flow = cut_.run(room - sure);
  return {sure + flow, flow < room - sure};
}

}  // namespace partita::detail
