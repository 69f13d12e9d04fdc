// SPDX-License-Identifier: Apache-2.0
// The best way to share out groups between two devices, everything else staying where it is.
//
// Problem: two devices i and j, and an order of some groups that they hold, the open ones. Find the assignment of the
// open groups to i and j with the smallest soft maximum of the two loads.
//
// Frontier dynamic program: go along the order, and decide group by group. A net matters by two facts, whether i and
// whether j holds a member so far; what the fixed members say is known from the start, so a net that costs the same
// whatever comes needs no memory, and one whose last open member has passed can be forgotten. A state is the facts of
// the nets open at this place, two bits each. In each state there are labels, pairs of loads (a, b); those that another
// one beats in both are dropped. Labels above the larger of the two loads now are dropped too, and so are those whose
// sum, with the least time that the rest of the groups needs, is beyond twice that: with light nets this leaves a
// narrow band.
//
// Exact up to rounding if nothing else is dropped. To bound the work, of labels in one bucket of a the one with the
// least b is kept, buckets widen and states far from the least a + b go when a place has too many labels, and nets
// beyond the 32 that a state has bits for are ignored. What comes out is evaluated and taken only if better, so all
// this costs quality, not truth.
//
// Memory is the second resource: where the open groups could overfill i or j, labels carry the memory at i, compete
// only within a bucket of it, and are dropped when either limit is passed.
//
// The loads are sums here. Where loads are maxima, times alone are added up, since transfers are mostly
// hidden behind them; as what comes out is evaluated, this too costs quality only.
//
// O(open groups * states * buckets). Local search over pairs of parts is as old as [Kernighan-BSTJ'70]; here the step
// is exact. Tests: tests/solve/free_pair_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "partita/solve/free/part_loads.h"
#include "partita/solve/free/sum_loads.h"
#include "partita/util/budget.h"

namespace partita::detail {

struct PairOptions {
  double power = 30;               // of the soft maximum
  std::size_t buckets = 1500;      // of a, up to the larger load
  std::size_t labels = 1'000'000;  // in memory at once, 32 bytes each
};

// Moves the open groups if that makes the pair better and keeps within the memory limits; says whether it did. `order`
// holds groups of i and j only. Spends ticks, but does not stop early: the work is bounded by the options.
template <class Loads>
bool resplit_pair(Loads& loads, const NetGraph& graph, DeviceId i, DeviceId j, std::span<const GroupId> order,
                  const PairOptions& options, Budget& budget);

}  // namespace partita::detail
