// SPDX-License-Identifier: Apache-2.0
// Prices as the LP sees them: of each group, and of memory.
#pragma once

#include <vector>

#include "partita/solve/free/trellis.h"

namespace partita {

// A set is worth the prices of its groups less a toll for the memory it takes. As no accelerator holds more than its
// memory, adding the toll of a whole accelerator gives a bound on the price of every set that fits.
struct GroupPrices {
  std::vector<double> of;  // by index of the group
  double toll = 0;         // for a whole accelerator's memory

  double net(GroupId v, const Scaled& scaled) const {
    return of[v.index()] - toll * static_cast<double>(scaled.memory[v]) / static_cast<double>(kUnits);
  }
  double net(const std::vector<GroupId>& set, const Scaled& scaled) const {
    double sum = 0;
    for (GroupId v : set) sum += net(v, scaled);
    return sum;
  }
  bool empty() const { return of.empty(); }
};

}  // namespace partita
