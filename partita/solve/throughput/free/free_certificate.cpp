// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/throughput/free/free_certificate.h"

#include <algorithm>
#include <set>

namespace partita {
namespace {

// A net of the graph may stand for several transfers with the same members; to ignore it is to ignore them all.
std::vector<Certificate::Transfer> transfers_of(const Problem& problem, const FreeInstance& instance,
                                                const std::vector<NetId>& nets) {
  std::vector<Certificate::Transfer> result;
  if (nets.empty()) return result;
  std::set<std::vector<GroupId>> wanted;
  for (NetId e : nets) wanted.insert({instance.graph.members(e).begin(), instance.graph.members(e).end()});
  const Graph& graph = problem.workload.graph;
  std::vector<std::vector<const Edge*>> out(graph.nodes.size());
  for (const Edge& edge : graph.edges) out[edge.from.index()].push_back(&edge);
  const auto add_if_wanted = [&](std::vector<GroupId> members, NodeId producer, std::optional<std::int64_t> consumer) {
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    if (wanted.contains(members)) result.push_back({graph.nodes[producer].original_id, consumer});
  };
  for (NodeId u : graph.nodes.all()) {
    const auto& edges = out[u.index()];
    if (edges.empty()) continue;
    const bool uniform =
        std::all_of(edges.begin(), edges.end(), [&](const Edge* e) { return e->cost == edges[0]->cost; });
    std::vector<GroupId> all{instance.group_of[u]};
    for (const Edge* edge : edges) {
      const GroupId to = instance.group_of[edge->to];
      all.push_back(to);
      if (!uniform) add_if_wanted({instance.group_of[u], to}, u, graph.nodes[edge->to].original_id);
    }
    if (uniform) add_if_wanted(std::move(all), u, std::nullopt);
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
    representative[group] = problem.workload.graph.nodes[v].original_id;
  }
  Certificate certificate;
  certificate.limit = proof.limit;
  for (GroupId v : proof.order) certificate.classes.push_back({representative[v], proof.prices[v]});
  certificate.ignored = transfers_of(problem, instance, proof.ignored);
  certificate.theta = proof.theta;
  certificate.buckets = proof.buckets;
  return certificate;
}

}  // namespace partita
