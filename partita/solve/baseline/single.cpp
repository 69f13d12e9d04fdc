// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/baseline/single.h"

#include <algorithm>

#include "partita/reduce/staged_instance.h"
#include "partita/solve/baseline/group_split.h"

namespace partita {

std::optional<Split> single_split(const Problem& problem) {
  const StagedInstance instance = make_staged_instance(problem);
  const StageGraph& graph = instance.graph;
  const bool shaped = problem.objective == Objective::Latency || problem.shape != Shape::Free;
  const DeviceId accelerator(0), host(static_cast<std::size_t>(instance.platform.accelerators));
  const DeviceId last_host(host.index() + (instance.platform.hosts > 1 ? 1 : 0));

  IdVector<GroupId, DeviceId> device_of(graph.size());
  IdVector<GroupId, char> behind(graph.size(), 0);  // on a host, and some path to it comes from the accelerator
  for (GroupId g : graph.all()) {
    const bool can_accelerate = instance.platform.accelerators > 0 && graph.group(g).on_accelerator;
    const bool can_host = instance.platform.hosts > 0 && graph.group(g).on_host;
    if (!can_accelerate && !can_host) return std::nullopt;
    bool after_accelerator = false, comes_back = false;
    for (GroupId p : graph.predecessors(g)) {
      comes_back = comes_back || behind[p];
      after_accelerator = after_accelerator || behind[p] || device_of[p] < host;
    }
    if (can_accelerate && !(shaped && comes_back && can_host)) {
      device_of[g] = accelerator;
    } else {
      behind[g] = after_accelerator;
      device_of[g] = shaped && after_accelerator ? last_host : host;
    }
  }
  return split_of_groups(problem, instance, device_of);
}

}  // namespace partita
