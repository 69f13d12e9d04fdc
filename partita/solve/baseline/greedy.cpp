// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/baseline/greedy.h"

#include <algorithm>
#include <vector>

#include "partita/reduce/platform_kinds.h"
#include "partita/reduce/staged_instance.h"

namespace partita {
namespace {

class Filling {
 public:
  explicit Filling(const StagedInstance& instance)
      : instance_(instance),
        used_(static_cast<std::size_t>(instance.platform.accelerators + instance.platform.hosts), 0),
        earliest_(instance.graph.size(), 0),
        device_of_(instance.graph.size()) {}

  // By group: accelerators from 0, then hosts.
  std::optional<IdVector<GroupId, std::size_t>> run() {
    for (GroupId g : instance_.graph.all()) {
      if (!place(g)) return std::nullopt;
    }
    return device_of_;
  }

 private:
  bool place(GroupId g) {
    const Group& group = instance_.graph.group(g);
    const StagePlatform& platform = instance_.platform;
    const auto accelerators = static_cast<std::size_t>(platform.accelerators);
    // The first accelerator that can still take it without a way back to an earlier one.
    std::size_t first = 0;
    for (GroupId p : instance_.graph.predecessors(g)) first = std::max(first, earliest_[p]);
    if (may_be_on_accelerator(group, platform)) {
      for (std::size_t a = std::max(first, filling_); a < accelerators; ++a) {
        if (used_[a] + group.memory > platform.accelerator_memory) continue;
        filling_ = a;
        put(g, a);
        earliest_[g] = a;
        return true;
      }
    }
    if (!group.on_host) return false;
    for (std::size_t h = accelerators; h < used_.size(); ++h) {
      if (used_[h] + group.memory > platform.host_memory) continue;
      put(g, h);
      earliest_[g] = first;
      for (GroupId p : instance_.graph.predecessors(g)) {
        if (device_of_[p] < accelerators) earliest_[g] = std::max(earliest_[g], device_of_[p] + 1);
      }
      return true;
    }
    return false;
  }

  void put(GroupId g, std::size_t device) {
    used_[device] += instance_.graph.group(g).memory;
    device_of_[g] = device;
  }

  const StagedInstance& instance_;
  std::vector<double> used_;                 // memory
  std::size_t filling_ = 0;                  // accelerators before this one are closed
  IdVector<GroupId, std::size_t> earliest_;  // the accelerator on which a successor may be, or any after it
  IdVector<GroupId, std::size_t> device_of_;
};

}  // namespace

std::optional<Split> greedy_split(const Problem& problem) {
  const Platform& platform = problem.workload.platform;
  const PlatformKinds kinds = platform_kinds(platform);
  const StagedInstance instance = make_staged_instance(problem);
  const auto placed = Filling(instance).run();
  if (!placed) return std::nullopt;
  const auto accelerators = static_cast<std::size_t>(instance.platform.accelerators);
  const auto device = [&](std::size_t index) {
    const bool host = index >= accelerators;
    const DeviceId first = platform.first_device(host ? kinds.host : kinds.accelerator);
    return DeviceId(first.index() + (host ? index - accelerators : index));
  };
  Split split;
  for (NodeId v : instance.group_of.all()) split.device_of.push_back(device((*placed)[instance.group_of[v]]));
  return split;
}

}  // namespace partita
