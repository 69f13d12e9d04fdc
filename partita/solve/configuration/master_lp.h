// SPDX-License-Identifier: Apache-2.0
// The master problem of the configuration LP, in CLP: cover every group (in fractions) by columns, which are sets of an
// accelerator of some class, and by the time of hosts, where every class of accelerators may use up to z times as many
// columns as it has devices. The least z is what counts: above 1 the limit is refuted. What a class holds takes no more
// memory than its devices have. Duals are prices of the groups, of a device of each class, and tolls on memory.
#pragma once

#include <memory>
#include <vector>

#include "partita/solve/configuration/group_prices.h"
#include "partita/util/budget.h"

namespace partita::detail {

class MasterLp {
 public:
  // `classes`, accelerators first, must outlive it.
  MasterLp(std::size_t groups, const std::vector<ScaledClass>& classes);
  ~MasterLp();

  void add(const std::vector<GroupId>& column, std::size_t device_class);
  // Returns z; prices are then its duals, none of them negative. Throws OutOfTime.
  double solve(Budget& budget);
  const GroupPrices& prices() const { return prices_; }
  double price_of_device(std::size_t device_class) const { return device_price_[device_class]; }

 private:
  class Clp;  // keeps CLP's headers out of this one
  std::unique_ptr<Clp> clp_;
  const std::vector<ScaledClass>& classes_;
  GroupPrices prices_;
  std::vector<double> device_price_;
};

}  // namespace partita::detail
