// SPDX-License-Identifier: Apache-2.0
// The blocks that labels speak of: nearly a split.
//
// A label is what some set takes that starts at some other label. So from the end of the longest path one can go back:
// the set that gave its label is a block; each edge that enters it has a label, and a set that gave that one. What is in
// a later block already stays there, and what a host has done before it is needed goes there, with its group. Sets of
// different edges need not agree, so this is a start for a search, and proves nothing; but where labels are close, so is
// what they speak of. Tests: tests/solve/latency_search_test.cpp.
#pragma once

#include <vector>

#include "partita/solve/latency/block_finish.h"

namespace partita::detail {

// Forward labels with this toll, and the bound that they give, tolls included. No blocks if there are more than `most`.
// For one class of accelerators. Throws OutOfTime.
std::vector<std::vector<NodeId>> blocks_of_labels(const BlockModel& model, const NodeReach& reach,
                                                  const EdgeLabels& labels, double bound, double toll, std::size_t most,
                                                  std::uint64_t& ticks);

}  // namespace partita::detail
