// SPDX-License-Identifier: Apache-2.0
// The plainest bound for a fleet: if groups could be cut into pieces and nothing had to be moved, how long would the
// devices need?
//
// As a linear program: minimise T, where x(v, c) is the part of group v on class c, every group is whole, class c has
// the time count(c) * T and the memory count(c) * memory(c). Take any weights y(c) >= 0 with sum count(c) y(c) = 1 and
// tolls m(c) >= 0. Weak duality says that no split, cut into pieces or not, has a value below
//     sum over v of min over c of (y(c) time(v, c) + m(c) memory(v))  -  sum over c of m(c) count(c) memory(c).
// So the bound is computed from y and m alone, and how these were found does not matter: by cutting planes
// [Kelley-SIAM'60], since they are few however many groups there are. O(rounds * groups * classes). Every mode's load
// is at least the time, so the bound holds for all modes. Tests: tests/solve/fleet_bound_test.cpp.
#pragma once

#include <vector>

#include "partita/reduce/fleet_instance.h"
#include "partita/util/budget.h"

namespace partita {

struct FleetVolume {
  double bound = 0;  // also at least the time of the longest group where it takes least; a little rounded down
  std::vector<double> prices;  // by group: its part of the sum, which prices it for the configuration LP
};

// All zero if some group fits nowhere. Less of a bound where time ends before it is the best of its kind.
FleetVolume fleet_volume(const NetGraph& graph, const Fleet& fleet, const Budget* budget = nullptr);

}  // namespace partita
