// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/group_weights.h"

#include "partita/reduce/transfers.h"

namespace partita::detail {
namespace {

std::uint8_t pass_of(const Node& node, Passes passes) { return passes == Passes::Apart && node.backward ? 1 : 0; }

}  // namespace

IdVector<GroupId, ClassTime> times_on(ClassId device_class, const Graph& graph,
                                      const IdVector<NodeId, GroupId>& group_of, std::size_t groups, Passes passes) {
  IdVector<GroupId, ClassTime> times(groups);
  for (NodeId v : graph.nodes.all()) {
    const Node& node = graph.nodes[v];
    const double time = device_class.valid() ? node.time[device_class.index()] : kCannotRun;
    ClassTime& sum = times[group_of[v]];
    sum.can_run = sum.can_run && time != kCannotRun;
    if (time == kCannotRun) continue;
    sum.pass[pass_of(node, passes)] += time;
    sum.recompute += time * node.recompute_share;
  }
  return times;
}

IdVector<GroupId, double> memory_of(const Graph& graph, const IdVector<NodeId, GroupId>& group_of, std::size_t groups) {
  IdVector<GroupId, double> memory(groups, 0);
  for (NodeId v : graph.nodes.all()) memory[group_of[v]] += graph.nodes[v].memory;
  return memory;
}

std::vector<GroupTransfer> group_transfers(const Graph& graph, const IdVector<NodeId, GroupId>& group_of,
                                           Passes passes) {
  std::vector<GroupTransfer> result;
  for (const Transfer& transfer : find_transfers(graph)) {
    GroupTransfer moved{
        traffic_of(transfer.cost), group_of[transfer.producer], pass_of(graph.nodes[transfer.producer], passes), {}};
    moved.members.push_back(moved.producer);
    for (NodeId v : transfer.consumers) moved.members.push_back(group_of[v]);
    result.push_back(std::move(moved));
  }
  return result;
}

}  // namespace partita::detail
