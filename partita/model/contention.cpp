// SPDX-License-Identifier: Apache-2.0
#include "partita/model/contention.h"

#include <algorithm>

namespace partita::detail {

IdVector<ClassId, double> slow_downs(const Platform& platform) {
  const bool alone = platform.device_count() <= 1;
  IdVector<ClassId, double> result;
  for (const DeviceClass& c : platform.classes) result.push_back(alone ? 1 : c.contention);
  return result;
}

Problem with_busy_times(const Problem& problem) {
  const auto none = [](const DeviceClass& c) { return c.contention == 1; };
  if (std::ranges::all_of(problem.workload->platform.classes, none)) return problem;
  Problem busy = problem;
  Workload& workload = busy.workload.change();
  const IdVector<ClassId, double> slow_down = slow_downs(workload.platform);
  for (Node& node : workload.graph.nodes) {
    for (ClassId c : slow_down.all()) node.time[c.index()] *= slow_down[c];  // kCannotRun stays what it is
  }
  for (DeviceClass& c : workload.platform.classes) c.contention = 1;
  return busy;
}

}  // namespace partita::detail
