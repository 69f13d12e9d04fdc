// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/staged_instance.h"

#include <fmt/format.h>

#include <algorithm>

#include "partita/reduce/colours.h"
#include "partita/reduce/mirror.h"
#include "partita/reduce/transfers.h"
#include "partita/util/error.h"

namespace partita {
namespace {

// Sums of bytes are exact below 2^53; the slack serves files with fractional sizes.
constexpr double kMemorySlack = 1e-12;

struct KindClasses {
  ClassId accelerator, host;
};

KindClasses classes_by_kind(const Platform& platform) {
  KindClasses found;
  for (ClassId c : platform.classes.all()) {
    if (platform.classes[c].count == 0) continue;
    ClassId& slot = platform.classes[c].kind == DeviceKind::Accelerator ? found.accelerator : found.host;
    if (slot.valid()) {
      throw InputError(ErrorKind::Unsupported, "platform",
                       fmt::format("two classes of {}s ({} and {}); staged splits are solved for one class of each kind",
                                   to_string(platform.classes[c].kind), platform.classes[slot].name, platform.classes[c].name));
    }
    slot = c;
  }
  return found;
}

StagePlatform stage_platform(const Platform& platform, const KindClasses& kinds) {
  StagePlatform result;
  if (kinds.accelerator.valid()) {
    result.accelerators = platform.classes[kinds.accelerator].count;
    result.accelerator_memory = platform.classes[kinds.accelerator].memory * (1 + kMemorySlack);
  }
  if (kinds.host.valid()) {
    result.hosts = platform.classes[kinds.host].count;
    result.host_memory = platform.classes[kinds.host].memory * (1 + kMemorySlack);
  }
  return result;
}

IdVector<GroupId, Group> class_weights(const Graph& graph, const ColourClasses& classes, const KindClasses& kinds) {
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

std::size_t count_orphans(const ColourClasses& classes) {
  return static_cast<std::size_t>(std::count(classes.has_forward.begin(), classes.has_forward.end(), 0));
}

}  // namespace

StagedInstance make_staged_instance(const Problem& problem) {
  const Graph& graph = problem.workload.graph;
  const KindClasses kinds = classes_by_kind(problem.workload.platform);
  const ColourClasses classes = find_colour_classes(graph);
  const auto groups = class_weights(graph, classes, kinds);

  IdVector<GroupId, GroupId> identity(groups.size());
  for (GroupId c : identity.all()) identity[c] = c;
  Contraction contraction =
      contract(groups, class_precedence(graph, classes, problem.backward_shape), transfer_nets(graph, classes), identity);

  StagedInstance instance;
  instance.platform = stage_platform(problem.workload.platform, kinds);
  // More devices than groups are of no use, and the tables grow with their number.
  const int most = static_cast<int>(std::max<std::size_t>(contraction.graph.size(), 1));
  instance.platform.accelerators = std::min(instance.platform.accelerators, most);
  instance.platform.hosts = std::min(instance.platform.hosts, most);
  instance.group_of.resize(graph.nodes.size());
  for (NodeId v : graph.nodes.all()) instance.group_of[v] = contraction.lift[classes.class_of[v]];
  instance.steps.push_back(fmt::format("colour classes: {} nodes -> {} groups", graph.nodes.size(), groups.size()));
  if (count_orphans(classes) > 0) instance.steps.push_back(fmt::format("orphans mirrored: {} groups", count_orphans(classes)));
  instance.steps.push_back(fmt::format("cycles contracted: {} groups -> {}", groups.size(), contraction.graph.size()));
  instance.graph = std::move(contraction.graph);
  return instance;
}

Split lift_stages(const Problem& problem, const StagedInstance& instance, const std::vector<Stage>& stages) {
  const Platform& platform = problem.workload.platform;
  const KindClasses kinds = classes_by_kind(platform);
  DeviceId next_accelerator = kinds.accelerator.valid() ? platform.first_device(kinds.accelerator) : DeviceId();
  DeviceId next_host = kinds.host.valid() ? platform.first_device(kinds.host) : DeviceId();
  IdVector<GroupId, DeviceId> device_of(instance.graph.size());
  Split split;
  for (const Stage& stage : stages) {
    DeviceId& next = stage.on_host ? next_host : next_accelerator;
    for (GroupId v : stage.groups) device_of[v] = next;
    split.order.push_back(next);
    ++next;
  }
  split.device_of.resize(instance.group_of.size());
  for (NodeId v : instance.group_of.all()) split.device_of[v] = device_of[instance.group_of[v]];
  return split;
}

std::vector<Stage> lift_stages(const Lift& lift, const std::vector<Stage>& stages) {
  std::vector<Stage> result(stages.size());
  std::vector<std::size_t> stage_of(lift.size(), 0);
  for (std::size_t s = 0; s < stages.size(); ++s) {
    result[s].on_host = stages[s].on_host;
    for (GroupId v : stages[s].groups) stage_of[v.index()] = s;
  }
  for (GroupId v : lift.all()) result[stage_of[lift[v].index()]].groups.push_back(v);
  return result;
}

}  // namespace partita
