// SPDX-License-Identifier: Apache-2.0
#include "partita/report/plan/device_lists.h"

#include <algorithm>

#include "partita/report/plan_json.h"

namespace partita::detail {

IdVector<DeviceId, OriginalIds> node_lists(const Problem& problem, const Split& split) {
  const auto& nodes = problem.workload->graph.nodes;
  IdVector<DeviceId, OriginalIds> lists(problem.workload->platform.device_count());
  for (NodeId v : nodes.all()) lists[split.device_of[v]].push_back(nodes[v].original_id);
  return lists;
}

SubgraphLists subgraph_lists(const Problem& problem, const Split& split) {
  const auto& nodes = problem.workload->graph.nodes;
  const IdVector<DeviceId, std::vector<OriginalIds>> none(problem.workload->platform.device_count());
  SubgraphLists lists{none, none};
  for (NodeId v : nodes.all()) {
    const std::size_t place = split.subgraph_of.empty() ? 0 : split.subgraph_of[v];
    std::vector<OriginalIds>& list = (nodes[v].backward ? lists.backward : lists.forward)[split.device_of[v]];
    if (list.size() <= place) list.resize(place + 1);
    list[place].push_back(nodes[v].original_id);
  }
  return lists;
}

bool has_subgraphs(const Problem& problem) { return problem.objective == Objective::Latency && problem.subgraphs > 1; }

PlacesInList places_in_list(const Platform& platform, const CheckReport& report) {
  PlacesInList places(platform.device_count());
  std::size_t next = 0;
  for (DeviceId d : places.all()) {
    if (places.size() <= kIdleListedUpTo || report.devices[d].original.valid()) places[d] = next++;
  }
  return places;
}

bool is_copy(const Split& split, DeviceId device) {
  if (split.copy_of.empty()) return false;
  const DeviceId original = split.copy_of[device];
  return original.valid() && original != device;
}

bool has_copies(const Split& split) {
  for (DeviceId d : split.copy_of.all()) {
    if (is_copy(split, d)) return true;
  }
  return false;
}

bool recomputes(const Split& split, DeviceId device) { return !split.recomputes.empty() && split.recomputes[device]; }

bool has_recomputing(const Split& split) {
  return std::any_of(split.recomputes.begin(), split.recomputes.end(), [](char one) { return one != 0; });
}

}  // namespace partita::detail
