// SPDX-License-Identifier: Apache-2.0
// Streams that repeat themselves, and those that only seem to.
#include "partita/schedule/steady_state.h"

#include <gtest/gtest.h>

namespace partita {
namespace {

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
}  // namespace partita
