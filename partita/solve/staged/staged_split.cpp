// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/staged_split.h"

#include <algorithm>

namespace partita::detail {

double largest_load(const NetGraph& graph, std::span<const Stage> stages) {
  double largest = 0;
  for (const Stage& stage : stages) {
    largest = std::max(largest, stage.on_host ? host_load(graph, stage.groups) : accelerator_load(graph, stage.groups));
  }
  return largest;
}

}  // namespace partita::detail
