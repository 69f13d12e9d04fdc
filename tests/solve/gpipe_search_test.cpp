// SPDX-License-Identifier: Apache-2.0
// Questions with a limit on each pass are answered as looking at all chains of ideals answers them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <random>

#include "partita/reduce/presolve.h"
#include "partita/reduce/shrink.h"
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

// Some groups weigh next to nothing, as what shrink removes does; and what was removed leaves stages empty.
PassCase case_with_light_groups(std::uint64_t seed) {
  if (seed % 5 == 0) return sums_pass_case(seed, 8);
  PassCase one = random_pass_case(seed, 8);
  if (seed % 3 == 0) return one;
  const auto lighter = [&](const StageGraph& graph) {
    IdVector<GroupId, Group> groups;
    std::vector<std::pair<GroupId, GroupId>> precedence;
    std::vector<Net> nets;
    for (GroupId v : graph.all()) {
      groups.push_back(graph.group(v));
      if ((seed / 2 + v.index() * v.index()) % 3 > 0) groups[v].accelerator_time *= 0x1p-8;  // the views still add up
      if (seed % 4) groups[v].memory = 0;
      for (GroupId w : graph.successors(v)) precedence.emplace_back(v, w);
    }
    for (NetId e : graph.nets()) nets.push_back({graph.cost(e), {graph.members(e).begin(), graph.members(e).end()}});
    return StageGraph(std::move(groups), precedence, std::move(nets));
  };
  one.graphs.both = lighter(one.graphs.both);
  for (StageGraph& pass : one.graphs.pass) pass = lighter(pass);
  return one;
}

// Larger doses than the solver's, as on graphs of a few groups nearly everything is heavy. The answer about the shrunk
// graph is the true one, since its views add up: so also where the limit on both passes is less than the other two
// together. And its "no" is one for the graph.
TEST(GpipeSearch, ShrunkGraphsRefuteNothingPossible) {
  std::size_t changed = 0, refuted = 0;
  for (std::uint64_t seed = 1; seed <= cases(400); ++seed) {
    const PassCase one = case_with_light_groups(seed);
    for (Asked& asked : questions(best_points(one.graphs, one.platform), seed)) {
      Budget budget;
      asked.limits.both *= std::array{1.0, 0.9, 0.8, 0.7}[changed / 4 % 4];
      const PassQuestion question = make_question(one.platform, asked.limits);
      const ShrinkDose dose = std::array<ShrinkDose, 5>{{{}, {0.01}, {0.2, 0.1}, {1}, {1, 1}}}[(seed + changed) % 5];
      const Shrunk<PassGraphs> shrunk = shrink(one.graphs, question, dose, budget);
      if (!shrunk.changed()) continue;
      ++changed;
      const Presolved small = presolve(shrunk.graph, question, {}, budget);
      const bool no = small.infeasible || search_ideals(small.graph, question, 16, budget).answer == Answer::No;
      refuted += no;
      EXPECT_EQ(no, !has_split_within(shrunk.graph, question))
          << "seed " << seed << ", doses " << dose.floaters << " " << dose.spine;
      EXPECT_FALSE(no && has_split_within(one.graphs, question))
          << "seed " << seed << ", doses " << dose.floaters << " " << dose.spine;
    }
  }
  EXPECT_GT(changed, 0u);
  EXPECT_GT(refuted, 0u);
}

// In whole slices and in small ones, which go on case by case, with what earlier questions have shown and without.
TEST(GpipeSearch, IsNeverAnsweredWronglyWithLightGroups) {
  std::size_t undecided = 0;
  for (std::uint64_t seed = 1; seed <= cases(400); ++seed) {
    const PassCase one = case_with_light_groups(seed);
    ShrunkAnswers known;
    for (const Asked& asked : questions(best_points(one.graphs, one.platform), seed)) {
      Budget budget;
      const std::uint64_t slice = seed % 2 ? budget.limits().ticks : std::uint64_t{1} << seed / 2 % 14;
      const LimitAnswer reply = ask_limit(
          one.graphs, make_question(one.platform, asked.limits), slice, budget, [](std::size_t, const std::string&) {},
          {}, &known);
      const std::string where = "seed " + std::to_string(seed);
      EXPECT_NE(reply.answer, asked.possible ? Answer::No : Answer::Yes) << where;
      if (reply.answer == Answer::Yes) expect_within(one, reply.split->stages, asked.limits, where);
      undecided += reply.answer == Answer::Unknown;
      if (seed % 2) {
        EXPECT_NE(reply.answer, Answer::Unknown) << where;
      }
    }
  }
  EXPECT_GT(undecided, 0u);
}

}  // namespace
}  // namespace partita::detail::test
