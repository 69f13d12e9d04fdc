// SPDX-License-Identifier: Apache-2.0
#include "partita/util/statistics.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace partita {
namespace {

void take(std::chrono::milliseconds time) { std::this_thread::sleep_for(time); }

TEST(Statistics, CountsCallsTimeAndYieldOfEachTechnique) {
  Statistics statistics;
  Budget budget;
  budget.collect(statistics);
  for (int i = 0; i < 3; ++i) {
    Technique technique(budget, "one", "things");
    technique.yield(2);
    take(std::chrono::milliseconds(2));
  }
  const std::vector<Statistics::Row> rows = statistics.rows();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].technique, "one");
  EXPECT_EQ(rows[0].unit, "things");
  EXPECT_EQ(rows[0].calls, 3U);
  EXPECT_EQ(rows[0].yield, 6);
  EXPECT_GE(rows[0].seconds, 0.006);
}

TEST(Statistics, TimeIsTheTechniquesOwn) {
  Statistics statistics;
  Budget budget;
  budget.collect(statistics);
  const auto start = std::chrono::steady_clock::now();
  {
    const Technique outer(budget, "outer");
    take(std::chrono::milliseconds(5));
    const Technique inner(budget, "inner");
    take(std::chrono::milliseconds(20));
  }
  const double whole = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const std::vector<Statistics::Row> rows = statistics.rows();  // by name
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_GE(rows[0].seconds, 0.02);
  EXPECT_GE(rows[1].seconds, 0.005);
  EXPECT_LE(rows[0].seconds + rows[1].seconds, whole);
}

TEST(Statistics, SlicesAndThreadsShareThoseOfTheWhole) {
  Statistics statistics;
  Budget budget;
  budget.collect(statistics);
  Budget slice(budget, 100);
  constexpr int kCalls = 1000;
  const auto work = [&] {
    for (int i = 0; i < kCalls; ++i) Technique(slice, "shared", "calls").yield(1);
  };
  {
    const std::jthread other(work);
    work();
  }
  ASSERT_EQ(statistics.rows().size(), 1U);
  EXPECT_EQ(statistics.rows()[0].calls, 2U * kCalls);
  EXPECT_EQ(statistics.rows()[0].yield, 2 * kCalls);
}

TEST(Statistics, NobodyAskedNothingIsCounted) {
  Statistics statistics;
  Budget budget;
  const Technique technique(budget, "one");
  EXPECT_EQ(budget.statistics(), nullptr);
  EXPECT_TRUE(statistics.rows().empty());
}

}  // namespace
}  // namespace partita
