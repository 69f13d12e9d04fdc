// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/pipeline_window.h"

#include <algorithm>

namespace partita::detail {

PipelineWindow::PipelineWindow(const StageGraph& graph, const StagePlatform& platform, std::span<const Stage> stages,
                               double limit)
    : platform_(platform) {
  for (const Stage& stage : stages) whole_id_.insert(whole_id_.end(), stage.groups.begin(), stage.groups.end());
  std::sort(whole_id_.begin(), whole_id_.end());
  constexpr std::size_t kOutside = 0;
  IdVector<GroupId, std::size_t> id(graph.size(), kOutside);  // in the window; ids begin at 1
  for (std::size_t i = 0; i < whole_id_.size(); ++i) id[whole_id_[i]] = i + 1;

  IdVector<GroupId, Group> groups(1, Group{0, platform.hosts > 0 ? limit : 0, 0, false, true});
  std::vector<NetId> nets_met;
  for (GroupId v : whole_id_) {
    Group g = graph.group(v);
    g.on_host = g.on_host && platform.hosts > 0;
    g.host_time = g.on_host ? std::max(g.host_time, kLeastHostTime * limit) : 0;
    groups.push_back(g);
    nets_met.insert(nets_met.end(), graph.nets_of(v).begin(), graph.nets_of(v).end());
  }
  std::sort(nets_met.begin(), nets_met.end());
  nets_met.erase(std::unique(nets_met.begin(), nets_met.end()), nets_met.end());
  std::vector<Net> nets;
  for (NetId e : nets_met) {
    Net net{graph.cost(e), {}};
    for (GroupId v : graph.members(e)) {
      if (id[v] != kOutside) net.members.push_back(GroupId(id[v]));
    }
    if (net.members.size() < graph.members(e).size()) {
      if (net.members.size() == 1) {
        Group& only = groups[net.members[0]];
        if (only.on_accelerator) only.accelerator_time += net.cost;
        continue;
      }
      net.members.push_back(GroupId(kOutside));
      reaches_out_ = true;
    }
    nets.push_back(std::move(net));
  }
  // Without nets that reach out there is no outside: ids begin at 0.
  const std::size_t shift = reaches_out_ ? 0 : 1;
  std::vector<std::pair<GroupId, GroupId>> precedence;
  for (GroupId v : whole_id_) {
    if (reaches_out_) precedence.emplace_back(GroupId(kOutside), GroupId(id[v]));
    for (GroupId w : graph.successors(v)) {
      if (id[w] != kOutside) precedence.emplace_back(GroupId(id[v] - shift), GroupId(id[w] - shift));
    }
  }
  if (reaches_out_) {
    ++platform_.hosts;
  } else {
    IdVector<GroupId, Group> without;
    for (std::size_t i = 1; i < groups.size(); ++i) without.push_back(groups[GroupId(i)]);
    groups = std::move(without);
    for (Net& net : nets) {
      for (GroupId& v : net.members) v = GroupId(v.index() - 1);
    }
  }
  graph_ = StageGraph(std::move(groups), precedence, std::move(nets));
}

std::optional<std::vector<Stage>> PipelineWindow::lift(const std::vector<Stage>& stages) const {
  std::vector<Stage> result;
  for (const Stage& stage : stages) {
    Stage lifted{stage.on_host, {}};
    bool with_outside = false;
    for (GroupId v : stage.groups) {
      if (reaches_out_ && v.index() == 0) {
        with_outside = true;
      } else {
        lifted.groups.push_back(whole_id_[v.index() - (reaches_out_ ? 1 : 0)]);
      }
    }
    if (lifted.groups.empty()) continue;
    if (with_outside) return std::nullopt;
    result.push_back(std::move(lifted));
  }
  return result;
}

std::vector<Stage> PipelineWindow::lower(std::span<const Stage> stages) const {
  std::vector<Stage> result;
  if (reaches_out_) result.push_back({true, {GroupId(0)}});
  for (const Stage& stage : stages) {
    Stage lowered{stage.on_host, {}};
    for (GroupId v : stage.groups) {
      const auto at = std::lower_bound(whole_id_.begin(), whole_id_.end(), v) - whole_id_.begin();
      lowered.groups.push_back(GroupId(static_cast<std::size_t>(at) + (reaches_out_ ? 1 : 0)));
    }
    result.push_back(std::move(lowered));
  }
  return result;
}

}  // namespace partita::detail
