// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/setups/plain_side.h"

#include <cassert>
#include <utility>

namespace partita::detail {
namespace {

constexpr GroupId kOutsideGroup(0);

bool is_plain(const SetupRules& rules, const ClusterType& type) {
  if (rules.transfers != TransferMode::Sum || rules.replicas > 1 || rules.memory_model != MemoryModel::Flat)
    return false;
  return type.members.size() == 1 && !type.members[0].is_cluster() &&
         rules.classes[type.members[0].device_class].pays();
}

}  // namespace

std::optional<PlainSide> plain_side(const SetupGraph& graph, const SetupRules& rules, const Segment& segment) {
  const ClusterType& type = rules.clusters[segment.type()];
  if (!is_plain(rules, type)) return std::nullopt;
  const ClassId c = type.members[0].device_class;
  const std::size_t tariff = rules.classes[c].tariff;
  PlainSide side;
  side.platform = {type.members[0].count, 1, rules.classes[c].memory, kUnlimited};
  side.group_of.push_back(GroupId());
  IdVector<GroupId, Group> groups(1);
  groups[kOutsideGroup].on_accelerator = false;
  IdVector<GroupId, GroupId> place(graph.size());
  for (GroupId v : graph.all()) {
    if (!segment.holds(v)) continue;
    place[v] = GroupId(groups.size());
    side.group_of.push_back(v);
    groups.push_back({graph.compute(c, v), 0, graph.memory(v).resident, graph.time(c, v).can_run, false});
  }
  std::vector<std::pair<GroupId, GroupId>> precedence;
  for (std::size_t i = 1; i < groups.size(); ++i) {
    bool first = true;
    for (GroupId u : graph.order().predecessors(side.group_of[i])) {
      if (!segment.holds(u)) continue;
      precedence.emplace_back(place[u], GroupId(i));
      first = false;
    }
    if (first) precedence.emplace_back(kOutsideGroup, GroupId(i));
  }
  std::vector<Net> nets;
  for (NetId e : graph.nets()) {
    Net net;
    for (GroupId v : graph.members(e)) {
      if (segment.holds(v)) net.members.push_back(place[v]);
    }
    if (net.members.empty()) continue;
    const bool leaves = net.members.size() < graph.members(e).size();
    const GroupId producer = graph.producer(e);
    assert(producer.valid());  // where there are clusters
    const bool sends = segment.holds(producer);
    const Segment::Prices& prices = segment.prices(tariff, e);
    net.cost = sends ? prices.near : prices.in;
    if (leaves && sends) {
      const double more = prices.far - prices.near;
      if (more < 0) return std::nullopt;
      groups[place[producer]].accelerator_time += more;
    }
    if (leaves && net.members.size() == 1) {
      groups[net.members[0]].accelerator_time += net.cost;
      continue;
    }
    if (leaves) net.members.insert(net.members.begin(), kOutsideGroup);
    nets.push_back(std::move(net));
  }
  side.graph = StageGraph(std::move(groups), precedence, std::move(nets));
  return side;
}

std::vector<PipelinePart> parts_of(const PlainSide& side, const std::vector<Stage>& stages) {
  std::vector<PipelinePart> parts;
  for (const Stage& stage : stages) {
    if (stage.on_host) continue;
    PipelinePart part;
    for (GroupId v : stage.groups) part.groups.push_back(side.group_of[v.index()]);
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace partita::detail
