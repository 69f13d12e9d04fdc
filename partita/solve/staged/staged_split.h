// SPDX-License-Identifier: Apache-2.0
// A split into stages, and what it costs. Costs need groups and nets only; the order is the business of those who make
// stages.
#pragma once

#include <span>
#include <vector>

#include "partita/reduce/staged_instance.h"

namespace partita {

struct StagedSplit {
  double value = 0;  // the largest load
  std::vector<Stage> stages;
};

// compute + in + out of an accelerator that holds these groups. O(pins of the groups).
double accelerator_load(const NetGraph& graph, std::span<const GroupId> groups);
double host_load(const NetGraph& graph, std::span<const GroupId> groups);
double largest_load(const NetGraph& graph, std::span<const Stage> stages);

}  // namespace partita
