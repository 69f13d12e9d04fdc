// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/free_certificate.h"

#include <algorithm>
#include <set>

#include "partita/reduce/transfers.h"

namespace partita::detail {
namespace {

// A net of the graph may stand for several transfers with the same members; to ignore it is to ignore them all.
std::vector<Certificate::Transfer> transfers_of(const Problem& problem, const FreeInstance& instance,
                                                const std::vector<std::vector<GroupId>>& nets) {
  std::vector<Certificate::Transfer> result;
  if (nets.empty()) return result;
  const std::set<std::vector<GroupId>> wanted(nets.begin(), nets.end());
  const Graph& graph = problem.workload->graph;
  const std::vector<Transfer> transfers = find_transfers(graph);
  IdVector<NodeId, std::size_t> count(graph.nodes.size(), 0);  // of the transfers that each node's output makes
  for (const Transfer& transfer : transfers) ++count[transfer.producer];
  for (const Transfer& transfer : transfers) {
    std::vector<GroupId> members{instance.group_of[transfer.producer]};
    for (NodeId v : transfer.consumers) members.push_back(instance.group_of[v]);
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    if (!wanted.contains(members)) continue;
    std::optional<std::int64_t> consumer;
    if (count[transfer.producer] > 1) consumer = graph.nodes[transfer.consumers[0]].original_id;
    result.push_back({graph.nodes[transfer.producer].original_id, consumer});
  }
  return result;
}

}  // namespace

Certificate make_certificate(const Problem& problem, const FreeInstance& instance, const FreeProof& proof) {
  IdVector<GroupId, std::int64_t> representative(instance.graph.size(), 0);
  IdVector<GroupId, char> named(instance.graph.size(), 0);
  for (NodeId v : instance.group_of.all()) {
    const GroupId group = instance.group_of[v];
    if (named[group]) continue;
    named[group] = 1;
    representative[group] = problem.workload->graph.nodes[v].original_id;
  }
  Certificate certificate;
  certificate.limit = proof.limit;
  for (GroupId v : proof.order) certificate.classes.push_back({representative[v], proof.prices[v]});
  certificate.weights = proof.weights;
  for (std::size_t c = 0; c < proof.devices.size(); ++c) {
    const FreeProof::Devices& from = proof.devices[c];
    const DeviceTable::Class& device_class = instance.device_class(c);
    Certificate::Devices of_class{.name = problem.workload->platform.classes[device_class.id].name,
                                  .memory_toll = from.memory_toll,
                                  .most = std::nullopt,
                                  .ignored = {}};
    if (!device_class.host) {
      of_class.theta = from.theta;
      of_class.buckets = from.buckets;
      of_class.most = from.most;
      of_class.ignored = transfers_of(problem, instance, from.ignored);
    }
    certificate.devices.push_back(std::move(of_class));
  }
  return certificate;
}

}  // namespace partita::detail
