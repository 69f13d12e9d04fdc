// SPDX-License-Identifier: Apache-2.0
// Random small graphs of groups and nets, and their optimum by looking at all assignments. Shares no code with the
// solvers but the graph itself.
#pragma once

#include <cstdint>
#include <vector>

#include "partita/reduce/free_instance.h"

namespace partita::detail::test {

struct NetCase {
  NetGraph graph;
  StagePlatform platform;
};

// 1 to `most` groups: free groups, nets of any size and none, costs that are often equal or zero, several pieces,
// groups that some or all devices cannot run, any number of accelerators and hosts (of each kind perhaps none, or more
// than groups), memory limits that often bind.
NetCase random_net_case(std::uint64_t seed, int most = 8);

// The same as an instance of the free solvers, with these devices and no others.
FreeInstance instance_of(const NetGraph& graph, const StagePlatform& platform);
inline FreeInstance instance_of(const NetCase& one) { return instance_of(one.graph, one.platform); }

// What an assignment costs, read off the definition. `legal` is support and memory.
struct NetEvaluation {
  bool legal = true;
  std::vector<double> load, memory;
  double value = 0;
};
NetEvaluation evaluate(const NetGraph& graph, const StagePlatform& platform,
                       const IdVector<GroupId, DeviceId>& device_of);

// The least possible largest load of any legal assignment, or infinity. Of each kind of device only the first unused
// one is tried; for up to about nine groups.
double least_free_value(const NetGraph& graph, const StagePlatform& platform);

}  // namespace partita::detail::test
