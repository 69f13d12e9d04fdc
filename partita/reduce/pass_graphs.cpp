// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/pass_graphs.h"

#include "partita/reduce/platform_kinds.h"

namespace partita::detail {
namespace {

struct PassParts {
  std::array<IdVector<GroupId, Group>, kPasses> groups;
  std::array<std::vector<Net>, kPasses> nets;
};

PassParts parts_by_pass(const Problem& problem, std::size_t groups, const IdVector<NodeId, GroupId>& group_of) {
  const Graph& graph = problem.workload->graph;
  const PlatformKinds kinds = platform_kinds(problem.workload->platform);
  PassParts parts;
  for (std::size_t p = 0; p < kPasses; ++p) parts.groups[p] = kind_weights(graph, group_of, groups, kinds, p);
  for (GroupTransfer& transfer : group_transfers(graph, group_of, Passes::Apart))
    parts.nets[transfer.pass].push_back({price(kinds.link, transfer.traffic), std::move(transfer.members)});
  return parts;
}

}  // namespace

PassGraphs make_pass_graphs(const Problem& problem, const StageGraph& graph,
                            const IdVector<NodeId, GroupId>& group_of) {
  PassParts parts = parts_by_pass(problem, graph.size(), group_of);
  std::vector<std::pair<GroupId, GroupId>> precedence;
  for (GroupId v : graph.all()) {
    for (GroupId w : graph.successors(v)) precedence.emplace_back(v, w);
  }
  PassGraphs result{graph, {}};
  for (std::size_t p = 0; p < kPasses; ++p)
    result.pass[p] = StageGraph(std::move(parts.groups[p]), precedence, std::move(parts.nets[p]));
  return result;
}

PassContraction contract(const PassGraphs& graphs, const IdVector<GroupId, GroupId>& label) {
  Contraction both = contract(graphs.both, label);
  PassContraction result{{std::move(both.graph), {}}, std::move(both.lift)};
  for (std::size_t p = 0; p < kPasses; ++p) result.graph.pass[p] = contract(graphs.pass[p], label).graph;
  return result;
}

PassGraphs reversed(const PassGraphs& graphs) {
  return {reversed(graphs.both), {reversed(graphs.pass[0]), reversed(graphs.pass[1])}};
}

}  // namespace partita::detail
