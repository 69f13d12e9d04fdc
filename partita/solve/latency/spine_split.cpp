// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/spine_split.h"

#include <algorithm>

namespace partita {
namespace {

class SplitMaker {
 public:
  explicit SplitMaker(const LatencyInstance& instance)
      : instance_(instance), split_{0, IdVector<GroupId, DeviceId>(instance.group_count())} {}

  // In a training graph the groups of a backward block are mostly where its forward block is.
  void add_block(const std::vector<NodeId>& block) {
    DeviceId device;
    for (NodeId v : block) {
      if (!device.valid()) device = device_of(v);
    }
    if (!device.valid() && used_ < static_cast<std::size_t>(instance_.accelerators())) device = DeviceId(used_++);
    if (!device.valid()) return;
    for (NodeId v : block) {
      const GroupId g = instance_.nodes[v].group;
      if (instance_.group(g).on_accelerator && !split_.accelerator_of[g].valid()) split_.accelerator_of[g] = device;
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
      if (above == below || at_an_end || !instance_.group(g).on_host)
        split_.accelerator_of[g] = above.valid() ? above : below;
    }
    return split_;
  }

 private:
  DeviceId device_of(NodeId v) const { return split_.accelerator_of[instance_.nodes[v].group]; }

  DeviceId of_neighbours(std::span<const NodeId> nodes, const IdVector<GroupId, DeviceId>& decided) const {
    for (NodeId v : nodes) {
      const DeviceId device = decided[instance_.nodes[v].group];
      if (device.valid()) return device;
    }
    return DeviceId();
  }

  const LatencyInstance& instance_;
  LatencySplit split_;
  std::size_t used_ = 0;
};

}  // namespace

LatencySplit split_from_blocks(const LatencyInstance& instance, const std::vector<std::vector<NodeId>>& blocks) {
  SplitMaker maker(instance);
  for (const std::vector<NodeId>& block : blocks) maker.add_block(block);
  return maker.finish();
}

}  // namespace partita
