// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/staged_split.h"

#include <algorithm>

namespace partita::detail {

double accelerator_load(const NetGraph& graph, std::span<const GroupId> groups) {
  std::vector<NetId> touched;
  double load = 0;
  for (GroupId v : groups) {
    load += graph.accelerator_time(v);
    touched.insert(touched.end(), graph.nets_of(v).begin(), graph.nets_of(v).end());
  }
  // A net appears once per member held; it is cut unless all members are.
  std::sort(touched.begin(), touched.end());
  for (std::size_t i = 0; i < touched.size();) {
    std::size_t j = i;
    while (j < touched.size() && touched[j] == touched[i]) ++j;
    if (j - i < graph.members(touched[i]).size()) load += graph.cost(touched[i]);
    i = j;
  }
  return load;
}

double host_load(const NetGraph& graph, std::span<const GroupId> groups) {
  double load = 0;
  for (GroupId v : groups) load += graph.host_time(v);
  return load;
}

double largest_load(const NetGraph& graph, std::span<const Stage> stages) {
  double largest = 0;
  for (const Stage& stage : stages) {
    largest = std::max(largest, stage.on_host ? host_load(graph, stage.groups) : accelerator_load(graph, stage.groups));
  }
  return largest;
}

}  // namespace partita::detail
