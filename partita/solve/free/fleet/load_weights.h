// SPDX-License-Identifier: Apache-2.0
// Every load that is a maximum is at least every weighted mean of what it is the maximum of: with a(p) + b(p) = 1,
//     max(compute, in + out) >= a compute + b (in + out),
// and with a(p) + 2 b(p) = 1,
//     max(compute, in, out) >= a compute + b (in + out).
// So each choice of weights makes, of a question with transfers that overlap, one with loads that are sums, and what is
// a bound for that one is a bound for the question.
#pragma once

#include <array>
#include <vector>

#include "partita/reduce/fleet_instance.h"

namespace partita {

struct LoadWeights {
  std::array<double, kPasses> compute{}, transfers{};

  bool any_transfers() const { return transfers[0] > 0 || transfers[1] > 0; }
};

// The weights worth trying: for sums one; else compute alone, and some with transfers, first with the same for both
// passes, then, where there are two, with different ones.
std::vector<LoadWeights> list_load_weights(TransferMode mode, bool two_passes);

// Groups and nets as one class of accelerators sees them, with loads that are these sums. Group for group as in
// `graph`; nets that weigh nothing are left out.
NetGraph weighted_graph(const NetGraph& graph, const Fleet& fleet, std::size_t device_class,
                        const LoadWeights& weights);

}  // namespace partita
