// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/setups/segment.h"

#include <algorithm>

namespace partita::detail {

Segment::Segment(const SetupGraph& graph, const SetupRules& rules) : graph_(&graph), type_(rules.clusters.size() - 1) {
  factor_ = near_factor_ = rules.root().factor;
  begin_.assign(words_for(graph.size()), 0);
  end_.assign(words_for(graph.size()), 0);
  for (GroupId v : graph.all()) set_bit(end_, v.index());
  way_.assign(graph.size(), factor_);
  price_nets();
}

Segment Segment::inside(const SetupRules& rules, std::size_t type, std::span<const Word> begin,
                        std::span<const Word> end, bool open) const {
  Segment result(*graph_, type);
  result.factor_ = rules.clusters[type].factor;
  result.open_ = open || open_;
  result.near_factor_ = result.open_ ? std::min(result.factor_, near_factor_) : result.factor_;
  result.begin_.assign(begin.begin(), begin.end());
  result.end_.assign(end.begin(), end.end());
  result.way_ = way_;
  for (GroupId v : graph_->all()) {
    if (result.holds(v)) result.way_[v] = result.near_factor_;
  }
  result.price_nets();
  return result;
}

void Segment::price_nets() {
  in_.assign(graph_->net_count(), 0);
  near_.assign(graph_->net_count(), 0);
  far_.assign(graph_->net_count(), 0);
  for (NetId e : graph_->nets()) {
    const double cost = graph_->cost(e);
    near_[e] = cost * near_factor_;
    in_[e] = graph_->producer(e).valid() ? cost * way_[graph_->producer(e)] : near_[e];
    for (GroupId v : graph_->members(e)) {
      if (!holds(v)) far_[e] = std::max(far_[e], cost * way_[v]);
    }
  }
}

}  // namespace partita::detail
