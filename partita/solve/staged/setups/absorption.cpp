// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/setups/absorption.h"

#include <algorithm>
#include <array>

namespace partita::detail {

namespace {

// What X may gain, less what it surely loses, by pass, where it pays by the tariff.
struct Change {
  std::array<double, 2> in{}, out{};
};

Change change_for(const SetupGraph& graph, const Segment& segment, std::size_t tariff, std::span<const Word> ideal,
                  GroupId v) {
  auto [in, out] = Change();
  for (NetId e : graph.nets_of(v)) {
    std::size_t outside = 0;  // of the ideal
    bool beside = false;      // in the ideal, some in the cluster
    for (GroupId u : graph.members(e)) {
      const bool in_ideal = test_bit(ideal, u.index());
      outside += !in_ideal;
      beside = beside || (in_ideal && segment.holds(u));
    }
    const bool all_outside = outside == graph.members(e).size(), only_v = outside == 1;
    const bool directed = graph.producer(e).valid(), produces = graph.producer(e) == v;
    const auto& [received, near, far] = segment.prices(tariff, e);
    const double sent = std::max(far, beside ? near : 0);  // what its producer pays as it is
    double& to = in[static_cast<std::size_t>(graph.pass(e))];
    double& from = out[static_cast<std::size_t>(graph.pass(e))];
    if (all_outside) {
      (!directed || produces ? to : from) += near;
    } else if (only_v) {
      (directed && produces ? from : to) -= directed && produces ? sent : received;
    } else if (produces) {
      to += near;
      from -= sent;
    } else if (directed && !test_bit(ideal, graph.producer(e).index())) {
      from += std::max(0.0, near - sent);
    }
  }
  return {in, out};
}

}  // namespace

bool spares_nothing(const SetupGraph& graph, const SetupRules& rules, const Segment& segment,
                    std::span<const Word> ideal, GroupId v) {
  for (std::size_t tariff = 0; tariff < rules.tariffs(); ++tariff) {
    const auto [in, out] = change_for(graph, segment, tariff, ideal, v);
    bool nothing = true;
    switch (rules.transfers) {
      case TransferMode::Sum:
        for (ClassId c : graph.classes()) {
          if (rules.classes[c].tariff == tariff && graph.time(c, v).can_run)
            nothing = nothing && in[0] + out[0] <= graph.compute(c, v);
        }
        break;
      case TransferMode::Overlap: nothing = in[0] + out[0] <= 0 && in[1] + out[1] <= 0; break;
      case TransferMode::Duplex: nothing = in[0] <= 0 && out[0] <= 0 && in[1] <= 0 && out[1] <= 0; break;
    }
    if (!nothing) return false;
  }
  return true;
}

bool harms_nobody(const SetupGraph& graph, const SetupRules& rules, std::span<const Word> ideal, GroupId v) {
  if (rules.replicas > 1 && rules.sync_bandwidth < kUnlimited && graph.memory(v).weights > 0) return false;
  for (NetId e : graph.nets_of(v)) {
    std::size_t outside = 0;
    for (GroupId u : graph.members(e)) outside += !test_bit(ideal, u.index());
    if (outside == graph.members(e).size()) return false;
    if (graph.producer(e) == v && outside > 1) return false;
  }
  return true;
}

}  // namespace partita::detail
