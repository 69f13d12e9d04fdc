// SPDX-License-Identifier: Apache-2.0
// The parts of the staged solver for any devices, each alone, against brute force on random small questions: the search
// answers yes exactly from the optimum on, each presolve rule and relaxation keeps what it promises, intervals of an
// order are never better than the best, and vectors of devices are added as numbers are.
#include "partita/solve/staged/setups/segment_search.h"

#include <gtest/gtest.h>

#include "partita/reduce/setup_presolve.h"
#include "partita/reduce/setup_shrink.h"
#include "partita/solve/staged/orders.h"
#include "partita/solve/staged/setups/pipeline_value.h"
#include "partita/solve/staged/setups/presolve_setups.h"
#include "partita/solve/staged/setups/setup_linear.h"
#include "partita/util/dice.h"
#include "tests/support/cases.h"
#include "tests/support/pipeline_brute_force.h"
#include "tests/support/random_setup.h"

namespace partita::detail::test {
namespace {

constexpr double kJustBelow = 1 - 1e-6, kJustAbove = 1 + 1e-9;

struct SmallQuestion {
  std::uint64_t seed;
  Problem problem;
  SetupInstance instance;
  double optimum;  // above 0
};

// Calls visit(SmallQuestion) for questions that have an answer; every other one without clusters.
template <class Visit>
void for_each_question(std::uint64_t count, Visit visit) {
  std::uint64_t asked = 0;
  for (std::uint64_t seed = 1; seed <= cases(count); ++seed) {
    SetupFeatures features;
    (seed % 2 == 0 ? features.clusters : features.memory) = false;
    const Problem problem = random_setup(seed, features);
    if (problem.workload->graph.nodes.size() > 7) continue;
    const std::optional<double> optimum = pipeline_brute_force(problem);
    if (!optimum || *optimum <= 0) continue;
    ++asked;
    visit(SmallQuestion{seed, problem, make_setup_instance(problem), *optimum});
  }
  EXPECT_GT(asked, cases(count) / 5);
}

// `buckets`: of windows; none: without them.
Answer ask(const SetupGraph& graph, const SetupRules& rules, double limit, std::vector<PipelinePart>* parts = nullptr,
           int buckets = 0) {
  Budget budget;
  const WorkMeasure measure(graph, rules);
  std::optional<SetupWindows> windows;
  if (buckets > 0) windows.emplace(graph, rules, measure, limit, buckets, budget);
  if (windows && !windows->feasible()) return Answer::No;
  SegmentSearch search(graph, rules, measure, Segment(graph, rules), limit, measure.total(), budget,
                       windows ? &*windows : nullptr);
  const Answer answer = search.run();
  if (answer == Answer::Yes && parts) *parts = search.parts();
  return answer;
}

TEST(SegmentSearch, SaysYesFromTheOptimumOn) {
  for_each_question(600, [](const SmallQuestion& q) {
    std::vector<PipelinePart> parts;
    const SetupGraph& graph = q.instance.graph;
    ASSERT_EQ(ask(graph, q.instance.rules, q.optimum * kJustAbove, &parts), Answer::Yes) << describe(q.problem);
    EXPECT_NEAR(pipeline_value(graph, q.instance.rules, parts), q.optimum, 1e-8 * q.optimum) << "seed " << q.seed;
    const PipelineEvaluation split = evaluate_pipeline(q.problem, lift_parts(q.problem, q.instance, parts));
    EXPECT_TRUE(split.legal()) << describe(q.problem);
    EXPECT_NEAR(split.value, q.optimum, 1e-8 * q.optimum) << "seed " << q.seed;
    EXPECT_EQ(ask(graph, q.instance.rules, q.optimum * kJustBelow), Answer::No) << describe(q.problem);
  });
}

TEST(SegmentSearch, SaysTheSameFromTheBeginning) {
  std::size_t in_clusters = 0;
  for_each_question(600, [&](const SmallQuestion& q) {
    const SetupRules& rules = q.instance.rules;
    if (rules.memory_model == MemoryModel::OneF1B) return;  // counted from the end
    const SetupGraph mirrored = reversed(q.instance.graph);
    std::vector<PipelinePart> parts;
    ASSERT_EQ(ask(mirrored, rules, q.optimum * kJustAbove, &parts), Answer::Yes) << describe(q.problem);
    parts = turned_round(std::move(parts), mirrored.size());
    EXPECT_NEAR(pipeline_value(q.instance.graph, rules, parts), q.optimum, 1e-8 * q.optimum) << "seed " << q.seed;
    const PipelineEvaluation split = evaluate_pipeline(q.problem, lift_parts(q.problem, q.instance, parts));
    EXPECT_TRUE(split.legal()) << describe(q.problem);
    EXPECT_NEAR(split.value, q.optimum, 1e-8 * q.optimum) << "seed " << q.seed;
    EXPECT_EQ(ask(mirrored, rules, q.optimum * kJustBelow), Answer::No) << describe(q.problem);
    in_clusters += rules.has_clusters();
  });
  EXPECT_GT(in_clusters, 0u);
}

// Larger doses than the solver's: on graphs of a few groups nearly everything is heavy. With clusters, of all devices
// next to each other.
TEST(SegmentSearch, ShrunkGraphsHaveAPipelineWhereverTheGraphHas) {
  std::size_t changed = 0, with_copies = 0, in_flight = 0, refuted = 0;
  for_each_question(900, [&](const SmallQuestion& q) {
    const Budget budget;
    const SetupRules rules = q.instance.rules.has_clusters() ? without_clusters(q.instance.rules) : q.instance.rules;
    if (!setups_can_shrink(rules)) return;
    const double limit = q.optimum * kJustAbove;
    for (const ShrinkDose& dose : {ShrinkDose{}, {0.01}, {0.2, 0.1}, {1}, {1, 1}}) {
      const ShrunkSetups shrunk = shrink_setups(q.instance.graph, rules, limit, dose, budget);
      if (!shrunk.changed()) continue;
      ++changed;
      with_copies += rules.replicas > 1;
      in_flight += rules.memory_model == MemoryModel::OneF1B;
      const PresolvedSetups small = presolve_setups(shrunk.graph, rules, limit, {}, budget);
      ASSERT_FALSE(small.infeasible) << "doses " << dose.floaters << " " << dose.spine << "\n" << describe(q.problem);
      ASSERT_EQ(ask(small.contraction.graph, rules, limit, nullptr, 16), Answer::Yes) << describe(q.problem);
      refuted += ask(shrunk.graph, rules, 0.9 * q.optimum) == Answer::No;
    }
  });
  EXPECT_GT(changed, 0u);
  EXPECT_GT(with_copies, 0u);
  EXPECT_GT(in_flight, 0u);
  EXPECT_GT(2 * refuted, changed);  // and it is worth something
}

// Returns how many groups the rule removed in all, so that a rule that never fires is noticed.
std::size_t expect_optimum_kept(const PresolveSettings& options) {
  std::size_t removed = 0;
  for_each_question(600, [&](const SmallQuestion& q) {
    const Budget budget;
    const SetupRules& rules = q.instance.rules;
    const SetupContraction small = presolve(q.instance.graph, rules, q.optimum * kJustAbove, options, budget);
    std::vector<PipelinePart> parts;
    ASSERT_EQ(ask(small.graph, rules, q.optimum * kJustAbove, &parts), Answer::Yes) << describe(q.problem);
    const double lifted = pipeline_value(q.instance.graph, rules, lift_parts(small.lift, parts));
    EXPECT_NEAR(lifted, q.optimum, 1e-8 * q.optimum) << describe(q.problem);
    removed += q.instance.graph.size() - small.graph.size();
  });
  return removed;
}

TEST(SetupPresolve, CheapNeighbourKeepsTheOptimum) { EXPECT_GT(expect_optimum_kept({true, false}), 0u); }
TEST(SetupPresolve, UnaffordablePairKeepsTheOptimum) { EXPECT_GT(expect_optimum_kept({false, true}), 0u); }
TEST(SetupPresolve, BothRulesTogetherKeepTheOptimum) { EXPECT_GT(expect_optimum_kept({}), 0u); }

TEST(SetupWindows, KeepTheOptimumInTheSearch) {
  for_each_question(900, [](const SmallQuestion& q) {
    const SetupGraph& graph = q.instance.graph;
    for (int buckets : {1, 2, 3, 5, 16, 29}) {
      std::vector<PipelinePart> parts;
      ASSERT_EQ(ask(graph, q.instance.rules, q.optimum * kJustAbove, &parts, buckets), Answer::Yes)
          << buckets << " buckets: " << describe(q.problem);
      EXPECT_NEAR(pipeline_value(graph, q.instance.rules, parts), q.optimum, 1e-8 * q.optimum) << "seed " << q.seed;
      EXPECT_EQ(ask(graph, q.instance.rules, q.optimum * kJustBelow, nullptr, buckets), Answer::No)
          << "seed " << q.seed;
    }
  });
}

TEST(SetupWindows, KeepTheOptimumWhenTheyJoin) {
  std::size_t fewer = 0;
  for_each_question(900, [&](const SmallQuestion& q) {
    const Budget budget;
    const SetupRules& rules = q.instance.rules;
    const double limit = q.optimum * kJustAbove;
    for (int buckets : {2, 7, 29}) {
      PresolveSetupsOptions options;
      options.settings.window_buckets = buckets;
      const PresolvedSetups small = presolve_setups(q.instance.graph, rules, limit, options, budget);
      ASSERT_FALSE(small.infeasible) << describe(q.problem);
      std::vector<PipelinePart> parts;
      ASSERT_EQ(ask(small.contraction.graph, rules, limit, &parts), Answer::Yes) << describe(q.problem);
      const double lifted = pipeline_value(q.instance.graph, rules, lift_parts(small.contraction.lift, parts));
      EXPECT_NEAR(lifted, q.optimum, 1e-8 * q.optimum) << describe(q.problem);
      fewer += small.contraction.graph.size() < presolve(q.instance.graph, rules, limit, {}, budget).graph.size();
    }
  });
  EXPECT_GT(fewer, 0u);
}

TEST(SetupWindows, SeeThatThereIsTooLittleTime) {
  std::size_t asked = 0, refuted = 0, refuted_by_clusters = 0;
  for_each_question(600, [&](const SmallQuestion& q) {
    const Budget budget;
    const SetupRules& rules = q.instance.rules;
    const WorkMeasure measure(q.instance.graph, rules);
    const double limit = q.optimum * kJustBelow;
    const bool no = !SetupWindows(q.instance.graph, rules, measure, limit, 29, budget).feasible();
    ++asked;
    refuted += no;
    if (!no || !rules.has_clusters()) return;
    refuted_by_clusters += ask(q.instance.graph, without_clusters(rules), limit) == Answer::Yes;
  });
  EXPECT_GT(refuted, asked / 4);
  if (asked > 300) {  // it is seldom that clusters alone decide
    EXPECT_GT(refuted_by_clusters, 0u);
  }
}

TEST(SetupRelaxations, NeverSayNoToWhatExists) {
  for_each_question(600, [](const SmallQuestion& q) {
    const SetupRules flat = without_clusters(q.instance.rules);
    const double limit = q.optimum * kJustAbove;
    EXPECT_EQ(ask(q.instance.graph, flat, limit), Answer::Yes) << describe(q.problem);
    EXPECT_EQ(ask(without_idle_weights(q.instance.graph), flat, limit), Answer::Yes) << describe(q.problem);
  });
}

TEST(SetupLinear, IsHonestAndOftenBest) {
  std::size_t asked = 0, best = 0;
  for_each_question(800, [&](const SmallQuestion& q) {
    if (q.instance.rules.has_clusters()) return;
    Budget budget;
    const SetupGraph& graph = q.instance.graph;
    const auto found = linear_pipeline(graph, q.instance.rules, file_order(graph.order()), kUnlimited, 1, budget);
    ++asked;
    if (!found) return;  // memory may leave no interval
    EXPECT_GE(found->value, q.optimum * kJustBelow) << "seed " << q.seed;
    const PipelineEvaluation split = evaluate_pipeline(q.problem, lift_parts(q.problem, q.instance, found->parts));
    EXPECT_TRUE(split.legal()) << describe(q.problem);
    EXPECT_NEAR(split.value, found->value, 1e-9 * q.optimum) << "seed " << q.seed;
    best += found->value <= q.optimum * kJustAbove;
  });
  EXPECT_GT(best, asked / 3);
}

// In one line there is only one order, so the intervals of it are all there is.
TEST(SetupLinear, IsBestInOneLine) {
  for_each_question(600, [](const SmallQuestion& q) {
    if (q.instance.rules.has_clusters()) return;
    const SetupGraph line = in_line(q.instance.graph, file_order(q.instance.graph.order()));
    Budget budget;
    const auto found = linear_pipeline(line, q.instance.rules, file_order(line.order()), kUnlimited, 1, budget);
    if (!found) {
      EXPECT_EQ(ask(line, q.instance.rules, 1e9), Answer::No) << "seed " << q.seed;
      return;
    }
    EXPECT_EQ(ask(line, q.instance.rules, found->value * kJustAbove), Answer::Yes) << "seed " << q.seed;
    EXPECT_EQ(ask(line, q.instance.rules, found->value * kJustBelow), Answer::No) << "seed " << q.seed;
  });
}

TEST(DeviceCounts, AreAddedAsNumbersAre) {
  for (std::uint64_t seed = 1; seed <= cases(300); ++seed) {
    Dice dice(seed);
    ClusterType cluster;
    for (std::size_t m = 1 + dice.below(3); m > 0; --m)
      cluster.members.push_back({1 + static_cast<int>(dice.below(9)), ClassId(m)});
    const DeviceCounts counts(cluster);
    ASSERT_EQ(counts.size(), DeviceCounts::vectors(cluster));
    std::vector<Word> from(counts.words(), 0), to(counts.words(), 0), expected(counts.words(), 0);
    const std::size_t member = dice.below(static_cast<int>(counts.members()));
    const int more = 1 + static_cast<int>(dice.below(counts.count(member)));
    for (std::size_t vector = 0; vector < counts.size(); ++vector) {
      if (dice.below(2) == 0) continue;
      set_bit(from, vector);
      if (counts.used(vector, member) + more > counts.count(member)) continue;
      const std::size_t sum = counts.with(vector, member, more);
      EXPECT_EQ(counts.used(sum), counts.used(vector) + more);
      EXPECT_EQ(counts.without(sum, member, more), vector);
      set_bit(expected, sum);
    }
    counts.add(from, member, more, to);
    EXPECT_EQ(to, expected) << "seed " << seed;
  }
}

}  // namespace
}  // namespace partita::detail::test
