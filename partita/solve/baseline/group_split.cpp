// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/baseline/group_split.h"

#include "partita/reduce/platform_kinds.h"

namespace partita {

Split split_of_groups(const Problem& problem, const StagedInstance& instance,
                      const IdVector<GroupId, DeviceId>& device_of) {
  const Platform& platform = problem.workload->platform;
  const PlatformKinds kinds = platform_kinds(platform);
  const auto accelerators = static_cast<std::size_t>(instance.platform.accelerators);
  const auto of_problem = [&](std::size_t device) {
    const bool host = device >= accelerators;
    const DeviceId first = platform.first_device(host ? kinds.host : kinds.accelerator);
    return DeviceId(first.index() + (host ? device - accelerators : device));
  };
  Split split;
  for (NodeId v : instance.group_of.all())
    split.device_of.push_back(of_problem(device_of[instance.group_of[v]].index()));
  return split;
}

}  // namespace partita
