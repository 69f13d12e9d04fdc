// SPDX-License-Identifier: Apache-2.0
// Most price that one host can hold within the limit, fractions of groups allowed: dearest per time first.
#pragma once

#include <vector>

#include "partita/solve/configuration/trellis.h"

namespace partita::detail {

struct HostKnapsack {
  double price = 0;
  std::vector<double> fraction;  // of each group, by index: what the host would hold
};

HostKnapsack fill_host(const Scaled& scaled, const std::vector<double>& prices);

}  // namespace partita::detail
