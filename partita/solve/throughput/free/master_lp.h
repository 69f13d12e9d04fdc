// SPDX-License-Identifier: Apache-2.0
// The master problem of the configuration LP, in CLP: as few columns as possible (in fractions) that cover every group,
// where hosts together have a limited time. Its duals are prices of groups.
#pragma once

#include <memory>
#include <vector>

#include "partita/solve/throughput/free/trellis.h"
#include "partita/util/budget.h"

namespace partita {

class MasterLp {
 public:
  MasterLp(const Scaled& scaled, int hosts);
  ~MasterLp();

  void add(const std::vector<GroupId>& column);
  // Returns the number of columns needed; prices() are then its duals, none of them negative.
  double solve(Budget& budget);
  const std::vector<double>& prices() const { return prices_; }

 private:
  class Clp;  // keeps CLP's headers out of this one
  std::unique_ptr<Clp> clp_;
  std::vector<double> prices_;
};

}  // namespace partita
