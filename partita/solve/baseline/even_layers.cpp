// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/baseline/even_layers.h"

#include "partita/reduce/staged_instance.h"
#include "partita/solve/baseline/group_split.h"

namespace partita {

std::optional<Split> even_layers_split(const Problem& problem) {
  const StagedInstance instance = make_staged_instance(problem);
  const StageGraph& graph = instance.graph;
  const auto accelerators = static_cast<std::size_t>(instance.platform.accelerators);
  const auto hosts = static_cast<std::size_t>(instance.platform.hosts);
  const DeviceId first_host(accelerators);

  IdVector<GroupId, DeviceId> device_of(graph.size());
  for (GroupId g : graph.all()) {
    if (accelerators > 0 && graph.group(g).on_accelerator) {
      device_of[g] = DeviceId(g.index() * accelerators / graph.size());
    } else if (hosts > 0 && graph.group(g).on_host) {
      device_of[g] = accelerators > 0 ? first_host : DeviceId(g.index() * hosts / graph.size());
    } else {
      return std::nullopt;
    }
  }
  return split_of_groups(problem, instance, device_of);
}

}  // namespace partita
