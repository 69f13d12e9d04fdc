// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/net_holders.h"

#include <algorithm>

namespace partita::detail {

NetHolders::NetHolders(const NetGraph& graph, std::size_t devices)
    : graph_(graph), row_(graph.net_count(), kNoRow), cut_at_(graph.net_count(), 0) {
  std::size_t counters = 0;
  for (NetId e : graph.nets()) {
    const std::size_t members = graph.members(e).size();
    if (members == 2 || devices > kRowPerMember * members) continue;
    row_[e] = counters;
    counters += devices;
  }
  held_.assign(counters, 0);
}

void NetHolders::reset(const IdVector<GroupId, DeviceId>& device_of) {
  device_of_ = device_of;
  std::fill(held_.begin(), held_.end(), 0);
  cut_.clear();
  for (NetId e : graph_.nets()) {
    const auto members = graph_.members(e);
    const DeviceId first = device_of_[members[0]];
    if (std::any_of(members.begin(), members.end(), [&](GroupId v) { return device_of_[v] != first; })) list_cut(e);
    if (row_[e] == kNoRow) continue;
    for (GroupId v : members) ++held_[row_[e] + device_of_[v].index()];
  }
}

}  // namespace partita::detail
