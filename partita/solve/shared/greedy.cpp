// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/shared/greedy.h"

#include <algorithm>
#include <vector>

#include "partita/reduce/device_table.h"
#include "partita/reduce/stage_order.h"
#include "partita/solve/shared/published_order.h"

namespace partita::detail {
namespace {

class Filling {
 public:
  Filling(const StageGraph& order, const IdVector<GroupId, ClassGroup>& groups, const DeviceTable& devices)
      : order_(order),
        groups_(groups),
        devices_(devices),
        used_(devices.size(), 0),
        earliest_(groups.size(), 0),
        device_of_(groups.size()) {}

  // By group, in the numbers of the device table.
  std::optional<IdVector<GroupId, DeviceId>> run(const std::vector<GroupId>& order) {
    for (GroupId g : order) {
      if (!place(g)) return std::nullopt;
    }
    return device_of_;
  }

 private:
  bool place(GroupId g) {
    const std::size_t accelerators = devices_.accelerators();
    // The first accelerator that can still take it without a way back to an earlier one.
    std::size_t first = 0;
    for (GroupId p : order_.predecessors(g)) first = std::max(first, earliest_[p]);
    for (std::size_t a = std::max(first, filling_); a < accelerators; ++a) {
      if (!takes(a, g)) continue;
      filling_ = a;
      put(g, a);
      earliest_[g] = a;
      return true;
    }
    for (std::size_t h = accelerators; h < used_.size(); ++h) {
      if (!takes(h, g)) continue;
      put(g, h);
      earliest_[g] = first;
      for (GroupId p : order_.predecessors(g)) {
        if (device_of_[p].index() < accelerators) earliest_[g] = std::max(earliest_[g], device_of_[p].index() + 1);
      }
      return true;
    }
    return false;
  }

  bool takes(std::size_t device, GroupId g) const {
    const std::size_t c = devices_.class_number(DeviceId(device));
    return groups_[g].runs_on[c] && used_[device] + groups_[g].memory <= devices_.classes()[c].memory;
  }

  void put(GroupId g, std::size_t device) {
    used_[device] += groups_[g].memory;
    device_of_[g] = DeviceId(device);
  }

  const StageGraph& order_;
  const IdVector<GroupId, ClassGroup>& groups_;
  const DeviceTable& devices_;
  std::vector<double> used_;                 // memory
  std::size_t filling_ = 0;                  // accelerators before this one are closed
  IdVector<GroupId, std::size_t> earliest_;  // the accelerator on which a successor may be, or any after it
  IdVector<GroupId, DeviceId> device_of_;
};

}  // namespace

std::optional<Split> greedy_split(const Problem& problem) {
  const StageOrder staged = find_stage_order(problem);
  const DeviceTable devices(problem.workload->platform, staged.graph.size());
  const auto groups = class_groups(problem.workload->graph, staged.group_of, devices);
  const auto order = published_order(staged.graph.size(), group_edges(problem, staged.group_of));
  const auto placed = Filling(staged.graph, groups, devices).run(order);
  if (!placed) return std::nullopt;
  return devices.lift(staged.group_of, *placed);
}

}  // namespace partita::detail
