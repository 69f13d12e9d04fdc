// SPDX-License-Identifier: Apache-2.0
// The search for a toll comes to the highest point of a concave function, in a few steps.
#include "partita/solve/latency/toll_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "partita/util/dice.h"

namespace partita::detail::test {
namespace {

struct Line {
  double at_0, slope;
};

double least(const std::vector<Line>& lines, double toll) {
  double value = std::numeric_limits<double>::infinity();
  for (const Line& line : lines) value = std::min(value, line.at_0 + line.slope * toll);
  return value;
}

double highest(const std::vector<Line>& lines, double last) {
  double best = std::max(least(lines, 0), least(lines, last));
  for (const Line& a : lines) {
    for (const Line& b : lines) {
      const double toll = (a.at_0 - b.at_0) / (b.slope - a.slope);
      if (toll > 0 && toll < last) best = std::max(best, least(lines, toll));
    }
  }
  return best;
}

// Splits with more blocks take less, and less is gained by each block more.
TEST(TollSearch, ComesToTheHighestPoint) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    Dice dice(seed);
    std::vector<Line> lines;
    double latency = 1000, gain = 0;
    for (int blocks = 9; blocks > -6; blocks -= 1 + static_cast<int>(dice.below(3))) {
      lines.push_back({latency, static_cast<double>(blocks)});
      gain += static_cast<double>(dice.below(100)) / 100;
      latency += gain;
    }
    if (lines.back().slope >= 0) continue;
    const double first = 0.01 * static_cast<double>(1 + dice.below(20));
    TollSearch search(lines[0].at_0, first, 100);
    const std::size_t at_once = 1 + seed % 4;
    int rounds = 0;
    for (std::vector<double> tolls; !(tolls = search.next(at_once)).empty(); ++rounds) {
      EXPECT_LE(tolls.size(), at_once);
      for (const double toll : tolls) {
        EXPECT_GT(toll, 0);
        EXPECT_LE(toll, 100);
        search.tell(toll, least(lines, toll));
      }
    }
    EXPECT_LE(rounds, 24) << "seed " << seed;
    if (highest(lines, first) > least(lines, first) + 1e-6) continue;  // where it begins is too far already
    const double best = search.best() > 0 ? least(lines, search.best()) : lines[0].at_0;
    EXPECT_GE(best, highest(lines, 100) * (1 - 2e-7)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace partita::detail::test
