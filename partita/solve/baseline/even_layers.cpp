// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/baseline/even_layers.h"

#include "partita/reduce/device_table.h"
#include "partita/reduce/stage_order.h"

namespace partita::detail {

std::optional<Split> even_layers_split(const Problem& problem) {
  const StageOrder staged = find_stage_order(problem);
  const std::size_t layers = staged.graph.size();
  const DeviceTable devices(problem.workload->platform, layers);
  const auto groups = class_groups(problem.workload->graph, staged.group_of, devices);
  const std::size_t accelerators = devices.accelerators(), hosts = devices.size() - accelerators;
  const auto runs_on = [&](std::size_t device, GroupId g) {
    return groups[g].runs_on[devices.class_number(DeviceId(device))] != 0;
  };

  IdVector<GroupId, DeviceId> device_of(layers);
  for (GroupId g : device_of.all()) {
    const std::size_t share =
        accelerators > 0 ? g.index() * accelerators / layers : accelerators + g.index() * hosts / layers;
    if (runs_on(share, g)) {
      device_of[g] = DeviceId(share);
      continue;
    }
    std::size_t host = accelerators;
    while (host < devices.size() && !runs_on(host, g)) ++host;
    if (host == devices.size()) return std::nullopt;
    device_of[g] = DeviceId(host);
  }
  return devices.lift(staged.group_of, device_of);
}

}  // namespace partita::detail
