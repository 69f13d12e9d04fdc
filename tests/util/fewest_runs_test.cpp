// SPDX-License-Identifier: Apache-2.0
// Orders with few runs: words known by hand, and random graphs against all topological orders.
#include "partita/util/fewest_runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "partita/util/dice.h"
#include "tests/support/cases.h"

namespace partita::detail::test {
namespace {

// "aab" is three vertices of the colours a, a and b.
ColouredDag coloured(std::string_view colours, const std::vector<std::pair<std::size_t, std::size_t>>& edges) {
  ColouredDag dag;
  for (const char c : colours) {
    dag.colour_of.push_back(ColourId(static_cast<std::size_t>(c - 'a')));
    dag.colour_count = std::max(dag.colour_count, static_cast<std::size_t>(c - 'a') + 1);
  }
  for (const auto& [from, to] : edges) dag.edges.emplace_back(VertexId(from), VertexId(to));
  return dag;
}

std::string text(const Runs& runs) {
  std::string word;
  for (ColourId c : runs.colour_of) word += static_cast<char>('a' + c.index());
  return word;
}

// One chain for each word: its letters must run in this order.
ColouredDag chains(const std::vector<std::string>& words) {
  std::string colours;
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  for (const std::string& word : words) {
    for (std::size_t i = 0; i < word.size(); ++i) {
      if (i > 0) edges.emplace_back(colours.size() - 1, colours.size());
      colours += word[i];
    }
  }
  return coloured(colours, edges);
}

// Edges go to the same or a later run, and a run has one colour.
void expect_possible(const ColouredDag& dag, const Runs& runs, const std::string& about) {
  for (VertexId v : dag.colour_of.all()) {
    ASSERT_LT(runs.run_of[v], runs.colour_of.size()) << about;
    EXPECT_EQ(runs.colour_of[runs.run_of[v]], dag.colour_of[v]) << about;
  }
  for (const auto& [from, to] : dag.edges) EXPECT_LE(runs.run_of[from], runs.run_of[to]) << about;
  for (std::size_t r = 1; r < runs.colour_of.size(); ++r) EXPECT_NE(runs.colour_of[r - 1], runs.colour_of[r]) << about;
}

// The fewest runs of all topological orders, vertex by vertex: by the set taken and the colour taken last.
std::size_t fewest_of_all_orders(const ColouredDag& dag) {
  const std::size_t n = dag.colour_of.size();
  std::map<std::pair<std::uint32_t, std::size_t>, std::size_t> now{{{0, dag.colour_count}, 0}};
  for (std::size_t step = 0; step < n; ++step) {
    std::map<std::pair<std::uint32_t, std::size_t>, std::size_t> next;
    for (const auto& [state, runs] : now) {
      for (std::size_t v = 0; v < n; ++v) {
        if (state.first >> v & 1) continue;
        const bool ready = std::all_of(dag.edges.begin(), dag.edges.end(), [&, taken = state.first](const auto& edge) {
          return edge.second.index() != v || (taken >> edge.first.index() & 1);
        });
        if (!ready) continue;
        const std::size_t colour = dag.colour_of[VertexId(v)].index();
        const std::size_t more = runs + (colour == state.second ? 0 : 1);
        const auto [it, isnew] = next.try_emplace({state.first | 1u << v, colour}, more);
        if (!isnew) it->second = std::min(it->second, more);
      }
    }
    now = std::move(next);
  }
  std::size_t fewest = static_cast<std::size_t>(-1);
  for (const auto& [state, runs] : now) fewest = std::min(fewest, runs);
  return fewest;
}

ColouredDag random_dag(std::uint64_t seed, std::size_t most_vertices, std::size_t most_colours) {
  Dice dice(seed);
  const std::size_t n = 1 + dice.below(most_vertices);
  const std::size_t colours = 1 + dice.below(most_colours);
  const std::size_t one_in = 1 + dice.below(6);
  ColouredDag dag;
  dag.colour_count = colours;
  for (std::size_t v = 0; v < n; ++v) dag.colour_of.push_back(ColourId(dice.below(colours)));
  std::vector<std::size_t> name(n);
  for (std::size_t v = 0; v < n; ++v) name[v] = v;
  for (std::size_t v = n; v > 1; --v) std::swap(name[v - 1], name[dice.below(v)]);
  for (std::size_t v = 0; v < n; ++v) {
    for (std::size_t w = v + 1; w < std::min(n, v + 6); ++w) {
      if (dice.below(one_in) == 0) dag.edges.emplace_back(VertexId(name[v]), VertexId(name[w]));
    }
  }
  return dag;
}

TEST(FewestRuns, OfNothing) {
  const Runs runs = fewest_runs(ColouredDag{}, {});
  EXPECT_TRUE(runs.colour_of.empty());
  EXPECT_TRUE(runs.fewest);
}

TEST(FewestRuns, OfAPipelineKeepsTheOrderAskedFor) {
  const ColouredDag dag = coloured("aabbcc", {{0, 1}, {1, 2}, {1, 4}});  // b and c wait for a, not for each other
  EXPECT_EQ(text(fewest_runs(dag, {})), "abc");
  EXPECT_EQ(text(fewest_runs(dag, {ColourId(0), ColourId(2), ColourId(1)})), "acb");
  EXPECT_TRUE(fewest_runs(dag, {ColourId(0), ColourId(2), ColourId(1)}).fewest);
  // An order that does not work is only where the search starts.
  EXPECT_EQ(fewest_runs(dag, {ColourId(1), ColourId(0), ColourId(2)}).colour_of.size(), 3u);
}

TEST(FewestRuns, OfTwoColoursThatWaitForEachOther) {
  const Runs runs = fewest_runs(coloured("abba", {{0, 2}, {1, 3}}), {});
  EXPECT_EQ(runs.colour_of.size(), 3u);
  EXPECT_TRUE(runs.fewest);
}

TEST(FewestRuns, FindsShortestCommonSupersequences) {
  const auto shortest = [](const std::vector<std::string>& words) {
    const ColouredDag dag = chains(words);
    const Runs runs = fewest_runs(dag, {});
    expect_possible(dag, runs, words.front());
    EXPECT_TRUE(runs.fewest);
    return runs.colour_of.size();
  };
  EXPECT_EQ(shortest({"abcabc"}), 6u);
  EXPECT_EQ(shortest({"abac", "cab"}), 5u);                             // cabac
  EXPECT_EQ(shortest({"abcbdab", "bdcaba"}), 9u);                       // the longest common subsequence has 4 letters
  EXPECT_EQ(shortest({"abc", "acb", "bac", "bca", "cab", "cba"}), 7u);  // abacaba
}

TEST(FewestRuns, EqualsAllOrdersOnSmallGraphs) {
  std::size_t waiting = 0;  // graphs where some colour must run twice
  for (std::uint64_t seed = 1; seed <= cases(4000); ++seed) {
    const ColouredDag dag = random_dag(seed, 11, 4);
    const Runs runs = fewest_runs(dag, {});
    const std::string about = "seed " + std::to_string(seed);
    expect_possible(dag, runs, about);
    EXPECT_TRUE(runs.fewest) << about;
    EXPECT_EQ(runs.colour_of.size(), fewest_of_all_orders(dag)) << about;
    waiting += runs.colour_of.size() > dag.colour_count ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(waiting, cases(4000) / 4);
}

TEST(FewestRuns, WithoutTimeAreStillAnOrder) {
  std::size_t unproved = 0;
  for (std::uint64_t seed = 1; seed <= cases(300); ++seed) {
    const ColouredDag dag = random_dag(seed, 60, 6);
    const Runs all = fewest_runs(dag, {});
    const Runs some = fewest_runs(dag, {}, 2000);
    const std::string about = "seed " + std::to_string(seed);
    expect_possible(dag, all, about);
    expect_possible(dag, some, about);
    EXPECT_TRUE(!all.fewest || all.colour_of.size() <= some.colour_of.size()) << about;
    EXPECT_TRUE(!some.fewest || some.colour_of.size() <= all.colour_of.size()) << about;
    unproved += some.fewest ? 0 : 1;
    if (HasFailure()) return;
  }
  EXPECT_GT(unproved, 0u) << "the limit was never reached";
}

// Where the search for the fewest gives up, narrow ones still find something better than going round.
TEST(FewestRuns, WithLittleTimeAreFewerThanGoingRound) {
  std::size_t better = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const ColouredDag dag = random_dag(1000 + seed, 200, 6);
    const Runs round = fewest_runs(dag, {}, 0);
    const Runs some = fewest_runs(dag, {}, 200'000);
    EXPECT_LE(some.colour_of.size(), round.colour_of.size());
    better += !some.fewest && some.colour_of.size() < round.colour_of.size() ? 1 : 0;
  }
  EXPECT_GT(better, 0u);
}

}  // namespace
}  // namespace partita::detail::test
