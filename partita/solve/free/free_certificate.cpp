// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/free_certificate.h"

#include <algorithm>
#include <set>

#include "partita/reduce/transfers.h"

namespace partita {
namespace {

// A net of the graph may stand for several transfers with the same members; to ignore it is to ignore them all.
std::vector<Certificate::Transfer> transfers_of(const Problem& problem, const FreeInstance& instance,
                                                const std::vector<NetId>& nets) {
  std::vector<Certificate::Transfer> result;
  if (nets.empty()) return result;
  std::set<std::vector<GroupId>> wanted;
  for (NetId e : nets) wanted.insert({instance.graph.members(e).begin(), instance.graph.members(e).end()});
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
  certificate.ignored = transfers_of(problem, instance, proof.ignored);
  certificate.memory_toll = proof.memory_toll;
  certificate.theta = proof.theta;
  certificate.buckets = proof.buckets;
  return certificate;
}

}  // namespace partita
