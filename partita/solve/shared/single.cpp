// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/shared/single.h"

#include "partita/reduce/device_table.h"
#include "partita/reduce/stage_order.h"

namespace partita::detail {
namespace {

// The class that runs most groups, and takes least for them.
std::size_t best_accelerator_class(const IdVector<GroupId, ClassGroup>& groups, const DeviceTable& devices) {
  std::size_t best = 0;
  std::pair<std::size_t, double> least;  // groups left out, time
  for (std::size_t c = 0; c < devices.accelerator_classes(); ++c) {
    std::pair<std::size_t, double> here{0, 0};
    for (const ClassGroup& group : groups) {
      here.first += group.runs_on[c] ? 0 : 1;
      here.second += group.time[c];
    }
    if (c > 0 && here >= least) continue;
    least = here;
    best = c;
  }
  return best;
}

}  // namespace

std::optional<Split> single_split(const Problem& problem) {
  const StageOrder staged = find_stage_order(problem);
  const DeviceTable devices(problem.workload->platform, staged.graph.size());
  const auto groups = class_groups(problem.workload->graph, staged.group_of, devices);
  const bool shaped = problem.objective == Objective::Latency || problem.shape != Shape::Free;
  const std::size_t one = best_accelerator_class(groups, devices);
  const bool accelerates = devices.accelerators() > 0;
  // The first host that can run it; with `behind`, the one after the first of all.
  const auto host_for = [&](GroupId g, bool behind) {
    const std::size_t first = devices.accelerators(), hosts = devices.size() - first;
    for (std::size_t h = first + (behind && hosts > 1 ? 1 : 0); h < devices.size(); ++h) {
      if (groups[g].runs_on[devices.class_number(DeviceId(h))]) return DeviceId(h);
    }
    for (std::size_t h = first; h < devices.size(); ++h) {
      if (groups[g].runs_on[devices.class_number(DeviceId(h))]) return DeviceId(h);
    }
    return DeviceId();
  };

  IdVector<GroupId, DeviceId> device_of(staged.graph.size());
  IdVector<GroupId, char> behind(staged.graph.size(), 0);  // on a host, and some path to it comes from the accelerator
  for (GroupId g : staged.graph.all()) {
    const bool can_accelerate = accelerates && groups[g].runs_on[one];
    const DeviceId host = host_for(g, false);
    if (!can_accelerate && !host.valid()) return std::nullopt;
    bool after_accelerator = false, comes_back = false;
    for (GroupId p : staged.graph.predecessors(g)) {
      comes_back = comes_back || behind[p];
      after_accelerator = after_accelerator || behind[p] || !devices.is_host(device_of[p]);
    }
    if (can_accelerate && !(shaped && comes_back && host.valid())) {
      device_of[g] = DeviceId(devices.classes()[one].first);
    } else {
      behind[g] = after_accelerator;
      device_of[g] = shaped && after_accelerator ? host_for(g, true) : host;
    }
  }
  return devices.lift(staged.group_of, device_of);
}

}  // namespace partita::detail
