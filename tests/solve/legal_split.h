// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "partita/solve/staged/staged_split.h"

namespace partita::detail::test {

// A staged split of the whole graph on these devices, whose value is what its stages cost. Recomputed here from the
// nets.
inline void expect_legal(const StageGraph& graph, const StagePlatform& platform, const StagedSplit& split) {
  IdVector<GroupId, int> stage_of(graph.size(), -1);
  int hosts = 0, accelerators = 0;
  double largest = 0;
  for (std::size_t s = 0; s < split.stages.size(); ++s) {
    const Stage& stage = split.stages[s];
    (stage.on_host ? hosts : accelerators) += 1;
    double load = 0, memory = 0;
    for (GroupId v : stage.groups) {
      EXPECT_EQ(stage_of[v], -1);
      stage_of[v] = static_cast<int>(s);
      const Group& g = graph.group(v);
      EXPECT_TRUE(stage.on_host ? g.on_host : g.on_accelerator);
      load += stage.on_host ? g.host_time : g.accelerator_time;
      memory += g.memory;
    }
    for (NetId e : graph.nets()) {
      std::size_t inside = 0;
      for (GroupId v : graph.members(e)) inside += stage_of[v] == static_cast<int>(s);
      if (!stage.on_host && inside > 0 && inside < graph.members(e).size()) load += graph.cost(e);
    }
    EXPECT_LE(memory, stage.on_host ? platform.host_memory : platform.accelerator_memory);
    largest = std::max(largest, load);
  }
  EXPECT_LE(hosts, platform.hosts);
  EXPECT_LE(accelerators, platform.accelerators);
  for (GroupId v : graph.all()) {
    EXPECT_GE(stage_of[v], 0);
    for (GroupId w : graph.successors(v)) EXPECT_LE(stage_of[v], stage_of[w]);
  }
  EXPECT_NEAR(split.value, largest, 1e-9 * (1 + largest));
}

}  // namespace partita::detail::test
