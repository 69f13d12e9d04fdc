// SPDX-License-Identifier: Apache-2.0
// Memory that cannot bind is no memory: where no device can be filled within the limit, every group needs 0.
//
// That is exact: a set of groups within the limit T has at most T of time, so it needs at most
//     most(T) = the largest memory of groups with at most T of time together,
// which the fractional knapsack bounds from above. Where that fits an accelerator, by accelerator times, and a host, by
// host times, splits within T have room wherever they are. What is gained: the rules that ask for groups without memory
// (cheap neighbours, absorption, shrink) see more of them. [llama-1b-training: all groups together fit one device.]
// Only for splits within T: a split above it may need more than there is.
// Tests: tests/reduce/memory_need_test.cpp.
#pragma once

#include "partita/reduce/pass_graphs.h"

namespace partita::detail {

// Whether some set of groups within the limits might need more memory than its device has.
template <class Graphs>
bool memory_can_bind(const Graphs& graphs, const QuestionOf<Graphs>& question);

// From now on every group needs no memory.
template <class Graphs>
void forget_memory(Graphs& graphs) {
  for (std::size_t v = 0; v < kViewsOf<Graphs>; ++v) view(graphs, v).forget_memory();
}

}  // namespace partita::detail
