// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/net_graph.h"

#include <algorithm>

namespace partita::detail {

NetGraph::NetGraph(IdVector<GroupId, Group> groups, std::vector<Net> nets) : groups_(std::move(groups)) {
  for (const Group& g : groups_) {
    total_accelerator_time_ += g.accelerator_time;
    total_memory_ += g.memory;
  }
  for (Net& net : nets) {
    std::sort(net.members.begin(), net.members.end());
    net.members.erase(std::unique(net.members.begin(), net.members.end()), net.members.end());
  }
  std::erase_if(nets, [](const Net& net) { return net.members.size() < 2 || net.cost <= 0; });
  std::stable_sort(nets.begin(), nets.end(), [](const Net& a, const Net& b) { return a.members < b.members; });
  std::vector<std::pair<NetId, GroupId>> members;
  std::vector<std::pair<GroupId, NetId>> nets_of;
  for (std::size_t i = 0; i < nets.size(); ++i) {
    if (i > 0 && nets[i].members == nets[i - 1].members) {
      net_cost_[NetId(net_cost_.size() - 1)] += nets[i].cost;
      continue;
    }
    const NetId e = net_cost_.push_back(nets[i].cost);
    for (GroupId v : nets[i].members) {
      members.emplace_back(e, v);
      nets_of.emplace_back(v, e);
    }
  }
  net_members_ = Csr<NetId, GroupId>(net_cost_.size(), members);
  nets_of_ = Csr<GroupId, NetId>(size(), nets_of);
}

void NetGraph::cap_costs(double most) {
  for (double& cost : net_cost_) cost = std::min(cost, most);
}

void NetGraph::forget_memory() {
  for (Group& g : groups_) g.memory = 0;
  total_memory_ = 0;
}

void NetGraph::ban_from_hosts(const IdVector<GroupId, char>& banned) {
  for (GroupId v : all()) {
    if (!banned[v]) continue;
    groups_[v].on_host = false;
    groups_[v].host_time = 0;
  }
}

double accelerator_load(const NetGraph& graph, std::span<const GroupId> groups) {
  std::vector<NetId> touched;
  double load = 0;
  for (GroupId v : groups) {
    load += graph.accelerator_time(v);
    touched.insert(touched.end(), graph.nets_of(v).begin(), graph.nets_of(v).end());
  }
  // A net appears once per member held; it is cut unless all members are.
  std::sort(touched.begin(), touched.end());
  for (std::size_t i = 0; i < touched.size();) {
    std::size_t j = i;
    while (j < touched.size() && touched[j] == touched[i]) ++j;
    if (j - i < graph.members(touched[i]).size()) load += graph.cost(touched[i]);
    i = j;
  }
  return load;
}

double host_load(const NetGraph& graph, std::span<const GroupId> groups) {
  double load = 0;
  for (GroupId v : groups) load += graph.host_time(v);
  return load;
}

}  // namespace partita::detail
