// SPDX-License-Identifier: Apache-2.0
// The best split by looking at every one: for small workloads of every objective and shape, and where limits of memory
// leave so little choice that it can be shown that there is no split at all. It needs nobody's word.
//
// Groups (colour classes, or what stages keep together) take devices one after the other, those that weigh most first.
// Left out, with all that would follow:
//  - devices of a class beyond the first that is still empty, as empty ones are interchangeable;
//  - groups where they cannot run or where memory is full, which further groups do not mend;
//  - a node outside a device, already placed, on a path between two of the device's nodes: whatever comes, the split is
//    neither contiguous nor staged (only edges that the shape is asked of count);
//  - devices that compute as long as the best split takes, or the passes that do for gpipe: a load is at least what is
//    computed in every transfer mode.
// What is left is measured by the caller. Exponential, so within a budget only. Single devices and the flat memory
// model alone: see refuse_all_but_classes. Tests: tests/solve/every_split_test.cpp.
#pragma once

#include <functional>
#include <limits>
#include <optional>

#include "partita/model/problem.h"
#include "partita/model/split.h"
#include "partita/util/budget.h"

namespace partita::detail {

struct EverySplit {
  bool complete = false;       // all were looked at: no split but `split` is below the value asked for, if there is one
  std::optional<Split> split;  // the best below that value, without an order
  double value = std::numeric_limits<double>::infinity();
};

// What a split costs; nothing if it is illegal.
using Measure = std::function<std::optional<double>(const Split&)>;

EverySplit look_at_every_split(const Problem& problem, double below, const Measure& measure, Budget& budget);

}  // namespace partita::detail
