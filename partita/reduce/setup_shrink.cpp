// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/setup_shrink.h"

#include <algorithm>

#include "partita/reduce/shrink_groups.h"

namespace partita::detail {
namespace {

bool is_free_everywhere(const SetupGraph& graph, GroupId v) {
  for (ClassId c : graph.classes()) {
    const ClassTime& time = graph.time(c, v);
    if (!time.can_run || time.total() > 0 || time.recompute > 0) return false;
  }
  const GroupMemory& m = graph.memory(v);
  return m.weights <= 0 && m.resident <= 0 && m.activation <= 0 && m.kept <= 0;
}

SetupGraph rebuilt(const SetupGraph& graph, const SetupRules& rules, const ShrinkingNetsOf<SetupWeights>& nets,
                   const Lift& lift) {
  IdVector<GroupId, Group> groups;
  IdVector<GroupId, GroupMemory> memory;
  IdVector<ClassId, IdVector<GroupId, ClassTime>> times(rules.classes.size());
  for (GroupId v : graph.all()) {
    if (!lift[v].valid()) continue;
    groups.push_back(graph.order().group(v));
    memory.push_back(graph.memory(v));
    double least = kUnlimited;
    for (ClassId c : graph.classes()) {
      ClassTime time = graph.time(c, v);
      if (time.can_run && rules.classes[c].pays()) time.pass = {nets.weights().time(c, v), 0};
      if (time.can_run) least = std::min(least, time.total());
      times[c].push_back(time);
    }
    if (least < kUnlimited) groups[lift[v]].accelerator_time = least;
  }
  std::vector<GroupTransfer> moved;
  std::vector<Net> for_heuristics;
  for (auto& net : nets.nets(lift)) {
    for_heuristics.push_back({net.cost.amount, net.members});
    moved.push_back({net.cost, GroupId(), 0, std::move(net.members)});
  }
  StageGraph order(std::move(groups), precedence_without(graph.order(), lift), std::move(for_heuristics));
  return SetupGraph(std::move(order), std::move(times), std::move(memory), std::move(moved), 1, SetupGraph::Merge::Any);
}

}  // namespace

bool setups_can_shrink(const SetupRules& rules) {
  return rules.transfers == TransferMode::Sum && !rules.has_clusters() &&
         std::any_of(rules.classes.begin(), rules.classes.end(), [](const SetupClass& c) { return c.pays(); });
}

ShrunkSetups shrink_setups(const SetupGraph& graph, const SetupRules& rules, double limit, const ShrinkDose& dose,
                           const Budget& budget) {
  std::vector<ShrinkingNetsOf<SetupWeights>> passes;
  passes.emplace_back(SetupWeights(graph, rules), dose.narrow);
  ShrinkingGroups<SetupWeights> groups(graph.order(), std::move(passes), nullptr);
  const SetupWeights& weights = groups.pass(0).weights();
  groups.remove_views([&](GroupId v) { return is_free_everywhere(graph, v) && !weights.has_time(v); });
  if (!dose.views_only())
    groups.remove_light(
        limit, dose, [&](GroupId v) { return weights.may_take_time(v); },
        [&](GroupId v) { return weights.most_time(v); }, budget);
  ShrunkSetups shrunk{{}, groups.removed(), groups.lift()};
  if (shrunk.changed()) shrunk.graph = rebuilt(graph, rules, groups.pass(0), shrunk.lift);
  return shrunk;
}

}  // namespace partita::detail
