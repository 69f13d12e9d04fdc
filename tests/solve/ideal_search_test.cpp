// SPDX-License-Identifier: Apache-2.0
// The exact search says yes just above the optimum and no just below it, whole and case by case.
#include "partita/solve/staged/ideal_search.h"

#include <gtest/gtest.h>

#include "tests/support/cases.h"
#include "tests/support/stage_graphs.h"

namespace partita::detail::test {
namespace {

double just_above(double value) { return value * (1 + 1e-9) + 1e-9; }
double just_below(double value) { return value * (1 - 1e-6) - 1e-7; }

TEST(IdealSearch, AnswersAsBruteForceDoes) {
  for (std::uint64_t seed = 1; seed <= cases(4000); ++seed) {
    const StageCase one = random_stage_case(seed);
    const double best = least_value(one.graph, one.platform);
    const int buckets = 1 + static_cast<int>(seed % 20);
    Budget budget;
    if (best == kNoSplit) {
      EXPECT_EQ(search_ideals(one.graph, {one.platform, 1e6}, buckets, budget).answer, Answer::No) << "seed " << seed;
      continue;
    }
    const SearchResult above = search_ideals(one.graph, {one.platform, just_above(best)}, buckets, budget);
    ASSERT_EQ(above.answer, Answer::Yes) << "seed " << seed;
    EXPECT_NEAR(above.split.value, best, 1e-6) << "seed " << seed;
    if (best > 0) {
      EXPECT_EQ(search_ideals(one.graph, {one.platform, just_below(best)}, buckets, budget).answer, Answer::No)
          << "seed " << seed;
    }
  }
}

TEST(IdealSearch, HostCasesTogetherAnswerTheWholeQuestion) {
  std::size_t with_host = 0;
  for (std::uint64_t seed = 1; seed <= cases(6000); ++seed) {
    const StageCase one = random_stage_case(seed);
    if (one.platform.hosts != 1) continue;
    const double best = least_value(one.graph, one.platform);
    if (best == kNoSplit || best <= 0) continue;
    const int buckets = 1 + static_cast<int>(seed % 20);
    const auto some_case_says_yes = [&](double limit) {
      Budget budget;
      Threshold question{one.platform, limit};
      question.platform.hosts = 0;
      if (search_ideals(one.graph, question, buckets, budget).answer == Answer::Yes) return true;
      question.platform.hosts = 1;
      const bool backwards = seed % 2 == 0;
      const StageGraph graph = backwards ? reversed(one.graph) : one.graph;
      for (int before = 0; before <= one.platform.accelerators; ++before) {
        question.host_case = {backwards ? 0 : before, before};
        if (search_ideals(graph, question, buckets, budget).answer != Answer::Yes) continue;
        ++with_host;
        return true;
      }
      return false;
    };
    EXPECT_TRUE(some_case_says_yes(just_above(best))) << "seed " << seed;
    EXPECT_FALSE(some_case_says_yes(just_below(best))) << "seed " << seed;
  }
  EXPECT_GT(with_host, 0u);
}

TEST(IdealSearch, SaysUnknownWhenTheBudgetEnds) {
  const StageCase one = random_stage_case(3);
  Budget budget(Budget::Limits{.ticks = 0});
  EXPECT_EQ(search_ideals(one.graph, {one.platform, 1000}, 8, budget).answer, Answer::Unknown);
}

}  // namespace
}  // namespace partita::detail::test
