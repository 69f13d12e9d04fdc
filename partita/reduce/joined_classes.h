// SPDX-License-Identifier: Apache-2.0
// A coarser problem: some colour classes joined, so that their nodes share a device.
//
// The nodes of each set of classes get one colour. Colour classes become groups in every reduction, so this is a
// contraction as far as solvers are concerned: times and memory add up, what moves inside a set moves nowhere, what leaves
// it does as before, each output once, whatever its edges cost. Where sets lie on a cycle, staged splits have them in one
// group. Nothing is lost on the way back: the splits of the coarser problem are those of the problem itself that keep each
// set on one device, with the same values.
//
// Training. Forward and backward nodes of a set share a device, like those of a colour class. An orphan that gets forward
// nodes in this way would no longer be mirrored, though the problem itself asks for it: a pair of zero nodes in the forward
// pass, one in each of the two sets, stands for each mirrored edge that is lost.
//
// Near-linear. Tests: tests/reduce/layers_test.cpp, tests/property/layers_test.cpp, tests/property/wishes_test.cpp.
#pragma once

#include "partita/model/problem.h"
#include "partita/model/split.h"
#include "partita/reduce/colours.h"
#include "partita/util/union_find.h"

namespace partita::detail {

// The nodes of the original in their order, perhaps followed by zero nodes. `classes` are those of its graph, `sets` is of
// as many.
Problem with_classes_joined(const Problem& problem, const ColourClasses& classes, const UnionFind<GroupId>& sets);

// The split of the original that a split of the coarser problem is.
Split lift_joined(const Problem& original, const Split& joined);

}  // namespace partita::detail
