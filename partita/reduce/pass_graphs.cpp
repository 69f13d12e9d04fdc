// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/pass_graphs.h"

#include "partita/reduce/platform_kinds.h"
#include "partita/reduce/transfers.h"

namespace partita {
namespace {

struct PassParts {
  std::array<IdVector<GroupId, Group>, kPasses> groups;
  std::array<std::vector<Net>, kPasses> nets;
};

PassParts parts_by_pass(const Problem& problem, std::size_t groups, const IdVector<NodeId, GroupId>& group_of) {
  const Graph& graph = problem.workload->graph;
  const PlatformKinds kinds = platform_kinds(problem.workload->platform);
  PassParts parts;
  for (auto& weights : parts.groups) weights.resize(groups);
  for (NodeId v : graph.nodes.all()) {
    const Node& node = graph.nodes[v];
    const auto time_on = [&](ClassId id) { return id.valid() ? node.time[id.index()] : kCannotRun; };
    const double on_accelerator = time_on(kinds.accelerator), on_host = time_on(kinds.host);
    for (std::size_t p = 0; p < kPasses; ++p) {
      Group& g = parts.groups[p][group_of[v]];
      g.memory += node.memory;
      g.on_accelerator = g.on_accelerator && on_accelerator != kCannotRun;
      g.on_host = g.on_host && on_host != kCannotRun;
      if (node.backward != (p == 1)) continue;
      if (on_accelerator != kCannotRun) g.accelerator_time += on_accelerator;
      if (on_host != kCannotRun) g.host_time += on_host;
    }
  }
  for (auto& weights : parts.groups) {
    for (Group& g : weights) {
      if (!g.on_accelerator) g.accelerator_time = 0;
      if (!g.on_host) g.host_time = 0;
    }
  }
  for (const Transfer& transfer : find_transfers(graph)) {
    Net net{transfer.cost, {group_of[transfer.producer]}};
    for (NodeId v : transfer.consumers) net.members.push_back(group_of[v]);
    parts.nets[graph.nodes[transfer.producer].backward ? 1 : 0].push_back(std::move(net));
  }
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

PassNets make_pass_nets(const Problem& problem, std::size_t groups, const IdVector<NodeId, GroupId>& group_of) {
  PassParts parts = parts_by_pass(problem, groups, group_of);
  PassNets result;
  for (std::size_t p = 0; p < kPasses; ++p) result[p] = NetGraph(std::move(parts.groups[p]), std::move(parts.nets[p]));
  return result;
}

PassContraction contract(const PassGraphs& graphs, const IdVector<GroupId, GroupId>& label) {
  Contraction both = contract(graphs.both, label);
  PassContraction result{{std::move(both.graph), {}}, std::move(both.lift)};
  for (std::size_t p = 0; p < kPasses; ++p) result.graphs.pass[p] = contract(graphs.pass[p], label).graph;
  return result;
}

PassGraphs reversed(const PassGraphs& graphs) {
  return {reversed(graphs.both), {reversed(graphs.pass[0]), reversed(graphs.pass[1])}};
}

}  // namespace partita
