// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/throughput/setups/absorption.h"

#include <array>

namespace partita {

bool spares_nothing(const SetupGraph& graph, const SetupRules& rules, std::span<const Word> ideal, GroupId v) {
  std::array<double, 2> in{}, out{};  // what X may gain, less what it surely loses, by pass
  for (NetId e : graph.nets_of(v)) {
    std::size_t outside = 0;
    for (GroupId u : graph.members(e)) outside += !test_bit(ideal, u.index());
    const bool all_outside = outside == graph.members(e).size(), only_v = outside == 1;
    const bool directed = graph.producer(e).valid(), produces = graph.producer(e) == v;
    const double cost = graph.cost(e);
    double& to = in[static_cast<std::size_t>(graph.pass(e))];
    double& from = out[static_cast<std::size_t>(graph.pass(e))];
    if (all_outside) {
      (!directed || produces ? to : from) += cost;
    } else if (only_v) {
      (directed && produces ? from : to) -= cost;
    } else if (produces) {
      to += cost;
      from -= cost;
    }
  }
  const double factor = rules.root().factor;
  switch (rules.transfers) {
    case TransferMode::Sum:
      for (ClassId c : graph.classes()) {
        if (!graph.time(c, v).can_run) continue;
        if (rules.classes[c].link_factor * factor * (in[0] + out[0]) > graph.compute(c, v)) return false;
      }
      return true;
    case TransferMode::Overlap: return in[0] + out[0] <= 0 && in[1] + out[1] <= 0;
    case TransferMode::Duplex: return in[0] <= 0 && out[0] <= 0 && in[1] <= 0 && out[1] <= 0;
  }
  return false;
}

}  // namespace partita
