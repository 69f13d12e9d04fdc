// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/free_certificate.h"

#include <algorithm>
#include <set>

#include "partita/reduce/removal_step.h"
#include "partita/reduce/transfers.h"
#include "partita/solve/configuration/proof_words.h"

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

// By group: the original id of its first node.
IdVector<GroupId, std::int64_t> first_nodes(const Problem& problem, const FreeInstance& instance) {
  IdVector<GroupId, std::int64_t> result(instance.graph.size(), 0);
  IdVector<GroupId, char> named(instance.graph.size(), 0);
  for (NodeId v : instance.group_of.all()) {
    const GroupId group = instance.group_of[v];
    if (!named[group]) result[group] = problem.workload->graph.nodes[v].original_id;
    named[group] = 1;
  }
  return result;
}

}  // namespace

Certificate make_certificate(const Problem& problem, const FreeInstance& instance, const ProofTree& proof,
                             const NodeOrder* order) {
  const IdVector<GroupId, std::int64_t> representative = first_nodes(problem, instance);
  Certificate certificate;
  certificate.limit = proof.front().limit;
  certificate.shape = order ? Shape::Contiguous : Shape::Free;
  certificate.weights = proof.front().weights;
  if (proof.front().removed) {
    for (const ShrinkLog::Removal& removal : proof.front().removed->removals)
      certificate.steps.push_back(removal_step(removal, representative, certificate.limit));
  }
  ProofWords words;
  words.node = [&](GroupId v) { return representative[v]; };
  words.point = [&](PointId p) { return problem.workload->graph.nodes[order->node_of[p]].original_id; };
  words.transfers = [&](const auto& nets) { return transfers_of(problem, instance, nets); };
  for (std::size_t c = 0; c < instance.class_count(); ++c)
    words.classes.push_back(problem.workload->platform.classes[instance.device_class(c).id].name);
  write_proof(proof, words, certificate);
  return certificate;
}

}  // namespace partita::detail
