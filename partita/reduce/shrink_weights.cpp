// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/shrink_weights.h"

#include <cassert>

namespace partita::detail {
namespace {

// More than the rounding of a price, and of a share of one.
constexpr double kPriceRounding = 1e-14;

}  // namespace

SetupWeights::SetupWeights(const SetupGraph& graph, const SetupRules& rules)
    : graph_(graph), everywhere_(graph.size(), 1) {
  assert(rules.transfers == TransferMode::Sum && !rules.has_clusters() && graph.passes() == 1);
  for (ClassId c : graph.classes()) {
    link_.push_back(rules.link(c, rules.root()));
    dearest_ = most_of(dearest_, link_[c]);
    time_.push_back(IdVector<GroupId, double>(graph.size(), 0));
    if (!rules.classes[c].pays()) continue;
    paying_.push_back(c);
    for (GroupId v : graph.all()) {
      if (!graph.time(c, v).can_run) {
        everywhere_[v] = 0;
      } else {
        time_[c][v] = graph.compute(c, v);
      }
    }
  }
}

double SetupWeights::most_time(GroupId v) const {
  double most = 0;
  for (ClassId c : paying_) most = std::max(most, time_[c][v]);
  return most;
}

bool SetupWeights::fits(GroupId v, const Traffic& room) const {
  return std::all_of(paying_.begin(), paying_.end(), [&](ClassId c) { return time_[c][v] <= price(link_[c], room); });
}

// As small a part of the net as takes the whole time in every class, or all of it.
Traffic SetupWeights::shift(GroupId v, GroupId to, const Traffic& cost) {
  double share = 0;
  for (ClassId c : paying_) {
    const double most = price(link_[c], cost);
    if (most > 0 && time_[c][v] > 0) share = std::max(share, time_[c][v] / most * (1 + 2 * kPriceRounding));
  }
  share = std::min(share, 1.0);
  const Traffic part = share < 1 ? Traffic{cost.amount * share, cost.transfers * share} : cost;
  for (ClassId c : paying_) {
    const double time = std::min(time_[c][v], price(link_[c], part) * (1 - kPriceRounding));
    time_[c][to] = sum_rounded_down(time_[c][to], time);
    time_[c][v] = lowered(time_[c][v], time);
  }
  return part;
}

void SetupWeights::forget_time(GroupId v) {
  for (ClassId c : paying_) time_[c][v] = 0;
}

}  // namespace partita::detail
