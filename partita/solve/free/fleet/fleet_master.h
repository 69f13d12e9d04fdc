// SPDX-License-Identifier: Apache-2.0
// The master problem of the configuration LP of a fleet, in CLP: cover every group by sets of accelerators, class by
// class, and by the time of hosts, where every class of accelerators may use up to z times as many sets as it has
// devices. The least z is what counts: above 1 the limit is refuted. The sets of a class together take no more memory
// than its devices have. Duals are prices of the groups, of a device of each class, and tolls on memory.
#pragma once

#include <memory>
#include <vector>

#include "partita/solve/free/trellis.h"
#include "partita/util/budget.h"

namespace partita {

// One class within one limit: its devices, and groups in units of the limit.
struct ScaledClass {
  int count = 0;
  Scaled scaled;
};

struct FleetPrices {
  std::vector<double> of;    // by index of the group
  std::vector<double> toll;  // by class of accelerators, for a whole device's memory

  bool empty() const { return of.empty(); }
  // Of a set of a class: less the toll on its memory.
  double net(const std::vector<GroupId>& set, std::size_t device_class, const Scaled& scaled) const {
    double sum = 0;
    for (GroupId v : set) {
      sum += of[v.index()] - toll[device_class] * static_cast<double>(scaled.memory[v]) / static_cast<double>(kUnits);
    }
    return sum;
  }
};

class FleetMaster {
 public:
  // Both must outlive it.
  FleetMaster(std::size_t groups, const std::vector<ScaledClass>& accelerators, const std::vector<ScaledClass>& hosts);
  ~FleetMaster();

  void add(const std::vector<GroupId>& column, std::size_t device_class);
  // Returns z; prices are then its duals, none of them negative.
  double solve(Budget& budget);
  const FleetPrices& prices() const { return prices_; }
  double price_of_device(std::size_t device_class) const { return device_price_[device_class]; }

 private:
  class Clp;  // keeps CLP's headers out of this one
  std::unique_ptr<Clp> clp_;
  const std::vector<ScaledClass>& accelerators_;
  FleetPrices prices_;
  std::vector<double> device_price_;
};

}  // namespace partita
