// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/configuration/load_weights.h"

#include <array>

namespace partita::detail {
namespace {

constexpr std::int64_t kWhole = Certificate::kWeightUnit;
constexpr std::array kComputeShares{kWhole, kWhole / 2, kWhole * 3 / 4, kWhole / 4};

LoadWeights with_shares(TransferMode mode, std::int64_t forward, std::int64_t backward) {
  const std::int64_t ways = mode == TransferMode::Duplex ? 2 : 1;
  return {{forward, backward}, {(kWhole - forward) / ways, (kWhole - backward) / ways}};
}

double as_factor(std::int64_t weight) { return static_cast<double>(weight) / static_cast<double>(kWhole); }

}  // namespace

LoadWeights compute_alone() { return {{kWhole, kWhole}, {0, 0}}; }

std::vector<LoadWeights> list_load_weights(TransferMode mode, bool two_passes) {
  if (mode == TransferMode::Sum) return {{{kWhole, kWhole}, {kWhole, kWhole}}};
  std::vector<LoadWeights> result;
  for (std::int64_t share : kComputeShares) result.push_back(with_shares(mode, share, share));
  if (!two_passes) return result;
  for (const auto& [forward, backward] : {std::array{kWhole / 2, kWhole}, std::array{kWhole, kWhole / 2}})
    result.push_back(with_shares(mode, forward, backward));
  return result;
}

NetGraph weighted_graph(const FreeInstance& instance, std::size_t device_class, const LoadWeights& weights) {
  const NetGraph& graph = instance.graph;
  const LoadWeights used = instance.device_class(device_class).host ? compute_alone() : weights;
  IdVector<GroupId, Group> groups(graph.size());
  for (GroupId v : graph.all()) {
    const ClassTime& time = instance.time[device_class][v];
    groups[v] = {0, 0, graph.group(v).memory, time.can_run, false};
    for (std::size_t p = 0; p < kPasses; ++p) groups[v].accelerator_time += as_factor(used.compute[p]) * time.pass[p];
  }
  std::vector<Net> nets;
  for (NetId e : graph.nets()) {
    Net net{0, {graph.members(e).begin(), graph.members(e).end()}};
    for (const NetTransfer& t : instance.moved[e])
      net.cost += as_factor(used.transfers[t.pass]) * price(instance.link(device_class), t.traffic);
    if (net.cost > 0) nets.push_back(std::move(net));
  }
  return NetGraph(std::move(groups), std::move(nets));
}

}  // namespace partita::detail
