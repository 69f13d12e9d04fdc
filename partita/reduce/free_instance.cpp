// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/free_instance.h"

#include "partita/reduce/colours.h"
#include "partita/reduce/platform_kinds.h"
#include "partita/reduce/transfers.h"

namespace partita {
namespace {

// Where the solver's accelerators and hosts begin among the platform's devices.
struct FirstDevices {
  std::size_t accelerator = 0, host = 0;
};

FirstDevices first_devices(const Platform& platform) {
  const PlatformKinds kinds = platform_kinds(platform);
  FirstDevices first;
  if (kinds.accelerator.valid()) first.accelerator = platform.first_device(kinds.accelerator).index();
  if (kinds.host.valid()) first.host = platform.first_device(kinds.host).index();
  return first;
}

}  // namespace

FreeInstance make_free_instance(const Problem& problem) {
  const Graph& graph = problem.workload->graph;
  const PlatformKinds kinds = platform_kinds(problem.workload->platform);
  const ColourClasses classes = find_colour_classes(graph);
  FreeInstance instance;
  instance.graph = NetGraph(class_weights(graph, classes, kinds), transfer_nets(graph, classes));
  instance.platform = stage_platform(problem.workload->platform, kinds, instance.graph.size());
  instance.group_of = classes.class_of;
  return instance;
}

Split lift_free(const Problem& problem, const FreeInstance& instance, const FreeSplit& split) {
  const FirstDevices first = first_devices(problem.workload->platform);
  const std::size_t accelerators = static_cast<std::size_t>(instance.platform.accelerators);
  Split result;
  result.device_of.resize(instance.group_of.size());
  for (NodeId v : instance.group_of.all()) {
    const std::size_t device = split.device_of[instance.group_of[v]].index();
    result.device_of[v] =
        DeviceId(device < accelerators ? first.accelerator + device : first.host + device - accelerators);
  }
  return result;
}

FreeSplit to_free(const Problem& problem, const FreeInstance& instance, const Split& split) {
  const Platform& platform = problem.workload->platform;
  const std::size_t accelerators = static_cast<std::size_t>(instance.platform.accelerators);
  // Device numbers may be sparse where the platform has more devices than groups; number those in use.
  std::vector<std::size_t> number(platform.device_count(), 0);
  std::vector<char> used(platform.device_count(), 0);
  for (DeviceId d : split.device_of) used[d.index()] = 1;
  std::size_t next_accelerator = 0, next_host = accelerators;
  for (std::size_t d = 0; d < used.size(); ++d) {
    if (!used[d]) continue;
    const bool host = platform.classes[platform.class_of(DeviceId(d))].kind == DeviceKind::Host;
    number[d] = host ? next_host++ : next_accelerator++;
  }
  FreeSplit result;
  result.device_of.resize(instance.graph.size());
  for (NodeId v : instance.group_of.all())
    result.device_of[instance.group_of[v]] = DeviceId(number[split.device_of[v].index()]);
  return result;
}

}  // namespace partita
