// SPDX-License-Identifier: Apache-2.0
#include "partita/read/planner_file.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "partita/model/exact_memory.h"
#include "partita/model/graph_checks.h"
#include "partita/util/error.h"

namespace partita::detail {

PlatformSpec planner_devices(const PlatformOverrides& overrides, const std::optional<Platform>& own,
                             const std::string& source) {
  PlatformSpec spec;
  if (overrides.platform) {
    spec = *overrides.platform;
    override_devices(overrides, spec.platform);
  } else {
    if (!overrides.accelerators && !own) {
      throw InputError(ErrorKind::BadPlatform, "PlatformOverrides::accelerators",
                       fmt::format("is not given, and {} names no devices; expected how many there are", source));
    }
    const DeviceClass* accelerators = own ? &own->classes[ClassId(0)] : nullptr;
    const int count =
        overrides.accelerators ? checked_count(*overrides.accelerators, "accelerators") : accelerators->count;
    const double memory = overrides.memory ? checked_memory(*overrides.memory)
                          : own            ? accelerators->memory
                                           : kUnlimited;
    spec.platform = make_platform(count, memory, checked_count(overrides.hosts.value_or(0), "hosts"));
    if (own) spec.platform.sync_bandwidth = own->sync_bandwidth;
  }
  override_links(overrides, spec);
  if (const std::string fault = device_fault(spec.platform); !fault.empty()) {
    throw InputError(ErrorKind::BadPlatform, source, fault);
  }
  if (spec.platform.device_count(DeviceKind::Accelerator) == 0) {
    throw InputError(ErrorKind::BadPlatform, source,
                     "its times are those of accelerators, but there are none; expected at least one");
  }
  return spec;
}

std::vector<double> accelerator_times(const PlatformSpec& spec, double time) {
  std::vector<double> times;
  for (ClassId c : spec.platform.classes.all()) {
    const double factor = spec.time_factor.empty() ? 1 : spec.time_factor[c];
    times.push_back(spec.platform.classes[c].kind == DeviceKind::Accelerator ? time * factor : kCannotRun);
  }
  return times;
}

void finish_planner_file(Workload& workload, const std::string& source) {
  const auto refuse = [&source](ErrorKind kind, const std::string& fault) {
    if (!fault.empty()) throw InputError(kind, source, fault);
  };
  if (workload.graph.nodes.empty()) refuse(ErrorKind::BadGraph, "has no nodes; expected at least one");
  for (const Edge& edge : workload.graph.edges) refuse(ErrorKind::BadGraph, edge_fault(workload.graph, edge));
  drop_repeated_edges(workload.graph);
  make_memory_sums_exact(workload);
  refuse(ErrorKind::BadGraph, cycle_fault(workload.graph));
  refuse(ErrorKind::BadNumber, number_fault(workload));
}

}  // namespace partita::detail
