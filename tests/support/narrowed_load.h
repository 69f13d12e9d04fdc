// SPDX-License-Identifier: Apache-2.0
// What a set costs where nets count no more than a trellis says, as a certificate hands it on.
#pragma once

#include <algorithm>
#include <vector>

#include "partita/solve/configuration/trellis.h"

namespace partita::detail::test {

inline double narrowed_load(const NetGraph& graph, const Trellis& trellis, const std::vector<GroupId>& set) {
  std::vector<Net> nets;
  for (NetId e : graph.nets()) {
    const auto narrowed = std::ranges::find(trellis.narrowed(), e, &NarrowedNet::net);
    std::vector<GroupId> members{graph.members(e).begin(), graph.members(e).end()};
    nets.push_back({graph.cost(e), narrowed == trellis.narrowed().end() ? members : narrowed->counted});
  }
  IdVector<GroupId, Group> groups;
  for (GroupId v : graph.all()) groups.push_back(graph.group(v));
  return accelerator_load(NetGraph(std::move(groups), std::move(nets)), set);
}

}  // namespace partita::detail::test
