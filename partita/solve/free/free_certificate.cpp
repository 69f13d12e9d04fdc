// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/free_certificate.h"

#include <algorithm>
#include <set>

#include "partita/reduce/removal_step.h"
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

class CertificateWriter {
 public:
  CertificateWriter(const Problem& problem, const FreeInstance& instance, const NodeOrder* order)
      : problem_(problem), instance_(instance), order_(order), representative_(instance.graph.size(), 0) {
    IdVector<GroupId, char> named(instance.graph.size(), 0);
    for (NodeId v : instance.group_of.all()) {
      const GroupId group = instance.group_of[v];
      if (!named[group]) representative_[group] = id_of(v);
      named[group] = 1;
    }
  }

  Certificate write(const ProofTree& proof) const {
    Certificate certificate;
    certificate.limit = proof.front().limit;
    certificate.shape = order_ ? Shape::Contiguous : Shape::Free;
    certificate.weights = proof.front().weights;
    if (proof.front().removed) {
      for (const ShrinkLog::Removal& removal : proof.front().removed->removals)
        certificate.steps.push_back(removal_step(removal, representative_));
    }
    if (proof.size() == 1 && proof.front().decisions.empty()) {
      Certificate::Leaf only = leaf(proof.front());
      certificate.classes = std::move(only.classes);
      certificate.devices = std::move(only.devices);
    } else {
      for (const FreeProof& one : proof) certificate.leaves.push_back(leaf(one));
    }
    return certificate;
  }

 private:
  std::int64_t id_of(NodeId v) const { return problem_.workload->graph.nodes[v].original_id; }

  Certificate::Leaf leaf(const FreeProof& proof) const {
    Certificate::Leaf result;
    for (const PairDecision& pair : proof.decisions)
      result.decisions.push_back({representative_[pair.a], representative_[pair.b], pair.together});
    for (GroupId v : proof.order) result.classes.push_back({representative_[v], proof.prices[v]});
    for (std::size_t c = 0; c < proof.devices.size(); ++c)
      result.devices.push_back(devices(c, proof.devices[c], order_ || !proof.decisions.empty()));
    return result;
  }

  Certificate::Devices devices(std::size_t c, const FreeProof::Devices& from, bool hosts_have_sets) const {
    const DeviceTable::Class& device_class = instance_.device_class(c);
    Certificate::Devices result{.name = problem_.workload->platform.classes[device_class.id].name,
                                .memory_toll = from.memory_toll,
                                .most = std::nullopt,
                                .ignored = {}};
    if (device_class.host && !hosts_have_sets) return result;
    result.theta = from.theta;
    result.buckets = from.buckets;
    result.most = from.most;
    result.ignored = transfers_of(problem_, instance_, from.ignored);
    for (PointId p : from.forgotten) result.forgotten.push_back(id_of(order_->node_of[p]));
    return result;
  }

  const Problem& problem_;
  const FreeInstance& instance_;
  const NodeOrder* const order_;
  IdVector<GroupId, std::int64_t> representative_;
};

}  // namespace

Certificate make_certificate(const Problem& problem, const FreeInstance& instance, const ProofTree& proof,
                             const NodeOrder* order) {
  return CertificateWriter(problem, instance, order).write(proof);
}

}  // namespace partita::detail
