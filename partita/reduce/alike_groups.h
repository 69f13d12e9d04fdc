// SPDX-License-Identifier: Apache-2.0
// Groups that look alike: the branches of a wide graph are often equal, and what is true of one is true of the others.
//
// Colour refinement: groups begin with a colour for what they are (times, memory, the work before and after them), and
// in each round take a new one for their colour and those of their nets and neighbours, until no colour is split any
// more. Groups that an automorphism of the graph exchanges have the same colour, up to rounding (numbers are compared as
// integers of 2^-40 of their largest). The converse need not hold: whoever uses the colours has to be right whatever
// they are. Colours are hashes, which may collide too. O(pins) for each round.
// Tests: tests/reduce/alike_groups_test.cpp.
#pragma once

#include <cstddef>

#include "partita/reduce/stage_graph.h"

namespace partita::detail {

// Numbers 0, 1, 2, ... of the colours, in the order of their first groups. Needs the closure. Where it takes too many
// rounds, every group has its own.
IdVector<GroupId, std::size_t> alike_groups(const StageGraph& graph);

}  // namespace partita::detail
