// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/platform_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "partita/reduce/group_weights.h"
#include "partita/reduce/links.h"
#include "partita/util/error.h"

namespace partita::detail {

PlatformKinds platform_kinds(const Platform& platform) {
  PlatformKinds found;
  for (ClassId c : platform.classes.all()) {
    if (platform.classes[c].count == 0) continue;
    assert(platform.classes[c].contention == 1);  // with_busy_times has it in the times
    ClassId& slot = platform.classes[c].kind == DeviceKind::Accelerator ? found.accelerator : found.host;
    if (slot.valid()) {
      throw InputError(
          ErrorKind::Unsupported, "platform",
          fmt::format("two classes of {}s ({} and {}); splits are found for one class of each kind",
                      to_string(platform.classes[c].kind), platform.classes[slot].name, platform.classes[c].name));
    }
    slot = c;
  }
  if (found.accelerator.valid()) found.link = link_of(platform.classes[found.accelerator]);
  return found;
}

StagePlatform stage_platform(const Platform& platform, const PlatformKinds& kinds, std::size_t groups) {
  const int most = static_cast<int>(std::max<std::size_t>(groups, 1));
  StagePlatform result;
  if (kinds.accelerator.valid()) {
    result.accelerators = std::min(platform.classes[kinds.accelerator].count, most);
    result.accelerator_memory = platform.classes[kinds.accelerator].memory;
  }
  if (kinds.host.valid()) {
    result.hosts = std::min(platform.classes[kinds.host].count, most);
    result.host_memory = platform.classes[kinds.host].memory;
  }
  return result;
}

IdVector<GroupId, Group> kind_weights(const Graph& graph, const IdVector<NodeId, GroupId>& group_of, std::size_t groups,
                                      const PlatformKinds& kinds, std::optional<std::size_t> pass) {
  const Passes passes = pass ? Passes::Apart : Passes::AsOne;
  const auto on_accelerator = times_on(kinds.accelerator, graph, group_of, groups, passes);
  const auto on_host = times_on(kinds.host, graph, group_of, groups, passes);
  const auto memory = memory_of(graph, group_of, groups);
  const auto time = [&](const ClassTime& on) { return on.can_run ? on.pass[pass.value_or(0)] : 0; };
  IdVector<GroupId, Group> weights;
  for (GroupId v : memory.all()) {
    const ClassTime &accelerator = on_accelerator[v], &host = on_host[v];
    weights.push_back({time(accelerator), time(host), memory[v], accelerator.can_run, host.can_run});
  }
  return weights;
}

}  // namespace partita::detail
