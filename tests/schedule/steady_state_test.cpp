// SPDX-License-Identifier: Apache-2.0
// Streams that repeat themselves, and some that almost do.
#include "partita/schedule/steady_state.h"

#include <gtest/gtest.h>

namespace partita::detail {
namespace {

// Ends that are so far apart, again and again.
std::vector<double> ends_of(const std::vector<double>& gaps, std::size_t count) {
  std::vector<double> ends{gaps.back()};
  while (ends.size() < count) ends.push_back(ends.back() + gaps[ends.size() % gaps.size()]);
  return ends;
}

TEST(SteadyState, OfAPatternIsItsMean) {
  EXPECT_DOUBLE_EQ(steady_time(ends_of({2}, 20)).value(), 2);
  EXPECT_DOUBLE_EQ(steady_time(ends_of({1, 2}, 20)).value(), 1.5);
  EXPECT_DOUBLE_EQ(steady_time(ends_of({1, 1, 4}, 21)).value(), 2);
  EXPECT_EQ(steady_time(ends_of({1, 1, 4}, 20), 0, 2), std::nullopt);
  EXPECT_NEAR(steady_time(ends_of({0.1, 0.7, 0.3}, 100'000)).value(), 1.1 / 3, 1e-12);
}

TEST(SteadyState, NeedsTwoPeriodsAndMore) {
  EXPECT_EQ(steady_time({}), std::nullopt);
  EXPECT_EQ(steady_time(ends_of({2}, 3)), std::nullopt);
  EXPECT_DOUBLE_EQ(steady_time(ends_of({2}, 4)).value(), 2);
}

TEST(SteadyState, IsNotAStreamThatGetsSlower) {
  std::vector<double> ends{0};
  for (std::size_t n = 1; n < 200; ++n) ends.push_back(ends.back() + 1 + 1e-6 * static_cast<double>(n));
  EXPECT_EQ(steady_time(ends), std::nullopt);
}

// The last quarter must agree, not only the last two periods.
TEST(SteadyState, IsNotTheEndOfAStream) {
  std::vector<double> ends = ends_of({1}, 95);
  while (ends.size() < 100) ends.push_back(ends.back() + 3);
  EXPECT_EQ(steady_time(ends), std::nullopt);
  std::vector<double> warmed_up = ends_of({1}, 60);
  while (warmed_up.size() < 100) warmed_up.push_back(warmed_up.back() + 3);
  EXPECT_DOUBLE_EQ(steady_time(warmed_up).value(), 3);
}

// Seven samples leave one after the other, then six units of time pass until the next seven do.
std::vector<double> bursts(std::size_t count) {
  std::vector<double> ends;
  for (std::size_t n = 0; n < count; ++n) ends.push_back(static_cast<double>(n + n / 7 * 6));
  return ends;
}

TEST(SteadyState, OfBurstsIsTheirMean) {
  EXPECT_DOUBLE_EQ(steady_time(bursts(70)).value(), 13.0 / 7);
  EXPECT_DOUBLE_EQ(steady_time(bursts(70), 7).value(), 13.0 / 7);
}

TEST(SteadyState, IsNoPartOfABurst) {
  EXPECT_EQ(steady_time(bursts(13)), 1.0);  // who knows of no bursts sees six equal steps
  for (std::size_t count = 0; count <= 70; ++count) {
    const std::optional<double> time = steady_time(bursts(count), 7);
    if (time) {
      EXPECT_DOUBLE_EQ(*time, 13.0 / 7) << count;
    }
  }
}

TEST(SteadyState, NeedsEnoughToLookAt) {
  EXPECT_EQ(steady_time({}), std::nullopt);
  EXPECT_EQ(steady_time({1, 2, 3}), std::nullopt);
  EXPECT_EQ(steady_time({1, 2, 3, 4}), 1.0);
  EXPECT_EQ(steady_time({1, 2, 3, 4}, 3), std::nullopt);
  EXPECT_EQ(steady_time({1, 2, 3, 4, 5}, 3), 1.0);
}

}  // namespace
}  // namespace partita::detail
