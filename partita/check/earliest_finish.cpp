// SPDX-License-Identifier: Apache-2.0
#include "partita/check/earliest_finish.h"

#include <algorithm>

namespace partita::detail {
namespace {

constexpr std::size_t kInside = 0, kOutside = 1;  // vertices

}  // namespace

const std::vector<std::size_t>& EarliestFinish::edges_before(std::size_t v) const {
  return view_->reversed ? claim_.out_of[v] : claim_.into[v];
}
const std::vector<std::size_t>& EarliestFinish::edges_behind(std::size_t v) const {
  return view_->reversed ? claim_.into[v] : claim_.out_of[v];
}

bool EarliestFinish::demanded(std::size_t e, Int t) const {
  return view_->labels[e] > t || joined_.joined(claim_.edges[e].from, claim_.edges[e].to);
}

EarliestFinish::Int EarliestFinish::least(const View& view, std::size_t node, std::optional<std::size_t> without,
                                          Int enough) {
  view_ = &view;
  for (class_ = 0; class_ < claim_.classes; ++class_) enough = on_class(node, without, enough);
  return enough;
}

EarliestFinish::Int EarliestFinish::on_class(std::size_t node, std::optional<std::size_t> without, Int enough) {
  const std::vector<Int>& levels = view_->levels;
  const auto below_time = [&](Int time) {
    return static_cast<std::size_t>(std::lower_bound(levels.begin(), levels.end(), time) - levels.begin());
  };
  backward_ = claim_.nodes[node].backward;
  begin();
  Int load = 0;                                             // of all sets that are still to be looked at, at least
  for (std::size_t left = below_time(enough); left > 0;) {  // levels that sets may still be entered at
    const Int t = levels[left - 1];
    if (!close(node, t) || !rule_out(without, t, enough)) return enough;
    Cut cut = least_load(t, enough);
    load = std::max(load, std::min(cut.load, enough));
    left -= 1;
    if (t + load < enough) {
      // Now only sets that would be soon enough when they start at t.
      const Int room = enough - t;
      cut = rule_out(without, t, room) ? least_load(t, room) : Cut{room, false};
      load = std::max(load, std::min(cut.load, room));
      if (cut.complete && cut.load < room) {
        // Sets that are entered later than this one finish no sooner than said here; earlier ones are looked at again.
        const Int entering = largest_entering();
        const std::size_t earlier =
            static_cast<std::size_t>(std::upper_bound(levels.begin(), levels.end(), entering) - levels.begin());
        const Int from = entering < t ? levels[earlier] : t;
        if (entering < t) left = earlier;
        enough = std::min(enough, from + load);
      }
    }
    left = std::min(left, below_time(enough - load));
  }
  return enough;
}

void EarliestFinish::begin() {
  side_.assign(joined_.clusters().size(), Side::Open);
  in_.clear();
  out_.clear();
  spread_ = 0;
  above_in_.assign(claim_.below.words_per_row(), 0);
  below_in_.assign(claim_.below.words_per_row(), 0);
  has_memory_.assign(claim_.groups.size(), 0);
  memory_ = time_ = 0;
  if (hull_stamp_.size() != side_.size()) hull_stamp_.assign(side_.size(), 0);
  if (group_stamp_.size() != claim_.groups.size()) group_stamp_.assign(claim_.groups.size(), 0);
  if (transfer_seen_.size() != claim_.transfers.size()) transfer_seen_.assign(claim_.transfers.size(), 0);
  vertex_of_.assign(side_.size(), 0);
  open_.clear();
  held_.clear();
  for (std::size_t c = 0; c < side_.size(); ++c) held_.push_back(may_hold(c));
}

bool EarliestFinish::may_hold(std::size_t cluster) const {
  const JoinedNodes::Cluster& one = joined_.clusters()[cluster];
  if (one.backward != backward_) return false;
  Int memory = 0;
  for (const std::size_t g : one.groups) {
    if (!claim_.groups[g].held[class_]) return false;
    memory += claim_.groups[g].memory[class_];
  }
  return memory <= kLoadLimit;
}

bool EarliestFinish::take_in(std::size_t cluster) {
  if (side_[cluster] == Side::In) return true;
  if (!held_[cluster]) return false;
  const JoinedNodes::Cluster& one = joined_.clusters()[cluster];
  side_[cluster] = Side::In;
  in_.push_back(cluster);
  time_ += one.time[class_];
  for (const std::size_t g : one.groups) {
    if (has_memory_[g]) continue;
    has_memory_[g] = 1;
    memory_ += claim_.groups[g].memory[class_];
  }
  for (const std::size_t v : one.nodes) {
    join_bits(above_in_, above(v));
    join_bits(below_in_, below(v));
  }
  return memory_ <= kLoadLimit;
}

// What is out is open again: at another level, something else is.
bool EarliestFinish::close(std::size_t node, Int t) {
  for (const std::size_t c : out_) side_[c] = Side::Open;
  out_.clear();
  spread_ = 0;
  if (!take_in(joined_.cluster_of(node))) return false;
  std::size_t closed = 0;
  do {
    for (; closed < in_.size(); ++closed) {
      for (const std::size_t v : joined_.clusters()[in_[closed]].nodes) {
        for (const std::size_t e : edges_before(v)) {
          if (demanded(e, t) && !take_in(joined_.cluster_of(before(e)))) return false;
        }
      }
    }
    for (std::size_t w = 0; w < above_in_.size(); ++w) {
      for (Word rest = above_in_[w] & below_in_[w]; rest != 0; rest &= rest - 1) {
        const std::size_t v = w * kWordBits + static_cast<std::size_t>(std::countr_zero(rest));
        if (!take_in(joined_.cluster_of(v))) return false;
      }
    }
  } while (closed < in_.size());
  return true;
}

// False if it is in.
bool EarliestFinish::leave_out(std::size_t cluster) {
  if (side_[cluster] == Side::In) return false;
  if (side_[cluster] == Side::Out) return true;
  side_[cluster] = Side::Out;
  out_.push_back(cluster);
  return true;
}

bool EarliestFinish::spread_out(Int t) {
  const auto leave_row = [&](std::span<const Word> row) {
    bool well = true;
    for_each_bit(row, [&](std::size_t x) { well = well && leave_out(joined_.cluster_of(x)); });
    return well;
  };
  while (spread_ < out_.size()) {
    for (const std::size_t v : joined_.clusters()[out_[spread_++]].nodes) {
      if (test_bit(above_in_, v) && !leave_row(above(v))) return false;
      if (test_bit(below_in_, v) && !leave_row(below(v))) return false;
      for (const std::size_t e : edges_behind(v)) {
        if (demanded(e, t) && !leave_out(joined_.cluster_of(behind(e)))) return false;
      }
    }
  }
  return true;
}

bool EarliestFinish::rule_out(std::optional<std::size_t> without, Int t, Int room) {
  if (without) {
    bool well = leave_out(joined_.cluster_of(*without));
    for_each_bit(below(*without), [&](std::size_t x) { well = well && leave_out(joined_.cluster_of(x)); });
    if (!well) return false;
  }
  for (std::size_t c = 0; c < side_.size(); ++c) {
    if (side_[c] == Side::Open && !held_[c]) leave_out(c);
  }
  if (!spread_out(t)) return false;
  for (std::size_t c = 0; c < side_.size(); ++c) {
    if (side_[c] == Side::Open && !fits(c, room)) leave_out(c);
  }
  return spread_out(t);
}

// With all that lies between it and what is in.
bool EarliestFinish::fits(std::size_t cluster, Int room) {
  Int memory = memory_, time = view_->toll + time_;
  ++stamp_;
  const auto take = [&](std::size_t c) {
    if (side_[c] == Side::In || hull_stamp_[c] == stamp_) return true;
    if (side_[c] == Side::Out) return false;
    hull_stamp_[c] = stamp_;
    const JoinedNodes::Cluster& one = joined_.clusters()[c];
    time += one.time[class_];
    for (const std::size_t g : one.groups) {
      if (has_memory_[g] || group_stamp_[g] == stamp_) continue;
      group_stamp_[g] = stamp_;
      memory += claim_.groups[g].memory[class_];
    }
    return memory <= kLoadLimit && time < room;
  };
  const auto take_between = [&](std::span<const Word> row, const std::vector<Word>& toward) {
    for (std::size_t w = 0; w < row.size(); ++w) {
      for (Word rest = row[w] & toward[w]; rest != 0; rest &= rest - 1) {
        const std::size_t v = w * kWordBits + static_cast<std::size_t>(std::countr_zero(rest));
        if (!take(joined_.cluster_of(v))) return false;
      }
    }
    return true;
  };
  if (!take(cluster)) return false;
  for (const std::size_t v : joined_.clusters()[cluster].nodes) {
    if (test_bit(above_in_, v) && !take_between(below(v), above_in_)) return false;
    if (test_bit(below_in_, v) && !take_between(above(v), below_in_)) return false;
  }
  return true;
}

std::size_t EarliestFinish::vertex(std::size_t cluster) {
  if (side_[cluster] != Side::Open) return side_[cluster] == Side::In ? kInside : kOutside;
  if (vertex_of_[cluster] == 0) {
    vertex_of_[cluster] = vertices_++;
    open_.push_back(cluster);
  }
  return vertex_of_[cluster];
}

void EarliestFinish::add_transfer(std::size_t e) {
  if (transfer_seen_[e]) return;
  transfer_seen_[e] = 1;
  seen_transfers_.push_back(e);
  const LatencyClaim::Transfer& transfer = claim_.transfers[e];
  bool in = false, out = false, open = false;
  for (const std::size_t v : transfer.members) {
    const Side side = side_[joined_.cluster_of(v)];
    (side == Side::In ? in : side == Side::Out ? out : open) = true;
  }
  const Int cost = transfer.cost[class_];
  if (in && out) sure_ += cost;
  if (cost == 0 || (in && out) || !open) return;
  const std::size_t entry = vertices_++, exit = vertices_++;
  arcs_.push_back({entry, exit, static_cast<double>(cost)});
  for (const std::size_t v : transfer.members) {
    const std::size_t end = vertex(joined_.cluster_of(v));
    if (end != kOutside) arcs_.push_back({end, entry, kInfiniteCapacity});
    if (end != kInside) arcs_.push_back({exit, end, kInfiniteCapacity});
  }
}

void EarliestFinish::add_demands(std::size_t cluster, Int t) {
  const auto demand = [&](std::size_t v) {
    const std::size_t other = joined_.cluster_of(v);
    if (other != cluster && side_[other] == Side::Open)
      arcs_.push_back({vertex(cluster), vertex(other), kInfiniteCapacity});
  };
  for (const std::size_t v : joined_.clusters()[cluster].nodes) {
    for (const std::size_t e : edges_before(v)) {
      if (demanded(e, t) || (test_bit(below_in_, v) && test_bit(below_in_, before(e)))) demand(before(e));
    }
    if (!test_bit(above_in_, v)) continue;
    for (const std::size_t e : edges_behind(v)) {
      if (test_bit(above_in_, behind(e))) demand(behind(e));
    }
  }
}

EarliestFinish::Cut EarliestFinish::least_load(Int t, Int room) {
  for (const std::size_t c : open_) vertex_of_[c] = 0;
  for (const std::size_t e : seen_transfers_) transfer_seen_[e] = 0;
  open_.clear();
  seen_transfers_.clear();
  arcs_.clear();
  vertices_ = 2;
  sure_ = 0;
  for (const std::size_t c : in_) {
    for (const std::size_t e : joined_.clusters()[c].transfers) add_transfer(e);
  }
  const Int sure = view_->toll + time_ + sure_;
  if (sure >= room) return {sure, false};
  for (std::size_t i = 0; i < open_.size(); ++i) {
    const std::size_t c = open_[i];
    for (const std::size_t e : joined_.clusters()[c].transfers) add_transfer(e);
    add_demands(c, t);
    const Int time = joined_.clusters()[c].time[class_];
    if (time > 0) arcs_.push_back({vertex(c), kOutside, static_cast<double>(time)});
  }
  // A transfer between what is open and what is out counts where the cut says so: as an arc, for nothing of it is sure.
  flow_.reset(vertices_);
  for (const Arc& arc : arcs_) flow_.add_arc(arc.from, arc.to, arc.capacity);
  const auto still = static_cast<double>(room - sure);
  const double flow = open_.empty() ? 0 : flow_.run(kInside, kOutside, still, 0);
  return {sure + static_cast<Int>(std::min(flow, still)), flow < still};
}

EarliestFinish::Int EarliestFinish::largest_entering() const {
  const auto inside = [&](std::size_t v) {
    const std::size_t c = joined_.cluster_of(v);
    return side_[c] == Side::In || (vertex_of_[c] != 0 && flow_.on_source_side(vertex_of_[c]));
  };
  Int largest = 0;
  for (std::size_t e = 0; e < claim_.edges.size(); ++e) {
    if (inside(behind(e)) && !inside(before(e))) largest = std::max(largest, view_->labels[e]);
  }
  return largest;
}

}  // namespace partita::detail
