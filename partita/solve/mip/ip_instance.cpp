// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/mip/ip_instance.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "partita/reduce/group_weights.h"

namespace partita::detail {
namespace {

Passes passes_of(const IpInstance& instance) { return instance.passes == 2 ? Passes::Apart : Passes::AsOne; }

void add_groups(const Problem& problem, const IdVector<NodeId, GroupId>& group_of, IpInstance& instance) {
  const Graph& graph = problem.workload->graph;
  const std::size_t groups = count_groups(group_of);
  instance.groups.resize(groups);
  instance.devices = DeviceTable(problem.workload->platform, groups);
  const IdVector<GroupId, double> memory = memory_of(graph, group_of, groups);
  for (GroupId g : memory.all()) instance.groups[g].memory = memory[g];
  for (const DeviceTable::Class& c : instance.devices.classes()) {
    const auto times = times_on(c.id, graph, group_of, groups, passes_of(instance));
    for (GroupId g : times.all()) {
      IpGroup& group = instance.groups[g];
      group.runs_on.push_back(times[g].can_run);
      group.time.push_back({times[g].pass[0] / instance.time_unit, times[g].pass[1] / instance.time_unit});
    }
  }
}

// With the mode `duplex` it matters who produces. Otherwise a net is symmetric: in + out is the same for all nets with
// the same members, so the first producer met stands for all.
void add_nets(const Graph& graph, const IdVector<NodeId, GroupId>& group_of, IpInstance& instance) {
  std::map<std::tuple<std::size_t, GroupId, std::vector<GroupId>>, std::size_t> known;
  for (GroupTransfer& transfer : group_transfers(graph, group_of, passes_of(instance))) {
    if (transfer.traffic.amount == 0) continue;
    const Traffic scaled{transfer.traffic.amount / instance.time_unit, transfer.traffic.transfers / instance.time_unit};
    IpNet net{transfer.pass, scaled, transfer.producer, std::move(transfer.members)};
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
      instance.nets[at->second].traffic.add(net.traffic);
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
