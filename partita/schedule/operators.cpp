// SPDX-License-Identifier: Apache-2.0
#include "partita/schedule/operators.h"

#include <utility>

#include "partita/model/contention.h"
#include "partita/util/csr.h"
#include "partita/util/topological_order.h"

namespace partita::detail {
namespace {

std::vector<NodeId> order_of_nodes(const Graph& graph) {
  std::vector<std::pair<NodeId, NodeId>> edges;
  edges.reserve(graph.edges.size());
  for (const Edge& edge : graph.edges) edges.emplace_back(edge.from, edge.to);
  return topological_order(Csr<NodeId, NodeId>(graph.nodes.size(), edges));
}

IdVector<DeviceId, PieceId> first_backward_pieces(const Platform& platform, const Pieces& pieces) {
  IdVector<DeviceId, PieceId> first(platform.device_count());
  for (PieceId p : pieces.pieces.all()) {
    PieceId& its = first[pieces.pieces[p].device];
    if (pieces.pieces[p].backward && !its.valid()) its = p;
  }
  return first;
}

}  // namespace

IdVector<PieceId, std::vector<Operator>> operators_of(const Problem& problem, const CheckReport& report,
                                                      const Pieces& pieces) {
  const Graph& graph = problem.workload->graph;
  const Platform& platform = problem.workload->platform;
  const bool training = graph.has_backward();
  const IdVector<ClassId, double> slow_down = slow_downs(platform);
  const IdVector<DeviceId, PieceId> first_backward = first_backward_pieces(platform, pieces);
  const std::vector<NodeId> order = order_of_nodes(graph);
  const auto device_of = [&](NodeId v) { return pieces.pieces[pieces.piece_of[v]].device; };
  const auto time_of = [&](NodeId v) {
    const ClassId its_class = platform.class_of(device_of(v));
    return graph.nodes[v].time[its_class.index()] * slow_down[its_class];
  };
  // Latency counts each node once: its schedule keeps all activations. What takes no time is not computed again, so that
  // a device that does so has a backward piece for it.
  const auto share_again = [&](NodeId v) {
    const bool recomputes = problem.objective != Objective::Latency && report.devices[device_of(v)].recomputes;
    return recomputes && time_of(v) > 0 ? graph.nodes[v].recompute_share : 0;
  };
  const auto again_later = [&](NodeId v) { return training && !graph.nodes[v].backward && share_again(v) > 0; };
  IdVector<PieceId, std::vector<Operator>> operators(pieces.pieces.size());
  const auto append = [&](PieceId piece, NodeId v, double share, bool again) {
    operators[piece].push_back({v, share, time_of(v) * share, again});
  };
  for (NodeId v : order) {
    if (again_later(v)) append(first_backward[device_of(v)], v, share_again(v), true);
  }
  for (NodeId v : order) append(pieces.piece_of[v], v, again_later(v) ? 1 : 1 + share_again(v), false);
  return operators;
}

}  // namespace partita::detail
