// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "partita/solve/free/gpipe_free.h"
#include "partita/solve/staged/anneal.h"
#include "partita/solve/staged/staged.h"
#include "tests/solve/legal_split.h"
#include "tests/support/cases.h"
#include "tests/support/pass_graphs.h"

namespace partita::test {
namespace {

TEST(GpipeAnneal, StagedSplitsStayStagedAndGetBetter) {
  std::size_t better = 0;
  for (std::uint64_t seed = 1; seed <= cases(150); ++seed) {
    const PassCase one = random_pass_case(seed, 14);
    Budget budget;
    const StagedOutcome start = solve_staged(one.graphs.both, one.platform, {false, 0, 1}, budget, {});
    if (!start.split) continue;
    Rng rng(seed);
    const double before = pass_value(one.graphs, start.split->stages).sum();
    const auto found = anneal(one.graphs, one.platform, *start.split, {.moves = 20'000}, rng, budget);
    if (!found) continue;
    ++better;
    const std::vector<Stage>& stages = found->stages;
    expect_legal(one.graphs.both, one.platform, {largest_load(one.graphs.both, stages), stages});
    EXPECT_EQ(found->value, pass_value(one.graphs, stages).sum()) << "seed " << seed;
    EXPECT_LT(found->value, before) << "seed " << seed;
  }
  EXPECT_GT(better, 0u);
}

TEST(GpipeAnneal, FreeSplitsKeepMemoryAndSupport) {
  std::size_t better = 0;
  for (std::uint64_t seed = 1; seed <= cases(150); ++seed) {
    const PassCase one = random_pass_case(seed, 14);
    const PassNets passes{one.graphs.pass[0], one.graphs.pass[1]};
    const StagePlatform& platform = one.platform;
    FreeSplit start;  // all on one device, where one can hold all
    double memory = 0;
    for (GroupId v : one.graphs.both.all()) {
      start.device_of.push_back(DeviceId(0));
      memory += one.graphs.both.group(v).memory;
      if (!one.graphs.both.group(v).on_accelerator) memory = kUnlimited;
    }
    if (platform.accelerators == 0 || memory > platform.accelerator_memory) continue;
    Budget budget;
    const FreeSplit found = anneal_free_gpipe(passes, platform, start, 20'000, 0, seed, budget);
    EXPECT_LE(found.value, gpipe_value(passes, platform, start) * (1 + 1e-12)) << "seed " << seed;
    EXPECT_NEAR(found.value, gpipe_value(passes, platform, found), 1e-9 * (1 + found.value)) << "seed " << seed;
    better += found.value < gpipe_value(passes, platform, start);
    std::vector<double> held(static_cast<std::size_t>(platform.accelerators + platform.hosts), 0);
    for (GroupId v : one.graphs.both.all()) {
      const Group& g = one.graphs.both.group(v);
      const std::size_t device = found.device_of[v].index();
      const bool host = device >= static_cast<std::size_t>(platform.accelerators);
      EXPECT_TRUE(host ? g.on_host : g.on_accelerator) << "seed " << seed;
      held[device] += g.memory;
      EXPECT_LE(held[device], host ? platform.host_memory : platform.accelerator_memory) << "seed " << seed;
    }
  }
  EXPECT_GT(better, 0u);
}

}  // namespace
}  // namespace partita::test
