// SPDX-License-Identifier: Apache-2.0
// What a split costs when each pass waits for its own slowest device: the largest forward load plus the largest
// backward load.
#pragma once

#include <span>

#include "partita/reduce/pass_graphs.h"
#include "partita/solve/staged/staged_split.h"

namespace partita {

struct PassValue {
  double forward = 0, backward = 0;  // the largest load of each pass
  double sum() const { return forward + backward; }
};

inline PassValue pass_value(const PassGraphs& graphs, std::span<const Stage> stages) {
  return {largest_load(graphs.pass[0], stages), largest_load(graphs.pass[1], stages)};
}

}  // namespace partita
