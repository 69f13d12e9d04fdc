// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "partita/solve/staged/anneal.h"
#include "partita/solve/staged/staged.h"
#include "tests/solve/legal_split.h"
#include "tests/support/cases.h"
#include "tests/support/pass_graphs.h"

namespace partita::detail::test {
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

}  // namespace
}  // namespace partita::detail::test
