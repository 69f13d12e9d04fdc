// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/gpipe/pass_anneal.h"

#include <gtest/gtest.h>

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
    const PassView view{{&one.graphs.pass[0], &one.graphs.pass[1]}, &one.graphs.both};
    const PassRow row = row_of(one.graphs.size(), one.platform, start.split->stages, rng);
    const PassValue before = pass_value(one.graphs, start.split->stages);
    EXPECT_NEAR(pass_value(view, row).sum(), before.sum(), 1e-9 * (1 + before.sum())) << "seed " << seed;
    const auto found = anneal_passes(view, one.platform, row, {.moves = 20'000}, rng, budget);
    if (!found) continue;
    ++better;
    const std::vector<Stage> stages = stages_of(*found);
    expect_legal(one.graphs.both, one.platform, {largest_load(one.graphs.both, stages), stages});
    EXPECT_LT(pass_value(one.graphs, stages).sum(), before.sum()) << "seed " << seed;
  }
  EXPECT_GT(better, 0u);
}

}  // namespace
}  // namespace partita::test
