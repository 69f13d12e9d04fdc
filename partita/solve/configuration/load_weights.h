// SPDX-License-Identifier: Apache-2.0
// Every load that is a maximum is at least every weighted mean of what it is the maximum of: with a(p) + b(p) = 1,
//     max(compute, in + out) >= a compute + b (in + out),
// and with a(p) + 2 b(p) = 1,
//     max(compute, in, out) >= a compute + b (in + out).
// So each choice of weights makes, of a question with transfers that overlap, one with loads that are sums, and what is
// a bound for that one is a bound for the question. Weights are integers, in parts of kWeightUnit, as certificates have
// them.
#pragma once

#include <vector>

#include "partita/model/certificate.h"
#include "partita/reduce/free_instance.h"

namespace partita::detail {

using LoadWeights = Certificate::Weights;

// The weights worth trying: for sums one; else compute alone, and some with transfers, first with the same for both
// passes, then, where there are two, with different ones.
std::vector<LoadWeights> list_load_weights(TransferMode mode, bool two_passes);
// Compute alone: no transfer counts. Good in every mode.
LoadWeights compute_alone();

// Groups and nets as one class of devices sees them, as if it were the only one and its devices accelerators, with loads
// that are these sums; a host's are its times. Group for group as in the instance; nets that weigh nothing are left out.
NetGraph weighted_graph(const FreeInstance& instance, std::size_t device_class, const LoadWeights& weights);

}  // namespace partita::detail
