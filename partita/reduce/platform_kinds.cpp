// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/platform_kinds.h"

#include <fmt/format.h>

#include <algorithm>

#include "partita/util/error.h"

namespace partita::detail {

PlatformKinds platform_kinds(const Platform& platform) {
  PlatformKinds found;
  for (ClassId c : platform.classes.all()) {
    if (platform.classes[c].count == 0) continue;
    ClassId& slot = platform.classes[c].kind == DeviceKind::Accelerator ? found.accelerator : found.host;
    if (slot.valid()) {
      throw InputError(
          ErrorKind::Unsupported, "platform",
          fmt::format("two classes of {}s ({} and {}); splits are found for one class of each kind",
                      to_string(platform.classes[c].kind), platform.classes[slot].name, platform.classes[c].name));
    }
    slot = c;
  }
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

IdVector<GroupId, Group> class_weights(const Graph& graph, const ColourClasses& classes, const PlatformKinds& kinds) {
  IdVector<GroupId, Group> groups(classes.members.size());
  for (GroupId c : groups.all()) {
    Group& g = groups[c];
    const auto add = [&](ClassId device_class, NodeId v, bool& supported, double& time) {
      const double t = device_class.valid() ? graph.nodes[v].time[device_class.index()] : kCannotRun;
      supported = supported && t != kCannotRun;
      time = supported ? time + t : 0;
    };
    for (NodeId v : classes.members[c.index()]) {
      add(kinds.accelerator, v, g.on_accelerator, g.accelerator_time);
      add(kinds.host, v, g.on_host, g.host_time);
      g.memory += graph.nodes[v].memory;
    }
  }
  return groups;
}

}  // namespace partita::detail
