// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/configuration/order_estimate.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "partita/util/dice.h"

namespace partita::detail {
namespace {

constexpr double kGrowth = 2.2;  // states per kind, as measured on the paper's inputs: most are pruned

}  // namespace

OrderEstimate::OrderEstimate(const NetGraph& graph)
    : graph_(graph),
      mark_of_(graph.size()),
      place_of_(graph.size()),
      first_(graph.net_count()),
      last_(graph.net_count()),
      states_(graph.size()),
      nets_(graph.net_count()) {
  Dice dice(1);
  for (std::uint64_t& mark : mark_of_) mark = dice.bits();
  std::size_t pins = 0;
  for (NetId e : graph.nets()) pins += graph.members(e).size();
  table_.resize(std::bit_ceil(2 * pins + 2));
  power_.push_back(1);
  for (std::size_t i = 0; i < graph.net_count(); ++i) power_.push_back(power_.back() * kGrowth);
}

double OrderEstimate::take(std::vector<GroupId> order) {
  order_ = std::move(order);
  settle(0, order_.size());
  begin_at(0);
  for (std::size_t t = 0; t < order_.size(); ++t) {
    decide(order_[t]);
    states_[t] = states_here();
  }
  return states();
}

double OrderEstimate::states() const { return std::accumulate(states_.begin(), states_.end(), 0.0); }

// There is room: each member of a net makes one kind at most.
OrderEstimate::Kind& OrderEstimate::kind_of(std::uint64_t marks) {
  std::size_t at = marks & (table_.size() - 1);
  while (table_[at].run == run_ && table_[at].marks != marks) at = (at + 1) & (table_.size() - 1);
  if (table_[at].run != run_) table_[at] = {marks, 0, run_};
  return table_[at];
}

// As if all before this place were decided. Nets that begin later are not touched.
void OrderEstimate::begin_at(std::size_t place) {
  ++run_;
  kinds_ = 0;
  for (NetId e : graph_.nets()) {
    if (first_[e] >= place) {
      nets_[e] = {0, graph_.members(e).size()};
      continue;
    }
    if (last_[e] < place) continue;
    OpenNet net;
    for (GroupId v : graph_.members(e)) {
      if (place_of_[v] < place) {
        net.marks ^= mark_of_[v];
      } else {
        ++net.left;
      }
    }
    nets_[e] = net;
    kinds_ += kind_of(net.marks).nets++ == 0;
  }
}

void OrderEstimate::decide(GroupId v) {
  for (NetId e : graph_.nets_of(v)) {
    OpenNet& net = nets_[e];
    if (net.left < graph_.members(e).size()) kinds_ -= --kind_of(net.marks).nets == 0;
    net.marks ^= mark_of_[v];
    if (--net.left > 0) kinds_ += kind_of(net.marks).nets++ == 0;
  }
}

// Groups between two places have been put there.
void OrderEstimate::settle(std::size_t first, std::size_t last) {
  for (std::size_t t = first; t < last; ++t) place_of_[order_[t]] = t;
  for (std::size_t t = first; t < last; ++t) {
    for (NetId e : graph_.nets_of(order_[t])) {
      first_[e] = order_.size();
      last_[e] = 0;
      for (GroupId v : graph_.members(e)) {
        first_[e] = std::min(first_[e], place_of_[v]);
        last_[e] = std::max(last_[e], place_of_[v]);
      }
    }
  }
}

std::size_t OrderEstimate::try_move(const Move& move) {
  const std::size_t begin = std::min(move.from, move.to), end = std::max(move.from, move.to) + move.length;
  const auto at = [&](std::size_t place) { return order_.begin() + static_cast<std::ptrdiff_t>(place); };
  moved_.assign(at(begin), at(end));
  const auto piece = static_cast<std::ptrdiff_t>(move.length);
  if (move.to < move.from) {
    std::rotate(moved_.begin(), moved_.end() - piece, moved_.end());
    if (move.reversed) std::reverse(moved_.begin(), moved_.begin() + piece);
  } else {
    std::rotate(moved_.begin(), moved_.begin() + piece, moved_.end());
    if (move.reversed) std::reverse(moved_.end() - piece, moved_.end());
  }
  double before = 0, after = 0;
  for (std::size_t t = begin; t < end; ++t) before += states_[t];
  begin_at(begin);
  moved_states_.clear();
  for (GroupId v : moved_) {
    decide(v);
    moved_states_.push_back(states_here());
    after += states_here();
    if (after > before) break;
  }
  const std::size_t looked_at = moved_states_.size() + kinds_ + graph_.net_count() / 16;
  if (after > before) return looked_at;
  std::ranges::copy(moved_, at(begin));
  std::ranges::copy(moved_states_, states_.begin() + static_cast<std::ptrdiff_t>(begin));
  settle(begin, end);
  return looked_at;
}

}  // namespace partita::detail
