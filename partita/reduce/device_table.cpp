// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/device_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "partita/reduce/links.h"
#include "partita/util/error.h"

namespace partita::detail {

DeviceTable::DeviceTable(const Platform& platform, std::size_t groups) {
  for (const DeviceKind kind : {DeviceKind::Accelerator, DeviceKind::Host}) {
    for (ClassId id : platform.classes.all()) {
      const DeviceClass& c = platform.classes[id];
      if (c.kind != kind || c.count == 0) continue;
      assert(c.contention == 1);  // with_busy_times has it in the times
      const std::size_t count = std::min(static_cast<std::size_t>(c.count), std::max<std::size_t>(groups, 1));
      class_of_.insert(class_of_.end(), count, classes_.size());
      classes_.push_back({id, kind == DeviceKind::Host, class_of_.size() - count, count, c.memory, link_of(c),
                          platform.first_device(id)});
    }
    if (kind == DeviceKind::Host) continue;
    accelerator_classes_ = classes_.size();
    accelerators_ = class_of_.size();
  }
}

Split DeviceTable::lift(const IdVector<NodeId, GroupId>& group_of, const IdVector<GroupId, DeviceId>& device_of) const {
  Split split;
  for (NodeId v : group_of.all()) {
    const DeviceId d = device_of[group_of[v]];
    split.device_of.push_back(DeviceId(class_of(d).first_in_platform.index() + place_in_class(d)));
  }
  return split;
}

IdVector<GroupId, DeviceId> DeviceTable::devices_of(const Platform& platform, const IdVector<NodeId, GroupId>& group_of,
                                                    const Split& split) const {
  std::vector<char> used(platform.device_count(), 0);
  for (DeviceId d : split.device_of) used[d.index()] = 1;
  std::vector<DeviceId> number(used.size());
  for (const Class& c : classes_) {
    const std::size_t first = c.first_in_platform.index();
    std::size_t next = c.first;
    for (std::size_t d = first; d < first + static_cast<std::size_t>(platform.classes[c.id].count); ++d) {
      if (used[d]) number[d] = DeviceId(next++);
    }
  }
  IdVector<GroupId, DeviceId> device_of(count_groups(group_of));
  for (NodeId v : group_of.all()) device_of[group_of[v]] = number[split.device_of[v].index()];
  return device_of;
}

std::optional<Link> DeviceTable::common_link() const {
  for (std::size_t c = 1; c < accelerator_classes_; ++c) {
    if (classes_[c].link != classes_[0].link) return std::nullopt;
  }
  return accelerator_classes_ > 0 ? classes_[0].link : Link();
}

std::size_t count_groups(const IdVector<NodeId, GroupId>& group_of) {
  std::size_t count = 0;
  for (GroupId g : group_of) count = std::max(count, g.index() + 1);
  return count;
}

IdVector<GroupId, ClassGroup> class_groups(const Graph& graph, const IdVector<NodeId, GroupId>& group_of,
                                           const DeviceTable& devices) {
  const auto& classes = devices.classes();
  IdVector<GroupId, ClassGroup> groups(count_groups(group_of));
  for (ClassGroup& group : groups) {
    group.time.assign(classes.size(), 0);
    group.runs_on.assign(classes.size(), 1);
  }
  for (NodeId v : graph.nodes.all()) {
    ClassGroup& group = groups[group_of[v]];
    group.memory += graph.nodes[v].memory;
    for (std::size_t c = 0; c < classes.size(); ++c) {
      const double time = graph.nodes[v].time[classes[c].id.index()];
      group.runs_on[c] = group.runs_on[c] && time != kCannotRun;
      group.time[c] = group.runs_on[c] ? group.time[c] + time : 0;
    }
  }
  return groups;
}

bool is_plain(const Platform& platform) {
  std::size_t accelerators = 0, hosts = 0;
  for (const DeviceClass& c : platform.classes) {
    if (c.count == 0) continue;
    ++(c.kind == DeviceKind::Host ? hosts : accelerators);
  }
  return accelerators <= 1 && hosts <= 1;
}

void refuse_all_but_classes(const Problem& problem, const char* who) {
  const auto refuse = [who](const char* where, const char* what) {
    throw InputError(ErrorKind::Unsupported, where, fmt::format("{} know nothing of {}", who, what));
  };
  if (problem.workload->platform.clusters) refuse("platform.clusters", "clusters");
  if (problem.replicas > 1) refuse("Question::replicas", "copies of stages");
  if (problem.memory_model != MemoryModel::Flat) refuse("Question::memory_model", "memory models other than flat");
}

}  // namespace partita::detail
