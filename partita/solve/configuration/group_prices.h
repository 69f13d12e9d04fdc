// SPDX-License-Identifier: Apache-2.0
// Prices as the configuration LP sees them: of each group, and of memory.
#pragma once

#include <vector>

#include "partita/solve/configuration/trellis.h"

namespace partita::detail {

// To a class of devices, a set is worth the prices of its groups less a toll for the memory it takes. As no device
// holds more than its memory, adding the toll of a whole device gives a bound on the price of every set that fits.
struct GroupPrices {
  std::vector<double> of;    // by index of the group
  std::vector<double> toll;  // by class of devices, for a whole device's memory

  double net(GroupId v, std::size_t device_class, const Scaled& scaled) const {
    return of[v.index()] - toll[device_class] * static_cast<double>(scaled.memory[v]) / static_cast<double>(kUnits);
  }
  double net(const std::vector<GroupId>& set, std::size_t device_class, const Scaled& scaled) const {
    double sum = 0;
    for (GroupId v : set) sum += net(v, device_class, scaled);
    return sum;
  }
  std::vector<double> net(std::size_t device_class, const Scaled& scaled) const {
    std::vector<double> result;
    for (GroupId v : scaled.time.all()) result.push_back(net(v, device_class, scaled));
    return result;
  }
  bool empty() const { return of.empty(); }
};

// One class of devices within one limit, with groups and nets in its units. Its number in the table is its place in the
// list of all.
struct ScaledClass {
  bool host = false;
  int count = 0;
  Scaled scaled;
};

}  // namespace partita::detail
