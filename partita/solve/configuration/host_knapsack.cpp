// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/configuration/host_knapsack.h"

#include <algorithm>

namespace partita::detail {

HostKnapsack fill_host(const Scaled& scaled, const std::vector<double>& prices) {
  HostKnapsack result;
  result.fraction.assign(prices.size(), 0);
  std::vector<GroupId> by_worth;
  for (GroupId v : scaled.time.all()) {
    if (scaled.on_host(v) && prices[v.index()] > 0) by_worth.push_back(v);
  }
  const auto time = [&](GroupId v) { return static_cast<double>(scaled.time[v]); };
  std::sort(by_worth.begin(), by_worth.end(),
            [&](GroupId a, GroupId b) { return prices[a.index()] * time(b) > prices[b.index()] * time(a); });
  double room = static_cast<double>(scaled.limit);
  for (GroupId v : by_worth) {
    const double part = time(v) <= room ? 1.0 : std::max(0.0, room / time(v));
    result.fraction[v.index()] = part;
    result.price += part * prices[v.index()];
    room -= time(v);
  }
  return result;
}

}  // namespace partita::detail
