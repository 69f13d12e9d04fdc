// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/setups/segment.h"

#include <algorithm>

namespace partita::detail {

Segment::Segment(const SetupGraph& graph, const SetupRules& rules) : graph_(&graph), type_(rules.clusters.size() - 1) {
  factor_ = rules.root().factor;
  ways_.push_back(rules.root().links);
  begin_.assign(words_for(graph.size()), 0);
  end_.assign(words_for(graph.size()), 0);
  for (GroupId v : graph.all()) set_bit(end_, v.index());
  way_.assign(graph.size(), 0);
  price_nets();
}

Segment Segment::inside(const SetupRules& rules, std::size_t type, std::span<const Word> begin,
                        std::span<const Word> end, bool open) const {
  Segment result(*graph_, type);
  result.factor_ = rules.clusters[type].factor;
  result.open_ = open || open_;
  result.ways_ = ways_;
  result.ways_.push_back(rules.clusters[type].links);
  for (std::size_t t = 0; t < rules.tariffs() && result.open_; ++t)
    result.ways_.back()[t] = least_of(result.ways_.back()[t], near(t));
  result.begin_.assign(begin.begin(), begin.end());
  result.end_.assign(end.begin(), end.end());
  result.way_ = way_;
  for (GroupId v : graph_->all()) {
    if (result.holds(v)) result.way_[v] = static_cast<std::uint32_t>(ways_.size());
  }
  result.price_nets();
  return result;
}

void Segment::price_nets() {
  prices_.assign(ways_.back().size(), IdVector<NetId, Prices>(graph_->net_count()));
  for (std::size_t t = 0; t < prices_.size(); ++t) {
    for (NetId e : graph_->nets()) {
      const auto paid = [&](GroupId v) { return price(ways_[way_[v]][t], graph_->traffic(e)); };
      Prices& of_net = prices_[t][e];
      of_net.near = price(near(t), graph_->traffic(e));
      of_net.in = graph_->producer(e).valid() ? paid(graph_->producer(e)) : of_net.near;
      for (GroupId v : graph_->members(e)) {
        if (!holds(v)) of_net.far = std::max(of_net.far, paid(v));
      }
    }
  }
}

}  // namespace partita::detail
