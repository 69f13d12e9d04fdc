// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/clone_relaxation.h"

#include <algorithm>
#include <optional>

namespace partita::detail {
namespace {

// The nets while groups are being removed; a net that vanished has no members.
class ChangingNets {
 public:
  explicit ChangingNets(const StageGraph& graph) : graph_(graph), nets_of_(graph.size()) {
    for (NetId e : graph.nets()) {
      nets_.push_back({graph.cost(e), {graph.members(e).begin(), graph.members(e).end()}});
      for (GroupId v : graph.members(e)) nets_of_[v].push_back(e);
    }
  }

  // Removes v if the rule allows it.
  bool remove(GroupId v) {
    const std::optional<NetId> out = net_to_consumers(v);
    if (!out) return false;
    std::vector<GroupId> consumers = nets_[*out].members;
    std::erase(consumers, v);
    for (NetId e : nets_of_[v]) {
      if (e == *out) continue;
      std::vector<GroupId>& members = nets_[e].members;
      std::erase(members, v);
      for (GroupId w : consumers) {
        if (std::find(members.begin(), members.end(), w) != members.end()) continue;
        members.push_back(w);
        nets_of_[w].push_back(e);
      }
    }
    for (GroupId w : consumers) std::erase(nets_of_[w], *out);
    nets_[*out].members.clear();
    nets_of_[v].clear();
    return true;
  }

  std::vector<Net> take() && { return std::vector<Net>(nets_.begin(), nets_.end()); }

 private:
  // The one net of v whose other members all follow v, if it costs at least as much as the others together.
  std::optional<NetId> net_to_consumers(GroupId v) const {
    if (nets_of_[v].size() < 2) return std::nullopt;
    std::optional<NetId> out;
    double others = 0;
    for (NetId e : nets_of_[v]) {
      const auto& members = nets_[e].members;
      const bool follows = std::all_of(members.begin(), members.end(),
                                       [&](GroupId w) { return test_bit(graph_.descendants(v), w.index()); });
      if (follows && !out) {
        out = e;
      } else {
        others += nets_[e].cost;
      }
    }
    if (out && others <= nets_[*out].cost) return out;
    return std::nullopt;
  }

  const StageGraph& graph_;
  IdVector<NetId, Net> nets_;
  IdVector<GroupId, std::vector<NetId>> nets_of_;
};

bool is_view(const Group& g) {
  return g.accelerator_time <= 0 && g.host_time <= 0 && g.memory <= 0 && g.on_accelerator && g.on_host;
}

// The groups kept, and the order that the removed ones leave between them.
std::vector<std::pair<GroupId, GroupId>> precedence_without(const StageGraph& graph, const Lift& lift) {
  std::vector<std::pair<GroupId, GroupId>> precedence;
  IdVector<GroupId, GroupId> seen_from(graph.size());
  std::vector<GroupId> stack;
  for (GroupId v : graph.all()) {
    if (!lift[v].valid()) continue;
    stack.assign(1, v);
    while (!stack.empty()) {
      const GroupId u = stack.back();
      stack.pop_back();
      for (GroupId w : graph.successors(u)) {
        if (seen_from[w] == v) continue;
        seen_from[w] = v;
        if (lift[w].valid()) {
          precedence.emplace_back(lift[v], lift[w]);
        } else {
          stack.push_back(w);
        }
      }
    }
  }
  return precedence;
}

}  // namespace

CloneRelaxation relax_clones(const StageGraph& graph) {
  CloneRelaxation result;
  ChangingNets nets(graph);
  result.lift.resize(graph.size());
  IdVector<GroupId, Group> kept;
  for (GroupId v : graph.all()) {
    if (is_view(graph.group(v)) && nets.remove(v)) {
      result.removed.push_back(v);
    } else {
      result.lift[v] = kept.push_back(graph.group(v));
    }
  }
  if (!result.changed()) return result;
  std::vector<Net> moved = std::move(nets).take();
  for (Net& net : moved) {
    for (GroupId& v : net.members) v = result.lift[v];
  }
  result.graph = StageGraph(std::move(kept), precedence_without(graph, result.lift), std::move(moved));
  return result;
}

std::vector<Stage> lift_relaxed(const StageGraph& graph, const CloneRelaxation& relaxation,
                                const std::vector<Stage>& stages) {
  std::vector<std::size_t> stage_of_kept(relaxation.graph.size(), 0);
  for (std::size_t s = 0; s < stages.size(); ++s) {
    for (GroupId v : stages[s].groups) stage_of_kept[v.index()] = s;
  }
  // Backwards, so that the consumers of a removed group have their stage before it asks for it.
  IdVector<GroupId, std::size_t> stage_of(graph.size(), 0);
  for (std::size_t i = graph.size(); i-- > 0;) {
    const GroupId v(i);
    if (relaxation.lift[v].valid()) {
      stage_of[v] = stage_of_kept[relaxation.lift[v].index()];
      continue;
    }
    stage_of[v] = stages.size() - 1;
    for (GroupId w : graph.successors(v)) stage_of[v] = std::min(stage_of[v], stage_of[w]);
  }
  std::vector<Stage> result(stages.size());
  for (std::size_t s = 0; s < stages.size(); ++s) result[s].on_host = stages[s].on_host;
  for (GroupId v : graph.all()) result[stage_of[v]].groups.push_back(v);
  return result;
}

}  // namespace partita::detail
