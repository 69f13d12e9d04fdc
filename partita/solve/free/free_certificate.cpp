// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/free_certificate.h"

#include "partita/reduce/removal_step.h"
#include "partita/solve/configuration/proof_words.h"

namespace partita::detail {
namespace {

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
  for (std::size_t c = 0; c < instance.class_count(); ++c)
    words.classes.push_back(problem.workload->platform.classes[instance.device_class(c).id].name);
  write_proof(proof, words, certificate);
  return certificate;
}

}  // namespace partita::detail
