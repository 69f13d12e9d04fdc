// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "partita/model/graph.h"

namespace partita::detail {

// The classes in the order of the forward pass as the file lists it. This is by far the best first linearisation of
// modern graphs: files list operators as they were traced, layer by layer (h200 llama-1b, linearised DP: 7.29 in file
// order, 13.9 in depth-first order).
//
// A class with only backward nodes has no place of its own in the forward pass. It gets one by interpolation: the
// classes with both forward and backward nodes tell which forward position belongs to a backward position. Worth up to
// a factor of five on the first split of training graphs (h200 bert-large: 22.7 without, 4.40 with).
std::vector<std::size_t> trace_order(const Graph& graph, const std::vector<std::vector<NodeId>>& classes);

}  // namespace partita::detail
