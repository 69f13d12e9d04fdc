// SPDX-License-Identifier: Apache-2.0
// Topological orders to linearise a graph with.
#pragma once

#include <random>
#include <vector>

#include "partita/reduce/stage_graph.h"

namespace partita::detail {

using Rng = std::mt19937_64;

// The order of the ids: the file's.
std::vector<GroupId> file_order(const StageGraph& graph);
// Depth first: of the groups that are ready, the one that became ready last. `rng` shuffles ties where given.
std::vector<GroupId> depth_first_order(const StageGraph& graph, Rng* rng = nullptr);
// Each group just before the first that needs it: what floats in front of its only reader, such as a weight gradient in
// the order of the forward pass, does not come with all others of its kind at the start. Depth first from the ends,
// those with short ways behind them first; of what a group needs, the longest way first.
std::vector<GroupId> late_order(const StageGraph& graph);
// Of the groups that are ready, the one that adds least to the cost of the nets cut between placed and unplaced groups;
// `noise` in [0, 1] perturbs the choice. O(n * ready groups * nets of a group).
std::vector<GroupId> small_cut_order(const StageGraph& graph, double noise, Rng& rng);
// Of the groups that are ready, the one with the least trace position plus a random delay of up to `spread` positions.
std::vector<GroupId> jittered_order(const StageGraph& graph, double spread, Rng& rng);

// The order to try as number `number`, from 0 on: the fixed ones first, then random ones of every kind.
std::vector<GroupId> order_to_try(const StageGraph& graph, int number, Rng& rng);

}  // namespace partita::detail
