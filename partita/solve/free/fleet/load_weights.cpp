// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/free/fleet/load_weights.h"

namespace partita {
namespace {

constexpr std::array kComputeShares{1.0, 0.5, 0.75, 0.25};

LoadWeights with_shares(TransferMode mode, double forward, double backward) {
  const double ways = mode == TransferMode::Duplex ? 2 : 1;
  return {{forward, backward}, {(1 - forward) / ways, (1 - backward) / ways}};
}

}  // namespace

std::vector<LoadWeights> list_load_weights(TransferMode mode, bool two_passes) {
  if (mode == TransferMode::Sum) return {{{1, 1}, {1, 1}}};
  std::vector<LoadWeights> result;
  for (double share : kComputeShares) result.push_back(with_shares(mode, share, share));
  if (!two_passes) return result;
  for (const auto& [forward, backward] : {std::array{0.5, 1.0}, std::array{1.0, 0.5}})
    result.push_back(with_shares(mode, forward, backward));
  return result;
}

NetGraph weighted_graph(const NetGraph& graph, const Fleet& fleet, std::size_t device_class,
                        const LoadWeights& weights) {
  IdVector<GroupId, Group> groups(graph.size());
  for (GroupId v : graph.all()) {
    Group& g = groups[v];
    const FleetTime& time = fleet.time[device_class][v];
    for (std::size_t p = 0; p < kPasses; ++p) g.accelerator_time += weights.compute[p] * time.pass[p];
    g.memory = graph.group(v).memory;
    g.on_accelerator = time.runs;
    g.on_host = false;
  }
  std::vector<Net> nets;
  for (NetId e : graph.nets()) {
    Net net{0, {graph.members(e).begin(), graph.members(e).end()}};
    for (const FleetTransfer& t : fleet.moved[e])
      net.cost += fleet.link(device_class) * weights.transfers[t.pass] * t.cost;
    nets.push_back(std::move(net));
  }
  return NetGraph(std::move(groups), std::move(nets));
}

}  // namespace partita
