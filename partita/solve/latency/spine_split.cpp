// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/spine_split.h"

#include <algorithm>
#include <utility>

namespace partita::detail {
namespace {

class SplitMaker {
 public:
  explicit SplitMaker(const LatencyInstance& instance)
      : instance_(instance),
        split_{0, IdVector<GroupId, DeviceId>(instance.group_count())},
        used_(instance.devices.accelerator_classes(), 0) {}

  // In a training graph the groups of a backward block are mostly where its forward block is.
  void add_block(const std::vector<NodeId>& block) {
    DeviceId device;
    for (NodeId v : block) {
      if (!device.valid()) device = device_of(v);
    }
    if (!device.valid()) device = unused_for(block);
    if (!device.valid()) return;
    for (NodeId v : block) {
      const GroupId g = instance_.nodes[v].group;
      if (instance_.may_hold(device, g) && !split_.accelerator_of[g].valid()) split_.accelerator_of[g] = device;
    }
  }

  LatencySplit finish() {
    const IdVector<GroupId, DeviceId> decided = split_.accelerator_of;
    for (NodeId v : instance_.order) {
      const GroupId g = instance_.nodes[v].group;
      if (split_.accelerator_of[g].valid() || !instance_.group(g).on_accelerator) continue;
      const DeviceId above = of_neighbours(instance_.predecessors[v], decided);
      const DeviceId below = of_neighbours(instance_.successors[v], decided);
      const bool at_an_end = instance_.predecessors[v].empty() || instance_.successors[v].empty();
      const DeviceId there = above.valid() ? above : below;
      if (there.valid() && !instance_.may_hold(there, g)) continue;
      if (above == below || at_an_end || !instance_.group(g).on_host) split_.accelerator_of[g] = there;
    }
    return split_;
  }

 private:
  DeviceId device_of(NodeId v) const { return split_.accelerator_of[instance_.nodes[v].group]; }

  // Of the classes that have one left, the one that holds most of the block and takes least.
  DeviceId unused_for(const std::vector<NodeId>& block) {
    std::size_t best = used_.size();
    std::pair<std::size_t, double> least;  // nodes left out, time
    for (std::size_t c = 0; c < used_.size(); ++c) {
      if (used_[c] == instance_.devices.classes()[c].count) continue;
      std::pair<std::size_t, double> here{0, 0};
      for (NodeId v : block) {
        here.first += instance_.class_holds[c][instance_.nodes[v].group] ? 0 : 1;
        here.second += instance_.class_time[c][v];
      }
      if (best != used_.size() && here >= least) continue;
      best = c;
      least = here;
    }
    return best == used_.size() ? DeviceId() : DeviceId(instance_.devices.classes()[best].first + used_[best]++);
  }

  DeviceId of_neighbours(std::span<const NodeId> nodes, const IdVector<GroupId, DeviceId>& decided) const {
    for (NodeId v : nodes) {
      const DeviceId device = decided[instance_.nodes[v].group];
      if (device.valid()) return device;
    }
    return DeviceId();
  }

  const LatencyInstance& instance_;
  LatencySplit split_;
  std::vector<std::size_t> used_;  // accelerators, by class
};

}  // namespace

LatencySplit split_from_blocks(const LatencyInstance& instance, const std::vector<std::vector<NodeId>>& blocks) {
  SplitMaker maker(instance);
  for (const std::vector<NodeId>& block : blocks) maker.add_block(block);
  return maker.finish();
}

}  // namespace partita::detail
