// SPDX-License-Identifier: Apache-2.0
// The plainest bound: if groups could be cut into pieces and nothing had to be moved, how long would the
// devices need?
//
// As a linear program: minimise T, where x(v, c) is the part of group v on class c, every group is whole, class c has
// the time count(c) * T and the memory count(c) * memory(c). Take any weights y(c) >= 0 with sum count(c) y(c) = 1 and
// tolls m(c) >= 0. Weak duality says that no split, cut into pieces or not, has a value below
//     sum over v of min over c of (y(c) time(v, c) + m(c) memory(v))  -  sum over c of m(c) count(c) memory(c).
// So the bound is computed from y and m alone, and how these were found does not matter: by cutting planes
// [Kelley-SIAM'60], since they are few however many groups there are. O(rounds * groups * classes). Every mode's load
// is at least the time, so the bound holds for all modes. Tests: tests/solve/classes_bound_test.cpp.
#pragma once

#include "partita/reduce/free_instance.h"
#include "partita/solve/configuration/group_prices.h"
#include "partita/util/budget.h"

namespace partita::detail {

struct Volume {
  double bound = 0;  // also at least the time of the longest group where it takes least; a little rounded down
  // Prices that prove it: each group's part of the sum, and by class the toll on a whole device's memory.
  GroupPrices prices;
};

// All zero if some group fits nowhere. Less of a bound where time ends before it is the best of its kind.
Volume volume_bound(const FreeInstance& instance, const Budget* budget = nullptr);

}  // namespace partita::detail
