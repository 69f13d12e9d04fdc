// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/block_finish.h"

#include <algorithm>
#include <limits>

namespace partita {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::size_t kStepsPerLook = 50'000;  // at the clock
constexpr std::uint64_t kWorkPerTick = 64;

}  // namespace

BlockFinish::BlockFinish(const BlockModel& model, const NodeReach& reach, bool reversed, double toll)
    : model_(model),
      reach_(reach),
      watch_(model.budget(), kStepsPerLook),
      reversed_(reversed),
      toll_(toll),
      side_(model.cluster_count(), Side::Open),
      above_in_(reach.below.words_per_row()),
      below_in_(reach.below.words_per_row()),
      gone_(reach.below.words_per_row()),
      cut_(model),
      hull_stamp_(model.cluster_count(), 0),
      net_stamp_(model.instance().net_cost.size(), 0) {}

double BlockFinish::least(const Question& question, const EdgeLabels& labels, const std::vector<double>& levels,
                          std::uint64_t& ticks) {
  double best = question.at_most;
  labels_ = &labels;
  work_ = model_.node_count() / 8 + 16;
  start(question.node);
  double load = 0;
  // Sets that edges with labels above levels[level] enter have been looked at.
  auto level = static_cast<std::size_t>(std::lower_bound(levels.begin(), levels.end(), best) - levels.begin());
  bool possible = level > 0 && take_in(model_.cluster_of(question.node));
  while (possible && level > 0) {
    const double t = levels[--level];
    const double room = best - t;
    if (!close(t) || !rule_out(question, t, room)) break;
    const Cut cut = least_load(t, room);
    if (cut.load == kNever) break;
    load = std::max(load, std::min(cut.load, room));
    if (cut.entering >= t) {
      best = std::min(best, t + load);
    } else {
      // Sets entered at levels from here down to the one above the cut's cannot do better than this; the cut's own
      // level is looked at again, since more is forced there.
      const auto above =
          static_cast<std::size_t>(std::upper_bound(levels.begin(), levels.end(), cut.entering) - levels.begin());
      best = std::min(best, levels[above] + load);
      level = above;
    }
    level = std::min(
        level, static_cast<std::size_t>(std::lower_bound(levels.begin(), levels.end(), best - load) - levels.begin()));
  }
  ticks += 1 + work_ / kWorkPerTick;
  return best;
}

void BlockFinish::start(NodeId node) {
  std::fill(side_.begin(), side_.end(), Side::Open);
  in_.clear();
  closed_ = 0;
  memory_ = 0;
  time_ = toll_;
  std::fill(above_in_.begin(), above_in_.end(), 0);
  std::fill(below_in_.begin(), below_in_.end(), 0);
  backward_ = model_.instance().nodes[node].backward;
  device_ = DeviceId();
}

// Into the forced part. False if it cannot be in this block.
bool BlockFinish::take_in(ClusterId c) {
  if (side_[c] == Side::In) return true;
  const BlockModel::Cluster& cluster = model_.cluster(c);
  if (!cluster.may_run(backward_, device_)) return false;
  if (cluster.device.valid()) device_ = cluster.device;
  side_[c] = Side::In;
  in_.push_back(c);
  memory_ += cluster.memory;
  time_ += cluster.time;
  for (NodeId v : model_.nodes(c)) {
    join_bits(above_in_, above(v));
    join_bits(below_in_, below(v));
  }
  count(model_.nodes(c).size() * above_in_.size() / 4);
  return memory_ <= model_.memory_limit();
}

// Adds to the forced part what edges with labels above t and paths between its nodes demand.
bool BlockFinish::close(double t) {
  for (ClusterId c : out_) {
    if (side_[c] == Side::Out) side_[c] = Side::Open;
  }
  out_.clear();
  closed_ = 0;  // t has fallen since: look at all edges again
  while (true) {
    while (closed_ < in_.size()) {
      for (NodeId v : model_.nodes(in_[closed_++])) {
        for (const auto& [producer, edge] : edges_in(v)) {
          if ((*labels_)[edge] > t && !take_in(model_.cluster_of(producer))) return false;
        }
      }
    }
    for (std::size_t w = 0; w < above_in_.size(); ++w) {
      for (Word rest = above_in_[w] & below_in_[w]; rest != 0; rest &= rest - 1) {
        const NodeId v(w * kWordBits + static_cast<std::size_t>(std::countr_zero(rest)));
        if (side(v) != Side::In && !take_in(model_.cluster_of(v))) return false;
      }
    }
    if (closed_ == in_.size()) break;
  }
  count(in_.size());
  return true;
}

void BlockFinish::leave_out(ClusterId c) {
  if (side_[c] == Side::Out) return;
  side_[c] = Side::Out;
  out_.push_back(c);
}

// Leaves out what would demand something that is out. False if the forced part would.
bool BlockFinish::spread_out(double t) {
  while (spread_ < out_.size()) {
    const ClusterId c = out_[spread_++];
    for (NodeId v : model_.nodes(c)) {
      set_bit(gone_, v.index());
      // Whatever is above v would have a path through v to the forced part, if v is above that; and so below.
      const auto leave_row = [&](std::span<const Word> row) {
        for (std::size_t w = 0; w < row.size(); ++w) {
          for (Word rest = row[w] & ~gone_[w]; rest != 0; rest &= rest - 1) {
            const NodeId x(w * kWordBits + static_cast<std::size_t>(std::countr_zero(rest)));
            if (side(x) == Side::In) return false;
            leave_out(model_.cluster_of(x));
            set_bit(gone_, x.index());
          }
        }
        count(row.size() / 4);
        return true;
      };
      if (test_bit(above_in_, v.index()) && !leave_row(above(v))) return false;
      if (test_bit(below_in_, v.index()) && !leave_row(below(v))) return false;
      for (const auto& [consumer, edge] : edges_out(v)) {
        if ((*labels_)[edge] <= t) continue;
        if (side(consumer) == Side::In) return false;
        leave_out(model_.cluster_of(consumer));
      }
    }
  }
  return true;
}

// Does the forced part stay within the memory, and below `room`, if it takes c in with all between?
bool BlockFinish::fits(ClusterId c, double room) {
  double memory = memory_ + model_.cluster(c).memory;
  double time = time_ + model_.cluster(c).time;
  const auto fine = [&] { return memory <= model_.memory_limit() && time < room; };
  if (!fine()) return false;
  ++hulls_;
  hull_stamp_[c] = hulls_;
  const auto take_between = [&](std::span<const Word> row, const std::vector<Word>& toward) {
    for (std::size_t w = 0; w < row.size(); ++w) {
      for (Word rest = row[w] & toward[w]; rest != 0; rest &= rest - 1) {
        const ClusterId x = model_.cluster_of(NodeId(w * kWordBits + static_cast<std::size_t>(std::countr_zero(rest))));
        if (side_[x] == Side::In || hull_stamp_[x] == hulls_) continue;
        if (side_[x] == Side::Out) return false;
        hull_stamp_[x] = hulls_;
        memory += model_.cluster(x).memory;
        time += model_.cluster(x).time;
        if (!fine()) return false;
        count(1);
      }
    }
    count(row.size() / 4);
    return true;
  };
  for (NodeId v : model_.nodes(c)) {
    if (test_bit(above_in_, v.index()) && !take_between(below(v), above_in_)) return false;
    if (test_bit(below_in_, v.index()) && !take_between(above(v), below_in_)) return false;
  }
  return true;
}

bool BlockFinish::rule_out(const Question& question, double t, double room) {
  spread_ = 0;
  std::fill(gone_.begin(), gone_.end(), 0);
  if (question.without.valid()) {
    if (side(question.without) == Side::In) return false;
    leave_out(model_.cluster_of(question.without));
    bool free = true;  // what lies below it would close a path around it
    for_each_bit(below(question.without), [&](std::size_t x) {
      free = free && side(NodeId(x)) != Side::In;
      if (free) leave_out(model_.cluster_of(NodeId(x)));
    });
    if (!free) return false;
  }
  for (ClusterId c : model_.clusters()) {
    if (side_[c] == Side::Open && !model_.cluster(c).may_run(backward_, device_)) leave_out(c);
  }
  if (!spread_out(t)) return false;
  for (ClusterId c : model_.clusters()) {
    if (side_[c] == Side::Open && !fits(c, room)) leave_out(c);
  }
  count(model_.cluster_count() / 2);
  return spread_out(t);
}

void BlockFinish::add_net(NetId e) {
  if (net_stamp_[e] == stamp_) return;
  net_stamp_[e] = stamp_;
  bool in = false, out = false;
  for (ClusterId c : model_.net_clusters(e)) {
    in = in || side_[c] == Side::In;
    out = out || side_[c] == Side::Out;
  }
  ends_.clear();
  if (!in || !out) {
    for (ClusterId c : model_.net_clusters(e)) {
      if (side_[c] == Side::Open) ends_.push_back(cut_.vertex(c));
    }
  }
  cut_.add_net(model_.instance().net_cost[e], in, out, ends_);
}

// If c is in S, so is what edges with labels above t and paths to the forced part demand.
void BlockFinish::add_implications(ClusterId c, double t) {
  const auto demand = [&](NodeId x) {
    const ClusterId other = model_.cluster_of(x);
    if (other != c && side_[other] == Side::Open) cut_.demand(c, other);
  };
  for (NodeId v : model_.nodes(c)) {
    const bool over = test_bit(above_in_, v.index()), under = test_bit(below_in_, v.index());
    for (const auto& [producer, edge] : edges_in(v)) {
      if ((*labels_)[edge] > t || (under && test_bit(below_in_, producer.index()))) demand(producer);
    }
    if (!over) continue;
    for (const auto& [consumer, edge] : edges_out(v)) {
      if (test_bit(above_in_, consumer.index())) demand(consumer);
    }
  }
}

BlockFinish::Cut BlockFinish::least_load(double t, double room) {
  ++stamp_;
  cut_.begin();
  for (ClusterId c : in_) {
    for (NetId e : model_.nets_of(c)) add_net(e);
  }
  // Nets between open clusters and what is out count only if some are in S, so what is sure is that of the forced part.
  const double sure = time_ + cut_.direct();
  if (sure >= room) return {sure, t};
  for (std::size_t i = 0; i < cut_.open().size(); ++i) {
    const ClusterId c = cut_.open()[i];
    for (NetId e : model_.nets_of(c)) add_net(e);
    add_implications(c, t);
    if (model_.cluster(c).time > 0) cut_.add_time(c, model_.cluster(c).time);
  }
  count(cut_.arc_count());
  if (cut_.open().empty()) return {sure, largest_entering(t, false)};
  const double enough = room - sure;
  const double flow = cut_.run(enough);
  count(6 * cut_.arc_count());
  if (flow == kNever) return {kNever, t};
  if (flow >= enough) return {sure + flow, t};
  return {sure + flow, largest_entering(t, true)};
}

double BlockFinish::largest_entering(double t, bool cut_known) const {
  const auto inside = [&](NodeId v) {
    const ClusterId c = model_.cluster_of(v);
    return side_[c] == Side::In || (cut_known && cut_.is_inside(c));
  };
  double largest = 0;
  const auto look_at = [&](ClusterId c) {
    for (NodeId v : model_.nodes(c)) {
      for (const auto& [producer, edge] : edges_in(v)) {
        if (!inside(producer)) largest = std::max(largest, (*labels_)[edge]);
      }
    }
  };
  for (ClusterId c : in_) look_at(c);
  if (cut_known) {
    for (ClusterId c : cut_.open()) {
      if (cut_.is_inside(c)) look_at(c);
    }
  }
  return std::min(largest, t);
}

}  // namespace partita
