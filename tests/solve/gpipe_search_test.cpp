// SPDX-License-Identifier: Apache-2.0
// Questions with a limit on each pass are answered as looking at all chains of ideals answers them.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "partita/reduce/presolve.h"
#include "partita/solve/staged/limit_question.h"
#include "tests/solve/legal_split.h"
#include "tests/support/cases.h"
#include "tests/support/pass_graphs.h"

namespace partita::detail::test {
namespace {

struct PassLimits {
  double forward = 0, backward = 0, both = 0;
};

struct Asked {
  PassLimits limits;
  bool possible = false;
};

// Limits at, above and below what some split needs, so that each of them decides now and then.
std::vector<Asked> questions(const std::vector<PassPoint>& points, std::uint64_t seed) {
  std::mt19937_64 rng(seed);
  std::vector<Asked> asked;
  for (const PassPoint& p : points) {
    for (const double forward : {1 - 1e-6, 1 + 1e-9, 1.2}) {
      for (const double backward : {1 - 1e-6, 1 + 1e-9, 1.2}) {
        Asked one{{p.forward * forward + 1e-9, p.backward * backward + 1e-9, 0}};
        one.limits.both = one.limits.forward + one.limits.backward;
        one.possible = std::any_of(points.begin(), points.end(), [&](const PassPoint& q) {
          return q.forward <= one.limits.forward && q.backward <= one.limits.backward;
        });
        asked.push_back(one);
      }
    }
  }
  std::shuffle(asked.begin(), asked.end(), rng);
  if (asked.size() > 6) asked.resize(6);
  return asked;
}

PassQuestion make_question(const StagePlatform& platform, const PassLimits& limits) {
  return ask_each_pass(platform, limits.forward, limits.backward, limits.both);
}

void expect_within(const PassCase& one, const std::vector<Stage>& stages, const PassLimits& limits,
                   const std::string& where) {
  const StagedSplit split{largest_load(one.graphs.both, stages), stages};
  expect_legal(one.graphs.both, one.platform, split);
  const PassValue value = pass_value(one.graphs, stages);
  EXPECT_LE(value.largest[0], limits.forward * (1 + 1e-9)) << where;
  EXPECT_LE(value.largest[1], limits.backward * (1 + 1e-9)) << where;
}

TEST(GpipeSearch, AnswersAsBruteForceDoes) {
  for (std::uint64_t seed = 1; seed <= cases(1500); ++seed) {
    const PassCase one = random_pass_case(seed, 8);
    const std::vector<PassPoint> points = best_points(one.graphs, one.platform);
    for (const Asked& asked : questions(points, seed)) {
      const std::string where = "seed " + std::to_string(seed);
      Budget budget;
      const int buckets = 1 + static_cast<int>(seed % 20);
      const PassQuestion question = make_question(one.platform, asked.limits);
      const SearchResult plain = search_ideals(one.graphs, question, buckets, budget);
      EXPECT_EQ(plain.answer, asked.possible ? Answer::Yes : Answer::No) << where;
      if (plain.answer == Answer::Yes) expect_within(one, plain.split.stages, asked.limits, where);
      const LimitAnswer whole =
          ask_limit(one.graphs, question, budget.limits().ticks, budget, [](std::size_t, const std::string&) {});
      EXPECT_EQ(whole.answer, asked.possible ? Answer::Yes : Answer::No) << where;
      if (whole.answer == Answer::Yes) expect_within(one, whole.split->stages, asked.limits, where);
    }
  }
}

TEST(GpipeSearch, ALimitOnBothPassesCounts) {
  std::size_t refused = 0;
  for (std::uint64_t seed = 1; seed <= cases(600); ++seed) {
    const PassCase one = random_pass_case(seed, 8);
    Budget budget;
    for (const PassPoint& p : best_points(one.graphs, one.platform)) {
      // The plain solver's own limit: above what the points need, below their sum.
      PassLimits limits{p.forward + 1e-9, p.backward + 1e-9, 0.9 * (p.forward + p.backward) + 1e-9};
      const SearchResult with = search_ideals(one.graphs, make_question(one.platform, limits), 16, budget);
      if (with.answer == Answer::No) {
        ++refused;
      } else {
        EXPECT_LE(largest_load(one.graphs.both, with.split.stages), limits.both * (1 + 1e-9)) << "seed " << seed;
      }
    }
  }
  EXPECT_GT(refused, 0u);
}

TEST(GpipeSearch, PresolveKeepsSomeSplitWithinTheLimits) {
  std::size_t joined = 0, banned_all = 0;
  for (std::uint64_t seed = 1; seed <= cases(1000); ++seed) {
    const PassCase one = random_pass_case(seed, 8);
    for (const Asked& asked : questions(best_points(one.graphs, one.platform), seed)) {
      Budget budget;
      const Presolved small = presolve(one.graphs, make_question(one.platform, asked.limits), {}, budget);
      joined += small.graph.size() < one.graphs.size();
      banned_all += small.infeasible;
      if (!asked.possible) continue;
      ASSERT_FALSE(small.infeasible) << "seed " << seed;
      const auto points = best_points(small.graph, one.platform);
      EXPECT_TRUE(std::any_of(points.begin(), points.end(),
                              [&](const PassPoint& q) {
                                return q.forward <= asked.limits.forward * (1 + 1e-9) &&
                                       q.backward <= asked.limits.backward * (1 + 1e-9);
                              }))
          << "seed " << seed;
    }
  }
  EXPECT_GT(joined, 0u);
  EXPECT_GT(banned_all, 0u);
}

}  // namespace
}  // namespace partita::detail::test
