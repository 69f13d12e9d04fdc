// SPDX-License-Identifier: Apache-2.0
// The configuration LP on several threads, which try several prices at once: what it refutes has no split, by brute
// force; it refutes what one thread refutes; and twice the same is asked, twice the same is done.
#include <gtest/gtest.h>

#include "partita/solve/configuration/convex_bound.h"
#include "partita/util/parallel.h"
#include "tests/support/cases.h"
#include "tests/support/stage_graphs.h"

namespace partita::detail::test {
namespace {

constexpr int kThreadsOfLp = 8;  // fewer try no more prices at once than one does

struct LpReply {
  Refutation answer = Refutation::Undecided;
  std::uint64_t ticks = 0;
};

LpReply ask_lp(const StageCase& one, double limit, bool by_cases, Workers* workers) {
  Budget budget(Budget::Limits{.ticks = 4'000'000});
  if (workers) budget.work_with(*workers);
  ConvexBound bound(one.graph, one.platform);
  const Refutation answer = by_cases ? bound.refute_by_cases(limit, budget) : bound.refute(limit, budget);
  return {answer, budget.ticks_used()};
}

TEST(ConfigurationThreads, RefuteWhatOneDoesAndNothingThatExists) {
  Workers workers(kThreadsOfLp, 0);
  std::size_t alone = 0, together = 0, otherwise = 0;
  for (std::uint64_t seed = 1; seed <= cases(300); ++seed) {
    const StageCase one = random_stage_case(seed);
    const double best = least_value(one.graph, one.platform);
    if (best == kNoSplit || best <= 0) continue;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const bool by_cases = seed % 3 == 0;
    for (const double limit : {best, best * (1 + 1e-9), best * 1.1})
      EXPECT_NE(ask_lp(one, limit, by_cases, &workers).answer, Refutation::Refuted);
    const double below = best * (1 - 1e-6);
    const LpReply by_one = ask_lp(one, below, by_cases, nullptr);
    const LpReply by_several = ask_lp(one, below, by_cases, &workers);
    alone += by_one.answer == Refutation::Refuted;
    together += by_several.answer == Refutation::Refuted;
    otherwise += by_one.ticks != by_several.ticks;
    const LpReply again = ask_lp(one, below, by_cases, &workers);
    EXPECT_EQ(by_several.answer, again.answer);
    EXPECT_EQ(by_several.ticks, again.ticks);
  }
  EXPECT_GT(alone, cases(300) / 4);
  EXPECT_GE(together * 20, alone * 19);  // prices of one kind may come to an end where those of another do not
  EXPECT_GT(otherwise, 0u);              // several prices were tried at once
}

}  // namespace
}  // namespace partita::detail::test
