// SPDX-License-Identifier: Apache-2.0
// Which nodes several threads may label at once.
//
// The label of an edge is found from those of the edges before it (latency_labels.h), so nodes of one round must not
// lie on a path. As in list scheduling, a round takes those nodes whose predecessors have had theirs, at most as many
// as asked for, and of these the ones with the longest way to go: weights, which only one node reads, fill up rounds on
// the way down. There are at least as many rounds as nodes on the longest path. [BERT with 12 layers: 380, of 783
// nodes.] O(edges + nodes log nodes). Tests: tests/solve/latency_threads_test.cpp.
#pragma once

#include <vector>

#include "partita/solve/latency/block_model.h"

namespace partita::detail {

// Every node once; along edges, or against them, each in a later round than those before it.
std::vector<std::vector<NodeId>> label_rounds(const BlockModel& model, bool reversed, std::size_t width);

}  // namespace partita::detail
