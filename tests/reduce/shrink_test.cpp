// SPDX-License-Identifier: Apache-2.0
// No load of the small graph is larger than that of the large one: set by set, in exact sums, and for the optimum.
#include "partita/reduce/shrink.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "partita/reduce/shrink_order.h"
#include "partita/solve/staged/ideal_search.h"
#include "partita/util/round_down.h"
#include "tests/support/cases.h"
#include "tests/support/pass_graphs.h"
#include "tests/support/stage_graphs.h"

namespace partita::detail::test {
namespace {

__extension__ using Exact = __float128;  // 113 bits: sums of a few doubles of like size are exact

// Larger doses than the solver's: on graphs of a few groups nearly everything is heavy.
constexpr ShrinkDose kFollowersAlone{.followers = true};  // and views
constexpr ShrinkDose kDosesTried[] = {{},
                                      {0, 0, true},
                                      {0.01},
                                      {0.2, 0.1},
                                      {1},
                                      {1, 1},
                                      {1, 1, true},
                                      {0.1, 0, false, 1},
                                      kFollowersAlone,
                                      {1, 1, false, 0, true}};

Exact exact_load(const StageGraph& graph, std::uint32_t set) {
  Exact load = 0;
  for (GroupId v : graph.all()) {
    if (set >> v.index() & 1) load += static_cast<Exact>(graph.accelerator_time(v));
  }
  for (NetId e : graph.nets()) {
    std::size_t inside = 0;
    for (GroupId v : graph.members(e)) inside += set >> v.index() & 1;
    if (inside > 0 && inside < graph.members(e).size()) load += static_cast<Exact>(graph.cost(e));
  }
  return load;
}

std::uint32_t without_removed(std::uint32_t set, const Lift& lift) {
  std::uint32_t kept = 0;
  for (GroupId v : lift.all()) {
    if ((set >> v.index() & 1) && lift[v].valid()) kept |= 1u << lift[v].index();
  }
  return kept;
}

// Numbers whose sums have to be rounded.
StageGraph with_odd_numbers(const StageGraph& graph, std::uint64_t seed) {
  std::mt19937_64 rng(seed);
  std::uniform_real_distribution<double> factor(0.5, 1.5);
  IdVector<GroupId, Group> groups;
  std::vector<std::pair<GroupId, GroupId>> precedence;
  std::vector<Net> nets;
  for (GroupId v : graph.all()) {
    groups.push_back(graph.group(v));
    groups[v].accelerator_time *= factor(rng);
    groups[v].memory = 0;
    for (GroupId w : graph.successors(v)) precedence.emplace_back(v, w);
  }
  for (NetId e : graph.nets())
    nets.push_back({graph.cost(e) * factor(rng), {graph.members(e).begin(), graph.members(e).end()}});
  return StageGraph(std::move(groups), precedence, std::move(nets));
}

double most_load(const StageGraph& graph) {
  double most = 1;
  for (GroupId v : graph.all()) most += graph.accelerator_time(v) + graph.host_time(v);
  for (NetId e : graph.nets()) most += graph.cost(e);
  return most;
}

// How often the rules did anything.
struct Fired {
  std::size_t removed = 0, links = 0, narrow_links = 0, of_spine = 0, sums = 0, shares = 0;

  void count(const StageGraph& graph, double limit, const ShrinkDose& dose, const Shrunk<StageGraph>& shrunk,
             const ShrinkLog& log) {
    removed += shrunk.removed.size();
    for (const ShrinkLog::Removal& removal : log.removals) {
      (dose.narrow ? narrow_links : links) += removal.links.size();
      for (const ShrinkLog::Removal::Link& link : removal.links) shares += !link.without.empty();
    }
    const IdVector<GroupId, char> floats = find_floaters(graph, limit);
    for (GroupId v : shrunk.removed) (dose.sums > 0 ? sums : of_spine) += !floats[v] && graph.accelerator_time(v) > 0;
  }
  void expect_all(std::uint64_t seeds) const {
    EXPECT_GT(removed, seeds);
    EXPECT_GT(links, seeds);
    EXPECT_GT(narrow_links, seeds);
    EXPECT_GT(of_spine, seeds / 10);
    EXPECT_GT(sums, seeds / 20);
    EXPECT_GT(shares, seeds / 10);
  }
};

StageCase random_or_sums(std::uint64_t seed, int most) {
  return seed % 3 ? sums_stage_case(seed, most) : random_stage_case(seed, most);
}

// Without views or hosts, where nothing vanishes but what may always follow a neighbour: the set costs what it did with
// all that has followed into it.
TEST(Shrink, FollowersLoseNothing) {
  const Budget budget;
  std::size_t removed = 0;
  for (std::uint64_t seed = 1; seed <= cases(1500); ++seed) {
    const StageCase one = random_or_sums(seed, 8);
    StagePlatform platform = one.platform;
    platform.hosts = 0;
    IdVector<GroupId, Group> groups;
    std::vector<std::pair<GroupId, GroupId>> precedence;
    std::vector<Net> nets;
    for (GroupId v : one.graph.all()) {
      groups.push_back({one.graph.accelerator_time(v), 1, 0, true, true});
      for (GroupId w : one.graph.successors(v)) precedence.emplace_back(v, w);
    }
    for (NetId e : one.graph.nets())
      nets.push_back({one.graph.cost(e), {one.graph.members(e).begin(), one.graph.members(e).end()}});
    const StageGraph graph(std::move(groups), precedence, std::move(nets));
    ShrinkLog log;
    const Shrunk<StageGraph> shrunk = shrink(graph, {platform, most_load(graph) / 4}, kFollowersAlone, budget, &log);
    removed += shrunk.removed.size();
    for (std::uint32_t set = 0; set < 1u << shrunk.graph.size() && shrunk.changed(); ++set) {
      std::uint32_t with_followers = 0;
      for (GroupId v : graph.all()) {
        if (shrunk.lift[v].valid() && (set >> shrunk.lift[v].index() & 1)) with_followers |= 1u << v.index();
      }
      for (auto removal = log.removals.rbegin(); removal != log.removals.rend(); ++removal)
        with_followers |= (with_followers >> removal->shifts.at(0).to.index() & 1) << removal->group.index();
      const auto large = static_cast<double>(exact_load(graph, with_followers));
      ASSERT_NEAR(static_cast<double>(exact_load(shrunk.graph, set)), large, 1e-9 * (1 + large)) << "seed " << seed;
    }
  }
  EXPECT_GT(removed, cases(1500) / 4);
}

TEST(Shrink, NoSetOfGroupsGetsALargerLoad) {
  const Budget budget;
  std::size_t sets = 0;
  Fired fired;
  for (std::uint64_t seed = 1; seed <= cases(1500); ++seed) {
    const StageCase one = random_or_sums(seed, 8);
    const StageGraph graph = seed % 2 ? with_odd_numbers(one.graph, seed) : one.graph;
    const double limit = most_load(graph) / 4;
    for (const ShrinkDose& dose : kDosesTried) {
      ShrinkLog log;
      const Shrunk<StageGraph> shrunk = shrink(graph, {one.platform, limit}, dose, budget, &log);
      if (!shrunk.changed()) continue;
      fired.count(graph, limit, dose, shrunk, log);
      for (std::uint32_t set = 0; set < 1u << graph.size(); ++set) {
        ++sets;
        ASSERT_TRUE(exact_load(shrunk.graph, without_removed(set, shrunk.lift)) <= exact_load(graph, set))
            << "seed " << seed << ", doses " << dose.floaters << " " << dose.spine << ", set " << set;
        // Ideals stay ideals, and with them chains of ideals chains.
        if (is_ideal(graph, set)) {
          ASSERT_TRUE(is_ideal(shrunk.graph, without_removed(set, shrunk.lift))) << "seed " << seed;
        }
      }
    }
  }
  fired.expect_all(cases(1500));
  EXPECT_GT(sets, 0u);
}

TEST(Shrink, NoOrderIsLost) {
  const Budget budget;
  for (std::uint64_t seed = 1; seed <= cases(1500); ++seed) {
    const StageGraph graph = with_odd_numbers(random_or_sums(seed, 8).graph, seed);
    const Shrunk<StageGraph> shrunk = shrink(graph, {{2, 0, 1e9, 1e9}, most_load(graph) / 4}, {1, 1}, budget);
    if (!shrunk.changed()) continue;
    for (GroupId v : graph.all()) {
      for (GroupId w : graph.all()) {
        if (!shrunk.lift[v].valid() || !shrunk.lift[w].valid()) continue;
        EXPECT_EQ(test_bit(graph.descendants(v), w.index()),
                  test_bit(shrunk.graph.descendants(shrunk.lift[v]), shrunk.lift[w].index()))
            << "seed " << seed;
      }
    }
  }
}

TEST(Shrink, NeverRaisesTheOptimum) {
  const Budget budget;
  std::size_t changed = 0, equal = 0;
  Fired fired;
  for (std::uint64_t seed = 1; seed <= cases(2500); ++seed) {
    const StageCase one = random_or_sums(seed, 9);
    const double best = least_value(one.graph, one.platform);
    for (const ShrinkDose& dose : kDosesTried) {
      const double limit = best == kNoSplit ? most_load(one.graph) : best;
      ShrinkLog log;
      const Shrunk<StageGraph> shrunk = shrink(one.graph, {one.platform, limit}, dose, budget, &log);
      if (!shrunk.changed()) continue;
      ++changed;
      fired.count(one.graph, limit, dose, shrunk, log);
      const double relaxed = least_value(shrunk.graph, one.platform);
      EXPECT_LE(relaxed, best + 1e-9) << "seed " << seed << ", doses " << dose.floaters << " " << dose.spine;
      equal += relaxed >= best - 1e-9;
    }
  }
  fired.expect_all(cases(2500));
  EXPECT_GT(2 * equal, changed);  // and it is worth something
}

TEST(Shrink, HoldsInEveryViewOfTwoPasses) {
  const Budget budget;
  std::size_t changed = 0, links = 0;
  for (std::uint64_t seed = 1; seed <= cases(800); ++seed) {
    const PassCase one = seed % 2 ? sums_pass_case(seed) : random_pass_case(seed);
    const double most = most_load(one.graphs.both);
    ShrinkLog log;
    const Shrunk<PassGraphs> shrunk =
        shrink(one.graphs, ask_each_pass(one.platform, most / 4, most / 4, most / 4),
               seed % 4 < 2 ? ShrinkDose{1, 1} : ShrinkDose{0.2, 0.1, seed % 3 == 0, 1}, budget, &log);
    if (!shrunk.changed() || one.graphs.size() > 9) continue;
    ++changed;
    for (const ShrinkLog::Removal& removal : log.removals) links += removal.links.size();
    for (std::size_t v = 0; v < kViewsOf<PassGraphs>; ++v) {
      for (std::uint32_t set = 0; set < 1u << one.graphs.size(); ++set) {
        ASSERT_TRUE(exact_load(view(shrunk.graph, v), without_removed(set, shrunk.lift)) <=
                    exact_load(view(one.graphs, v), set))
            << "seed " << seed << ", view " << v;
      }
    }
  }
  EXPECT_GT(changed, 0u);
  EXPECT_GT(links, cases(800) / 2);
}

TEST(Shrink, LiftedSplitsKeepTheOrderAndHoldEveryGroupOnce) {
  std::size_t lifted = 0;
  for (std::uint64_t seed = 1; seed <= cases(3000); ++seed) {
    const StageCase one = random_or_sums(seed, 9);
    Budget budget;
    const ShrinkDose dose = kDosesTried[seed % std::size(kDosesTried)];
    const Shrunk<StageGraph> shrunk = shrink(one.graph, {one.platform, most_load(one.graph) / 4}, dose, budget);
    if (!shrunk.changed()) continue;
    const SearchResult found = search_ideals(shrunk.graph, {one.platform, 1000}, 8, budget);
    if (found.answer != Answer::Yes || found.split.stages.empty()) continue;
    ++lifted;
    const std::vector<Stage> stages = lift_shrunk(one.graph, shrunk, found.split.stages);
    IdVector<GroupId, int> stage_of(one.graph.size(), -1);
    for (std::size_t s = 0; s < stages.size(); ++s) {
      for (GroupId v : stages[s].groups) {
        EXPECT_EQ(stage_of[v], -1);
        stage_of[v] = static_cast<int>(s);
      }
    }
    for (GroupId v : one.graph.all()) {
      ASSERT_GE(stage_of[v], 0) << "seed " << seed;
      for (GroupId w : one.graph.successors(v)) EXPECT_LE(stage_of[v], stage_of[w]) << "seed " << seed;
    }
  }
  EXPECT_GT(lifted, 0u);
}

// A chain a - b - c with a group beside it that anything may hold: b's net takes its time.
TEST(Shrink, AFloaterLeavesItsTimeToItsNeighbour) {
  IdVector<GroupId, Group> groups(4);
  for (int v = 0; v < 3; ++v) groups[GroupId(v)] = {10, 100, 0, true, true};
  groups[GroupId(3)] = {1, 10, 0, true, true};
  const StageGraph graph(groups, {{GroupId(0), GroupId(1)}, {GroupId(1), GroupId(2)}},
                         {{2, {GroupId(0), GroupId(1)}}, {2, {GroupId(1), GroupId(2)}}, {3, {GroupId(1), GroupId(3)}}});
  const Shrunk<StageGraph> shrunk = shrink(graph, {{2, 0, 1e9, 1e9}, 15}, {0.1}, Budget());
  ASSERT_EQ(shrunk.removed, std::vector<GroupId>{GroupId(3)});
  EXPECT_EQ(shrunk.graph.accelerator_time(GroupId(1)), 11);
  EXPECT_EQ(shrunk.graph.net_count(), 2u);
  EXPECT_FALSE(shrink(graph, {{2, 0, 1e9, 1e9}, 15}, {0.01}, Budget()).changed());  // too heavy for the dose
}

TEST(RoundDown, SumsAreNeverTooLarge) {
  std::mt19937_64 rng(1);
  std::uniform_real_distribution<double> any(-10, 10);
  std::size_t lowered = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double a = any(rng), b = any(rng) * (i % 2 ? 1 : 1e-12);
    const double sum = sum_rounded_down(a, b);
    ASSERT_TRUE(static_cast<Exact>(sum) <= static_cast<Exact>(a) + static_cast<Exact>(b));
    ASSERT_GE(sum, a + b - std::abs(a + b) * 1e-15);
    lowered += sum < a + b;
  }
  EXPECT_GT(lowered, 10'000u);
}

}  // namespace
}  // namespace partita::detail::test
