// SPDX-License-Identifier: Apache-2.0
// The master problem of the configuration LP, in CLP: as few columns as possible (in fractions) that cover every group,
// where hosts together have a limited time and all columns together the memory of all accelerators. Its duals are
// prices.
#pragma once

#include <memory>
#include <vector>

#include "partita/solve/free/group_prices.h"
#include "partita/util/budget.h"

namespace partita {

class MasterLp {
 public:
  // `scaled` must outlive it.
  MasterLp(const Scaled& scaled, const StagePlatform& platform);
  ~MasterLp();

  void add(const std::vector<GroupId>& column);
  // Returns the number of columns needed; prices() are then its duals, none of them negative. Throws OutOfTime.
  double solve(Budget& budget);
  const GroupPrices& prices() const { return prices_; }

 private:
  class Clp;  // keeps CLP's headers out of this one
  std::unique_ptr<Clp> clp_;
  const Scaled& scaled_;
  GroupPrices prices_;
};

}  // namespace partita
