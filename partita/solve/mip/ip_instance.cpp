// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/mip/ip_instance.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "partita/reduce/transfers.h"

namespace partita::detail {
namespace {

void add_groups(const Problem& problem, const IdVector<NodeId, GroupId>& group_of, IpInstance& instance) {
  const Graph& graph = problem.workload->graph;
  for (NodeId v : graph.nodes.all()) {
    if (group_of[v].index() >= instance.groups.size()) instance.groups.resize(group_of[v].index() + 1);
  }
  instance.devices = DeviceTable(problem.workload->platform, instance.groups.size());
  const auto& classes = instance.devices.classes();
  for (IpGroup& group : instance.groups) {
    group.time.assign(classes.size(), {});
    group.runs_on.assign(classes.size(), 1);
  }
  for (NodeId v : graph.nodes.all()) {
    const Node& node = graph.nodes[v];
    IpGroup& group = instance.groups[group_of[v]];
    const std::size_t pass = instance.passes == 2 && node.backward ? 1 : 0;
    for (std::size_t c = 0; c < classes.size(); ++c) {
      const double t = node.time[classes[c].id.index()];
      if (t == kCannotRun) {
        group.runs_on[c] = 0;
      } else {
        group.time[c][pass] += t / instance.time_unit;
      }
    }
    group.memory += node.memory;
  }
}

// With the mode `duplex` it matters who produces. Otherwise a net is symmetric: in + out is the same for all nets with
// the same members, so the first producer met stands for all.
void add_nets(const Graph& graph, const IdVector<NodeId, GroupId>& group_of, IpInstance& instance) {
  std::map<std::tuple<std::size_t, GroupId, std::vector<GroupId>>, std::size_t> known;
  for (const Transfer& transfer : find_transfers(graph)) {
    if (transfer.cost == 0) continue;
    IpNet net;
    net.pass = instance.passes == 2 && graph.nodes[transfer.producer].backward ? 1 : 0;
    net.cost = transfer.cost / instance.time_unit;
    net.producer = group_of[transfer.producer];
    for (NodeId v : transfer.consumers) net.consumers.push_back(group_of[v]);
    std::sort(net.consumers.begin(), net.consumers.end());
    net.consumers.erase(std::unique(net.consumers.begin(), net.consumers.end()), net.consumers.end());
    std::erase(net.consumers, net.producer);
    if (net.consumers.empty()) continue;

    std::vector<GroupId> members = net.consumers;
    members.insert(std::lower_bound(members.begin(), members.end(), net.producer), net.producer);
    const GroupId producer = instance.transfers == TransferMode::Duplex ? net.producer : GroupId();
    const auto [at, fresh] = known.try_emplace({net.pass, producer, std::move(members)}, instance.nets.size());
    if (fresh) {
      instance.nets.push_back(std::move(net));
    } else {
      instance.nets[at->second].cost += net.cost;
    }
  }
}

}  // namespace

bool IpInstance::fits(GroupId v, std::size_t device_class) const {
  const IpGroup& group = groups[v];
  double time = 0;
  for (const double t : group.time[device_class]) time += t;
  return group.runs_on[device_class] && group.memory <= devices.classes()[device_class].memory && time <= limit;
}

IpInstance make_ip_instance(const Problem& problem, const IdVector<NodeId, GroupId>& group_of,
                            const FormulationOptions& options) {
  const Graph& graph = problem.workload->graph;
  IpInstance instance;
  instance.objective = problem.objective;
  instance.transfers = problem.transfers;
  const bool one_sum = problem.objective == Objective::MaxLoad && problem.transfers == TransferMode::Sum;
  instance.passes = one_sum || !graph.has_backward() ? 1 : 2;
  instance.time_unit = options.time_unit;
  instance.limit = options.limit / options.time_unit;
  instance.negligible = options.negligible;
  add_groups(problem, group_of, instance);
  add_nets(graph, group_of, instance);
  return instance;
}

}  // namespace partita::detail
