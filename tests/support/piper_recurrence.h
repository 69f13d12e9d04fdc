// SPDX-License-Identifier: Apache-2.0
// Piper's dynamic program over ideals [Tarnawski-NeurIPS'21] without tensor parallelism, written from the published
// recurrence and not from our code: an independent judge of our answers.
//
// dp[I][k][s] is the time per sample of the best pipeline for the nodes outside the ideal I on k devices, where s is
// the sum of the numbers of copies from here to the end; without tensor parallelism k = s. The next stage S on d
// devices costs
//
//   sum of p over S / d + cut / d + (d - 1) weights / (d B),   with memory   sum over S of A ceil(s / d) + B' <= M,
//
// where A are activations kept for a sample in flight and B' what is kept once. That is our load in the mode `sum` and
// our memory model `1f1b`, on one class of accelerators without clusters, for graphs without backward nodes: Piper too
// has forward and backward fused. Differences: Piper pays for every edge of the cut, we for every output once on each
// side; both are here. Piper's rule that d divides the number of microbatches is left out, and so is its choice of
// recomputing (a greedy knapsack node by node, not exact).
#pragma once

#include <cstdint>
#include <optional>

#include "partita/model/problem.h"

namespace partita::detail {

enum class Cut {
  EveryEdge,    // as published
  EveryOutput,  // as in docs/formats.md
};

// The workload as a question of Piper's: its graph, all forward, on up to so many accelerators, with weights and
// activations drawn from the seed, edges out of a node that cost the same, and copies.
Problem piper_question(const Workload& workload, std::uint64_t seed, int most_devices);

// Nothing where no pipeline fits. Precondition: the first class is of accelerators, and no other has devices; no
// backward nodes, no colours; at most about ten nodes.
std::optional<double> piper_value(const Problem& problem, Cut cut);

}  // namespace partita::detail
