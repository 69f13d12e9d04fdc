// SPDX-License-Identifier: Apache-2.0
// The ways to extend an ideal inside a cluster: one more stage on devices that are directly in it, or a run of stages
// in one or more equal clusters inside it.
#pragma once

#include <algorithm>
#include <vector>

#include "partita/reduce/stage_cost.h"

namespace partita::detail {

struct Step {
  Setup setup;
  std::size_t inside = 0;  // of clusters: which ClusterType
  bool is_cluster = false;
};

inline std::vector<Step> steps_in(const SetupRules& rules, std::size_t type) {
  std::vector<Step> steps;
  const std::vector<ClusterMember>& members = rules.clusters[type].members;
  for (std::size_t m = 0; m < members.size(); ++m) {
    for (int r = 1; r <= std::min(members[m].count, rules.replicas); ++r) {
      Step step{{m, members[m].device_class, r, false}, members[m].inside, members[m].is_cluster()};
      steps.push_back(step);
      if (step.is_cluster || !rules.recompute) continue;
      step.setup.recompute = true;
      steps.push_back(step);
    }
  }
  return steps;
}

}  // namespace partita::detail
