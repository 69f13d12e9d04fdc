// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/configuration/interval_sets.h"

namespace partita::detail {
namespace {

constexpr std::size_t kMostIntervals = 3'000;
constexpr int kConvexTries = 8;  // of the longest that are within the limit

}  // namespace

std::vector<std::vector<GroupId>> interval_sets(const NetGraph& graph, double memory, const ConvexOrder& order,
                                                double limit, const Budget* budget) {
  std::vector<std::vector<GroupId>> result;
  TimeWatch watch(budget);
  IdVector<NetId, std::size_t> inside(graph.net_count(), 0);
  const std::size_t stride = 1 + graph.size() / kMostIntervals;
  for (std::size_t from = 0; from < graph.size(); from += stride) {
    double time = 0, cut = 0;
    std::vector<std::size_t> ends;  // of the intervals within the limit
    std::size_t to = from;
    for (; to < graph.size(); ++to) {
      const GroupId v(to);
      const Group& g = graph.group(v);
      if (!g.on_accelerator || g.memory > memory || time + g.accelerator_time > limit) break;
      time += g.accelerator_time;
      watch.step(1 + graph.nets_of(v).size());
      for (NetId e : graph.nets_of(v)) {
        if (++inside[e] == 1) cut += graph.cost(e);
        if (inside[e] == graph.members(e).size()) cut -= graph.cost(e);
      }
      if (time + cut <= limit) ends.push_back(to + 1);
    }
    for (std::size_t i = from; i < to; ++i) {
      for (NetId e : graph.nets_of(GroupId(i))) inside[e] = 0;
    }
    for (int i = 0; i < kConvexTries && !ends.empty(); ++i, ends.pop_back()) {
      std::vector<GroupId> set;
      for (std::size_t v = from; v < ends.back(); ++v) set.emplace_back(v);
      watch.step(set.size());
      if (!order.is_convex(set) || accelerator_load(graph, set) > limit) continue;
      result.push_back(std::move(set));
      break;
    }
  }
  return result;
}

}  // namespace partita::detail
