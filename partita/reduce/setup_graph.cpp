// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/setup_graph.h"

#include <algorithm>
#include <tuple>

namespace partita::detail {

SetupGraph::SetupGraph(StageGraph order, IdVector<ClassId, IdVector<GroupId, ClassTime>> times,
                       IdVector<GroupId, GroupMemory> memory, std::vector<GroupTransfer> nets, int passes, Merge merge)
    : order_(std::move(order)), times_(std::move(times)), memory_(std::move(memory)), passes_(passes), merge_(merge) {
  for (GroupTransfer& net : nets) {
    std::sort(net.members.begin(), net.members.end());
    net.members.erase(std::unique(net.members.begin(), net.members.end()), net.members.end());
  }
  std::erase_if(nets, [](const GroupTransfer& net) { return net.members.size() < 2 || net.traffic.amount <= 0; });
  const auto key = [merge](const GroupTransfer& net) {
    const double cost = merge == Merge::Any ? 0 : net.traffic.amount / net.traffic.transfers;
    return std::tuple<const std::vector<GroupId>&, GroupId, std::uint8_t, double>(net.members, net.producer, net.pass,
                                                                                  cost);
  };
  std::stable_sort(nets.begin(), nets.end(),
                   [&](const GroupTransfer& a, const GroupTransfer& b) { return key(a) < key(b); });
  std::vector<std::pair<NetId, GroupId>> members;
  std::vector<std::pair<GroupId, NetId>> nets_of;
  for (std::size_t i = 0; i < nets.size(); ++i) {
    if (i > 0 && key(nets[i]) == key(nets[i - 1])) {
      traffic_[NetId(traffic_.size() - 1)].add(nets[i].traffic);
      continue;
    }
    const NetId e = traffic_.push_back(nets[i].traffic);
    producer_.push_back(nets[i].producer);
    pass_.push_back(nets[i].pass);
    for (GroupId v : nets[i].members) {
      members.emplace_back(e, v);
      nets_of.emplace_back(v, e);
    }
  }
  members_ = Csr<NetId, GroupId>(traffic_.size(), members);
  nets_of_ = Csr<GroupId, NetId>(size(), nets_of);
}

namespace {

// The graph's weights and nets on the groups of another order, to which `lift` leads.
SetupGraph moved(const SetupGraph& graph, StageGraph order, const Lift& lift) {
  IdVector<ClassId, IdVector<GroupId, ClassTime>> times;
  for (ClassId c : graph.classes()) {
    IdVector<GroupId, ClassTime> sums(order.size());
    for (GroupId v : graph.all()) {
      ClassTime& sum = sums[lift[v]];
      const ClassTime& part = graph.time(c, v);
      for (std::size_t pass : {0, 1}) sum.pass[pass] += part.pass[pass];
      sum.recompute += part.recompute;
      sum.can_run = sum.can_run && part.can_run;
    }
    times.push_back(std::move(sums));
  }
  IdVector<GroupId, GroupMemory> memory(order.size());
  for (GroupId v : graph.all()) {
    memory[lift[v]].add(graph.memory(v));
  }
  std::vector<GroupTransfer> nets;
  for (NetId e : graph.nets()) {
    GroupTransfer net{graph.traffic(e), GroupId(), static_cast<std::uint8_t>(graph.pass(e)), {}};
    if (graph.producer(e).valid()) net.producer = lift[graph.producer(e)];
    for (GroupId v : graph.members(e)) net.members.push_back(lift[v]);
    nets.push_back(std::move(net));
  }
  return SetupGraph(std::move(order), std::move(times), std::move(memory), std::move(nets), graph.passes(),
                    graph.merge());
}

}  // namespace

SetupContraction contract(const SetupGraph& graph, const IdVector<GroupId, GroupId>& label) {
  Contraction order = contract(graph.order(), label);
  SetupContraction result;
  result.graph = moved(graph, std::move(order.graph), order.lift);
  result.lift = std::move(order.lift);
  return result;
}

SetupGraph reversed(const SetupGraph& graph) {
  Lift lift(graph.size());
  for (GroupId v : graph.all()) lift[v] = GroupId(graph.size() - 1 - v.index());
  return moved(graph, reversed(graph.order()), lift);
}

SetupGraph in_line(const SetupGraph& graph, const std::vector<GroupId>& order) {
  Lift lift(graph.size());
  for (std::size_t i = 0; i < order.size(); ++i) lift[order[i]] = GroupId(i);
  IdVector<GroupId, Group> groups(graph.size());
  std::vector<std::pair<GroupId, GroupId>> precedence;
  for (std::size_t i = 0; i < order.size(); ++i) {
    groups[GroupId(i)] = graph.order().group(order[i]);
    if (i > 0) precedence.emplace_back(GroupId(i - 1), GroupId(i));
  }
  return moved(graph, StageGraph(std::move(groups), precedence, {}), lift);
}

}  // namespace partita::detail
