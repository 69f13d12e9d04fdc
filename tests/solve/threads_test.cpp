// SPDX-License-Identifier: Apache-2.0
// Searches on several threads against the same on one: the same answers, found in the same way; of solvers that have two
// things going on at once, the same claims. Nothing is too small to be shared here.
#include <gtest/gtest.h>

#include "partita/reduce/presolve.h"
#include "partita/solve/staged/gpipe_staged.h"
#include "partita/solve/staged/ideal_search.h"
#include "partita/solve/staged/setups/segment_search.h"
#include "partita/solve/staged/staged.h"
#include "partita/util/dice.h"
#include "partita/util/parallel.h"
#include "tests/support/cases.h"
#include "tests/support/pass_graphs.h"
#include "tests/support/random_setup.h"
#include "tests/support/stage_graphs.h"

namespace partita::detail::test {
namespace {

constexpr int kThreads = 4;

void expect_same_stages(const std::vector<Stage>& one, const std::vector<Stage>& other, std::uint64_t seed) {
  ASSERT_EQ(one.size(), other.size()) << "seed " << seed;
  for (std::size_t s = 0; s < one.size(); ++s) {
    EXPECT_EQ(one[s].on_host, other[s].on_host) << "seed " << seed;
    EXPECT_EQ(one[s].groups, other[s].groups) << "seed " << seed;
  }
}

// Chains side by side between a first group and a last one: many ideals, of which the search keeps hundreds.
StageCase random_branches(std::uint64_t seed) {
  Dice dice(seed);
  const auto roll = [&](int low, int high) { return low + static_cast<int>(dice.below(high - low + 1)); };
  StageCase one;
  one.platform.accelerators = roll(2, 5);
  one.platform.hosts = roll(0, 2);
  const double memory = dice.one_in(3) ? 2 : 0;
  one.platform.accelerator_memory = memory > 0 ? 30 : 1e9;
  one.platform.host_memory = 1e9;
  IdVector<GroupId, Group> groups;
  const auto add = [&] {
    Group group;
    group.accelerator_time = roll(1, 9);
    group.host_time = 10.0 * roll(1, 9);
    group.memory = memory;
    groups.push_back(group);
    return GroupId(groups.size() - 1);
  };
  std::vector<std::pair<GroupId, GroupId>> precedence;
  std::vector<Net> nets;
  const auto join = [&](GroupId from, GroupId to) {
    precedence.emplace_back(from, to);
    nets.push_back({0.1 * roll(1, 9), {from, to}});
  };
  const GroupId first = add();
  std::vector<GroupId> ends;
  for (int chain = roll(2, 5); chain > 0; --chain) {
    GroupId at = first;
    for (int length = roll(1, 5); length > 0; --length) {
      const GroupId next = add();
      join(at, next);
      at = next;
    }
    ends.push_back(at);
  }
  const GroupId last = add();
  for (GroupId end : ends) join(end, last);
  one.graph = StageGraph(std::move(groups), precedence, std::move(nets));
  return one;
}

double total_time(const StageGraph& graph) {
  double total = 0;
  for (GroupId v : graph.all()) total += graph.accelerator_time(v);
  return total;
}

// The same question on one thread and on several. Returns how many ideals there were.
template <class Graphs>
std::uint64_t expect_same_search(const Graphs& graphs, const QuestionOf<Graphs>& question, int buckets,
                                 Workers& workers, const Budget::Limits& limits, std::uint64_t seed) {
  Budget one(limits), several(limits);
  several.work_with(workers);
  const SearchResult alone = search_ideals(graphs, question, buckets, one);
  const SearchResult together = search_ideals(graphs, question, buckets, several);
  EXPECT_EQ(alone.answer, together.answer) << "seed " << seed;
  EXPECT_EQ(alone.ideals, together.ideals) << "seed " << seed;
  EXPECT_EQ(alone.out_of_memory, together.out_of_memory) << "seed " << seed;
  expect_same_stages(alone.split.stages, together.split.stages, seed);
  if (alone.answer == Answer::No && limits.memory_bytes >= Budget::Limits{}.memory_bytes) {
    EXPECT_EQ(alone.visited, together.visited) << "seed " << seed;
    EXPECT_EQ(one.ticks_used(), several.ticks_used()) << "seed " << seed;
  }
  return alone.ideals;
}

TEST(Threads, FindTheSameStagedSplitsAsOne) {
  Workers workers(kThreads, 0);
  std::uint64_t ideals = 0;
  for (std::uint64_t seed = 1; seed <= cases(400); ++seed) {
    const StageCase one = seed % 4 == 0 ? random_stage_case(seed, 14) : random_branches(seed);
    const double average = total_time(one.graph) / (one.platform.accelerators + one.platform.hosts);
    for (const double times : {1.05, 1.15, 1.3, 1.6}) {
      ideals += expect_same_search(one.graph, Threshold{one.platform, times * average + 1e-3},
                                   1 + static_cast<int>(seed % 20), workers, {}, seed);
    }
  }
  EXPECT_GT(ideals, 50 * cases(400));
}

// Ideals of a round have little room, so that many bases are walked from again, alone.
TEST(Threads, FindTheSameInLittleMemory) {
  Workers workers(kThreads, 0);
  std::size_t of_use = 0;
  for (std::uint64_t seed = 1; seed <= cases(300); ++seed) {
    const StageCase one = random_branches(seed);
    const double limit = 1.2 * total_time(one.graph) / (one.platform.accelerators + one.platform.hosts);
    for (const std::size_t bytes : {9'000, 12'000, 20'000}) {
      const Budget::Limits limits{.memory_bytes = bytes};
      of_use += expect_same_search(one.graph, Threshold{one.platform, limit}, 8, workers, limits, seed) > 50;
    }
  }
  EXPECT_GT(of_use, 0u);
}

TEST(Threads, FindTheSameSplitsWithinLimitsOnEachPass) {
  Workers workers(kThreads, 0);
  std::uint64_t ideals = 0;
  for (std::uint64_t seed = 1; seed <= cases(300); ++seed) {
    const PassCase one = random_pass_case(seed);
    std::array<double, 2> total{};
    for (GroupId v : one.graphs.both.all()) {
      for (std::size_t p : {0, 1}) total[p] += one.graphs.pass[p].accelerator_time(v);
    }
    for (const double share : {0.3, 0.5, 0.7}) {
      const double forward = share * total[0] + 1e-3, backward = share * total[1] + 1e-3;
      const PassQuestion question = ask_each_pass(one.platform, forward, backward, forward + backward);
      ideals += expect_same_search(one.graphs, question, 1 + static_cast<int>(seed % 20), workers, {}, seed);
    }
  }
  EXPECT_GT(ideals, cases(300));
}

// The solver as a whole: what runs beside the search may be the one to find or to prove something, at any time.
TEST(Threads, ProveTheSameOfStagedSplitsAsOne) {
  Workers workers(kThreads, 0);
  for (std::uint64_t seed = 1; seed <= cases(150); ++seed) {
    const StageCase one = seed % 3 == 0 ? random_branches(seed) : random_stage_case(seed);
    StagedOptions options;
    options.settings.annealing = seed % 5 == 0;
    options.settings.shrink = seed % 2 == 0;
    options.settings.first_orders = static_cast<int>(seed % 4);
    options.settings.bisections = seed % 7 == 0 ? 0 : 12;
    Budget budget, several;
    several.work_with(workers);
    const StagedOutcome alone = solve_staged(one.graph, one.platform, options, budget, {});
    const StagedOutcome together = solve_staged(one.graph, one.platform, options, several, {});
    EXPECT_EQ(alone.infeasible, together.infeasible) << "seed " << seed;
    ASSERT_EQ(alone.split.has_value(), together.split.has_value()) << "seed " << seed;
    if (!alone.split) continue;
    const double value = alone.split->value;
    EXPECT_NEAR(together.split->value, value, 1e-6 * value) << "seed " << seed;
    EXPECT_NEAR(alone.bound, value, 1e-6 * value) << "seed " << seed;
    EXPECT_NEAR(together.bound, value, 1e-6 * value) << "seed " << seed;
    if (seed % 3 != 0) {
      EXPECT_NEAR(together.split->value, least_value(one.graph, one.platform), 1e-6) << "seed " << seed;
    }
  }
}

// The same with a limit on each pass.
TEST(Threads, ProveTheSameOfPassesAsOne) {
  Workers workers(kThreads, 0);
  std::size_t proved = 0;
  for (std::uint64_t seed = 1; seed <= cases(80); ++seed) {
    const PassCase one = random_pass_case(seed);
    StagedOptions options;
    options.settings.annealing = false;  // one thread does that
    Budget budget, several;
    several.work_with(workers);
    const StagedOutcome alone = solve_staged_gpipe(one.graphs, one.platform, options, budget, {});
    const StagedOutcome together = solve_staged_gpipe(one.graphs, one.platform, options, several, {});
    EXPECT_EQ(alone.infeasible, together.infeasible) << "seed " << seed;
    ASSERT_EQ(alone.split.has_value(), together.split.has_value()) << "seed " << seed;
    if (!alone.split) continue;
    const double value = alone.split->value;
    EXPECT_NEAR(value, together.split->value, 1e-6 * value) << "seed " << seed;
    EXPECT_NEAR(value, alone.bound, 1e-6 * value) << "seed " << seed;
    EXPECT_NEAR(value, together.bound, 1e-6 * value) << "seed " << seed;
    ++proved;
  }
  EXPECT_GT(proved, cases(80) / 4);
}

// Whatever is found when the budget ends, nobody claims more than is known.
TEST(Threads, SayUnknownWhenTheBudgetEnds) {
  Workers workers(kThreads, 0);
  std::size_t unknown = 0;
  for (std::uint64_t seed = 1; seed <= cases(200); ++seed) {
    const StageCase one = random_branches(seed);
    const double average = total_time(one.graph) / (one.platform.accelerators + one.platform.hosts);
    const Threshold question{one.platform, 1.1 * average};
    Budget whole;
    const Answer truth = search_ideals(one.graph, question, 8, whole).answer;
    Budget budget(Budget::Limits{.ticks = 100 * (seed % 20)});
    budget.work_with(workers);
    const Answer said = search_ideals(one.graph, question, 8, budget).answer;
    EXPECT_TRUE(said == truth || said == Answer::Unknown) << "seed " << seed;
    unknown += said == Answer::Unknown;
  }
  EXPECT_GT(unknown, 0u);
}

TEST(Threads, MakeTheSameWindowsAsOne) {
  Workers workers(kThreads, 0);
  for (std::uint64_t seed = 1; seed <= cases(400); ++seed) {
    const StageCase one = seed % 2 == 0 ? random_stage_case(seed, 14) : random_branches(seed);
    const double average = total_time(one.graph) / (one.platform.accelerators + one.platform.hosts);
    const Threshold question{one.platform, 1.2 * average + 1e-3};
    Budget budget, several;
    several.work_with(workers);
    const Windows alone(one.graph, question, {.buckets = 16}, budget),
        together(one.graph, question, {.buckets = 16}, several);
    ASSERT_EQ(alone.feasible(), together.feasible()) << "seed " << seed;
    for (int c = 0; c <= one.platform.hosts; ++c) {
      for (int f = 0; f <= one.platform.accelerators; ++f) {
        for (int place = 0; place < alone.places(); ++place)
          EXPECT_EQ(alone.allowed(c, f, place), together.allowed(c, f, place)) << "seed " << seed;
      }
    }
  }
}

struct SegmentReply {
  Answer answer;
  std::vector<PipelinePart> parts;
  std::size_t ideals;
};

SegmentReply ask_segment(const SetupInstance& instance, double limit, bool with_windows, Budget& budget) {
  const WorkMeasure measure(instance.graph, instance.rules);
  std::optional<SetupWindows> windows;
  if (with_windows) windows.emplace(instance.graph, instance.rules, measure, limit, 16, budget);
  if (windows && !windows->feasible()) return {Answer::No, {}, 0};
  SegmentSearch search(instance.graph, instance.rules, measure, Segment(instance.graph, instance.rules), limit,
                       measure.total(), budget, windows ? &*windows : nullptr);
  SegmentReply reply{search.run(), {}, 0};
  reply.ideals = search.ideals();
  if (reply.answer == Answer::Yes) reply.parts = search.parts();
  return reply;
}

void expect_same_parts(const std::vector<PipelinePart>& one, const std::vector<PipelinePart>& other,
                       std::uint64_t seed) {
  ASSERT_EQ(one.size(), other.size()) << "seed " << seed;
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].member, other[i].member) << "seed " << seed;
    EXPECT_EQ(one[i].replicas, other[i].replicas) << "seed " << seed;
    EXPECT_EQ(one[i].recompute, other[i].recompute) << "seed " << seed;
    EXPECT_EQ(one[i].groups, other[i].groups) << "seed " << seed;
    expect_same_parts(one[i].parts, other[i].parts, seed);
  }
}

TEST(Threads, FindTheSamePipelinesOnAnyDevicesAsOne) {
  Workers workers(kThreads, 0);
  std::size_t yes = 0, in_clusters = 0, ideals = 0;
  for (std::uint64_t seed = 1; seed <= cases(400); ++seed) {
    SetupFeatures features;
    (seed % 2 == 0 ? features.clusters : features.memory) = false;
    const SetupInstance instance = make_setup_instance(random_setup(seed, features));
    double total = 0;
    for (GroupId v : instance.graph.all()) {
      for (ClassId c : instance.graph.classes()) total += instance.graph.compute(c, v);
    }
    for (const double share : {0.1, 0.2, 0.4}) {
      Budget one, several;
      several.work_with(workers);
      const SegmentReply alone = ask_segment(instance, share * total + 1e-3, seed % 3 == 0, one);
      const SegmentReply together = ask_segment(instance, share * total + 1e-3, seed % 3 == 0, several);
      ASSERT_EQ(alone.answer, together.answer) << "seed " << seed;
      EXPECT_EQ(alone.ideals, together.ideals) << "seed " << seed;
      expect_same_parts(alone.parts, together.parts, seed);
      yes += alone.answer == Answer::Yes;
      in_clusters += instance.rules.has_clusters() && alone.ideals > 3;
      ideals += alone.ideals;
    }
  }
  EXPECT_GT(yes, cases(400) / 10);
  EXPECT_GT(in_clusters, 0u);
  EXPECT_GT(ideals, cases(400));
}

}  // namespace
}  // namespace partita::detail::test
