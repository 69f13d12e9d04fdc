// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/staged_instance.h"

#include <fmt/format.h>

#include <algorithm>

#include "partita/reduce/colours.h"
#include "partita/reduce/mirror.h"
#include "partita/reduce/platform_kinds.h"
#include "partita/reduce/transfers.h"

namespace partita::detail {
namespace {

std::size_t count_orphans(const ColourClasses& classes) {
  return static_cast<std::size_t>(std::count(classes.has_forward.begin(), classes.has_forward.end(), 0));
}

}  // namespace

StagedInstance make_staged_instance(const Problem& problem) {
  const Graph& graph = problem.workload->graph;
  const PlatformKinds kinds = platform_kinds(problem.workload->platform);
  const ColourClasses classes = find_colour_classes(graph);
  const auto groups = kind_weights(graph, classes.class_of, classes.members.size(), kinds);

  IdVector<GroupId, GroupId> identity(groups.size());
  for (GroupId c : identity.all()) identity[c] = c;
  Contraction contraction = contract(groups, class_precedence(graph, classes, problem.backward_shape),
                                     transfer_nets(graph, classes, kinds.link), identity);

  StagedInstance instance;
  instance.platform = stage_platform(problem.workload->platform, kinds, contraction.graph.size());
  instance.group_of.resize(graph.nodes.size());
  for (NodeId v : graph.nodes.all()) instance.group_of[v] = contraction.lift[classes.class_of[v]];
  instance.steps.push_back(fmt::format("colour classes: {} nodes -> {} groups", graph.nodes.size(), groups.size()));
  if (count_orphans(classes) > 0)
    instance.steps.push_back(fmt::format("orphans mirrored: {} groups", count_orphans(classes)));
  instance.steps.push_back(fmt::format("cycles contracted: {} groups -> {}", groups.size(), contraction.graph.size()));
  instance.graph = std::move(contraction.graph);
  return instance;
}

Split lift_stages(const Problem& problem, const StagedInstance& instance, const std::vector<Stage>& stages) {
  const Platform& platform = problem.workload->platform;
  const PlatformKinds kinds = platform_kinds(platform);
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

}  // namespace partita::detail
