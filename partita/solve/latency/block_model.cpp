// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/latency/block_model.h"

#include <algorithm>

#include "partita/util/time_watch.h"

namespace partita::detail {
namespace {

// With several subgraphs, each has an equal share of its group's memory. Shares are rounded, and a bound must not
// depend on that.
constexpr double kShareRounding = 1e-9;
constexpr std::size_t kWordsPerLook = 100'000;  // at the clock

}  // namespace

NodeReach::NodeReach(const LatencyInstance& instance, const Budget* budget)
    : below(instance.size(), instance.size()), above(instance.size(), instance.size()) {
  TimeWatch watch(budget, kWordsPerLook);
  const auto add = [&](BitMatrix& reach, NodeId v, std::span<const NodeId> neighbours) {
    watch.step(neighbours.size() * reach.words_per_row());
    for (NodeId u : neighbours) {
      reach.set(v.index(), u.index());
      reach.join_row(v.index(), u.index());
    }
  };
  for (NodeId v : instance.order) add(above, v, instance.predecessors[v]);
  for (auto v = instance.order.rbegin(); v != instance.order.rend(); ++v) add(below, *v, instance.successors[*v]);
}

LatencyFacts::LatencyFacts(const LatencyInstance& instance)
    : leader(instance.group_count()),
      on_host(instance.group_count()),
      on_accelerator(instance.group_count()),
      device(instance.group_count()),
      instance_(&instance) {
  for (GroupId g : leader.all()) {
    leader[g] = g;
    on_host[g] = instance.group(g).on_host;
    on_accelerator[g] = instance.group(g).on_accelerator;
  }
  if (instance.subgraphs > 1) {
    for (NodeId v : instance.nodes.all()) block_leader.push_back(v);
  }
}

bool LatencyFacts::join(NodeId a, NodeId b) {
  bool changed = share_accelerator(instance_->nodes[a].group, instance_->nodes[b].group);
  if (instance_->subgraphs == 1 || block_leader[a] == block_leader[b]) return changed;
  const NodeId goes = block_leader[b];
  std::replace(block_leader.begin(), block_leader.end(), goes, block_leader[a]);
  return true;
}

bool LatencyFacts::share_accelerator(GroupId a, GroupId b) {
  const GroupId stays = leader[a], goes = leader[b];
  const bool changed = stays != goes || on_host[a];
  const char runs = on_accelerator[a] && on_accelerator[b];
  const DeviceId there = device[a].valid() ? device[a] : device[b];
  if (device[a].valid() && device[b].valid() && device[a] != device[b]) contradiction = true;
  for (GroupId g : leader.all()) {
    if (leader[g] != stays && leader[g] != goes) continue;
    leader[g] = stays;
    on_host[g] = 0;
    on_accelerator[g] = runs;
    device[g] = there;
  }
  return changed;
}

void LatencyFacts::put(GroupId g, DeviceId accelerator) {
  for (GroupId h : leader.all()) {
    if (device[h] != accelerator || leader[h] == leader[g]) continue;
    share_accelerator(g, h);
    return;
  }
  share_accelerator(g, g);
  if (device[g].valid() && device[g] != accelerator) contradiction = true;
  for (GroupId h : leader.all()) {
    if (leader[h] == leader[g]) device[h] = accelerator;
  }
}

bool LatencyFacts::ban_from_hosts(GroupId g) {
  if (!on_host[g]) return false;
  on_host[g] = 0;  // groups that are joined are banned already
  return true;
}

BlockModel::BlockModel(const LatencyInstance& instance, const LatencyFacts& facts, const Budget* budget)
    : instance_(instance),
      budget_(budget),
      memory_limit_(instance.memory_limit() * (instance.subgraphs > 1 ? 1 + kShareRounding : 1)),
      contradicts_itself_(facts.contradiction),
      cluster_of_(instance.size()),
      on_host_(instance.size()) {
  IdVector<GroupId, double> memory(instance.group_count(), 0);  // by leader
  IdVector<GroupId, char> runs_there(instance.group_count(), instance.accelerators() > 0);
  for (GroupId g : facts.leader.all()) {
    const GroupId leader = facts.leader[g];
    memory[leader] += instance.group(g).memory;
    if (!facts.on_accelerator[g] || !instance.group(g).on_accelerator) runs_there[leader] = 0;
    if (instance.is_view && facts.device[g].valid() &&
        instance.devices.class_number(facts.device[g]) != instance.view_of)
      runs_there[leader] = 0;
  }
  // Clusters are known by the first of their nodes.
  IdVector<GroupId, NodeId> first_of[2] = {IdVector<GroupId, NodeId>(instance.group_count()),
                                           IdVector<GroupId, NodeId>(instance.group_count())};
  IdVector<GroupId, double> clusters_of[2] = {IdVector<GroupId, double>(instance.group_count(), 0),
                                              IdVector<GroupId, double>(instance.group_count(), 0)};
  IdVector<NodeId, ClusterId> known_by(instance.size());
  std::vector<std::pair<ClusterId, NodeId>> nodes;
  for (NodeId v : instance.nodes.all()) {
    const LatencyNode& node = instance.nodes[v];
    const GroupId leader = facts.leader[node.group];
    NodeId& first = first_of[node.backward][leader];
    if (!first.valid()) first = v;
    ClusterId& c = known_by[instance.subgraphs > 1 ? facts.block_leader[v] : first];
    if (!c.valid()) {
      const bool runs = runs_there[leader] && memory[leader] <= memory_limit_;
      c = clusters_.push_back({0, memory[leader], node.backward, runs, facts.device[leader], NodeId()});
      ++clusters_of[node.backward][leader];
    }
    cluster_of_[v] = c;
    clusters_[c].time += node.accelerator_time;
    on_host_[v] = facts.on_host[node.group];
    if (!on_host_[v] && !clusters_[c].on_accelerator && !instance.is_view) contradicts_itself_ = true;
    nodes.emplace_back(c, v);
  }
  nodes_ = Csr<ClusterId, NodeId>(clusters_.size(), nodes);
  for (NodeId v : instance.order) clusters_[cluster_of_[v]].last = v;
  for (ClusterId c : clusters_.all()) {
    const LatencyNode& node = instance.nodes[nodes_[c][0]];
    clusters_[c].memory /= clusters_of[node.backward][facts.leader[node.group]];
  }

  std::vector<std::pair<NodeId, EdgeEnd>> in, out;
  for (NodeId u : instance.nodes.all()) {
    for (NodeId w : instance.successors[u]) {
      const EdgeId e = edges_.push_back({u, w});
      out.push_back({u, {w, e}});
      in.push_back({w, {u, e}});
    }
  }
  in_ = Csr<NodeId, EdgeEnd>(instance.size(), in);
  out_ = Csr<NodeId, EdgeEnd>(instance.size(), out);

  std::vector<std::pair<NetId, ClusterId>> net_clusters;
  std::vector<std::pair<ClusterId, NetId>> nets_of;
  for (NetId e : instance.net_cost.all()) {
    std::vector<ClusterId> ends;
    for (NodeId v : instance.net_members[e]) ends.push_back(cluster_of_[v]);
    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    if (ends.size() < 2) continue;
    for (ClusterId c : ends) {
      net_clusters.emplace_back(e, c);
      nets_of.emplace_back(c, e);
    }
  }
  net_clusters_ = Csr<NetId, ClusterId>(instance.net_cost.size(), net_clusters);
  nets_of_ = Csr<ClusterId, NetId>(clusters_.size(), nets_of);
  add_classes(facts);
}

void BlockModel::add_classes(const LatencyFacts& facts) {
  for (const LatencyInstance& view : instance_.views) by_class_.emplace_back(view, facts, budget_);
  if (by_class_.empty()) return;
  // What no class can hold, the relaxation cannot either, though it would not have noticed.
  for (ClusterId c : clusters_.all()) {
    const auto holds = [c](const BlockModel& model) { return model.cluster(c).on_accelerator; };
    if (!clusters_[c].on_accelerator || std::any_of(by_class_.begin(), by_class_.end(), holds)) continue;
    clusters_[c].on_accelerator = false;
    for (NodeId v : nodes_[c]) contradicts_itself_ = contradicts_itself_ || !on_host_[v];
  }
}

}  // namespace partita::detail
