// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/baseline/greedy.h"

#include <algorithm>
#include <vector>

#include "partita/reduce/staged_instance.h"
#include "partita/solve/baseline/group_split.h"
#include "partita/solve/baseline/published_order.h"

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
  std::optional<IdVector<GroupId, DeviceId>> run(const std::vector<GroupId>& order) {
    for (GroupId g : order) {
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
        if (device_of_[p].index() < accelerators) earliest_[g] = std::max(earliest_[g], device_of_[p].index() + 1);
      }
      return true;
    }
    return false;
  }

  void put(GroupId g, std::size_t device) {
    used_[device] += instance_.graph.group(g).memory;
    device_of_[g] = DeviceId(device);
  }

  const StagedInstance& instance_;
  std::vector<double> used_;                 // memory
  std::size_t filling_ = 0;                  // accelerators before this one are closed
  IdVector<GroupId, std::size_t> earliest_;  // the accelerator on which a successor may be, or any after it
  IdVector<GroupId, DeviceId> device_of_;
};

}  // namespace

std::optional<Split> greedy_split(const Problem& problem) {
  const StagedInstance instance = make_staged_instance(problem);
  const auto order = published_order(instance.graph.size(), group_edges(problem, instance));
  const auto placed = Filling(instance).run(order);
  if (!placed) return std::nullopt;
  return split_of_groups(problem, instance, *placed);
}

}  // namespace partita
