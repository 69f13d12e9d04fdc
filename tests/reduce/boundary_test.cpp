// SPDX-License-Identifier: Apache-2.0
// Boundary joins against all chains of ideals of small graphs: at the optimum, a best split survives; below it, and
// only there, limits are refuted. Grids, orders and limits on states are random; no search is there to hide a wrong no.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "partita/reduce/boundary/boundary_presolve.h"
#include "partita/reduce/boundary/decision_order.h"
#include "partita/reduce/boundary/net_spans.h"
#include "tests/support/cases.h"
#include "tests/support/stage_graphs.h"

namespace partita::detail::test {
namespace {

// A question with its optimum: the whole, or a case of the host.
struct Asked {
  StageGraph graph;
  Threshold question;
  double best = kNoSplit;

  double best_of(const StageGraph& other) const {
    if (!question.host_case) return least_value(other, question.platform);
    return least_value_with_host_after(other, question.platform, question.host_case->most);
  }
};

Asked random_question(std::uint64_t seed) {
  std::mt19937_64 rng(seed);
  const auto roll = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(rng); };
  StageCase one = roll(0, 3) == 0 ? branched_stage_case(seed) : random_stage_case(seed, roll(0, 9) == 0 ? 11 : 9);
  Asked asked{std::move(one.graph), {one.platform, 0}, kNoSplit};
  const int k = one.platform.accelerators;
  if (one.platform.hosts == 1 && roll(0, 2) == 0) {
    const int after = roll(0, k);
    asked.question.host_case = {roll(0, 1) == 0 ? after : 0, after};
  }
  asked.best = asked.best_of(asked.graph);
  return asked;
}

BoundaryOptions random_options(std::uint64_t seed, std::size_t groups) {
  std::mt19937_64 rng(seed * 7 + 1);
  const auto roll = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(rng); };
  BoundaryOptions options;
  options.grids.clear();
  for (int i = roll(1, 3), buckets = roll(1, 12); i > 0; --i, buckets *= roll(1, 5)) options.grids.push_back(buckets);
  if (roll(0, 4) == 0) options.states.per_layer = roll(2, 12);
  if (roll(0, 1) == 0) {
    for (GroupId v : ids<GroupId>(groups)) options.order.push_back(v);
    std::shuffle(options.order.begin(), options.order.end(), rng);
  }
  return options;
}

double just_enough(double value) { return value * (1 + 1e-9) + 1e-9; }

StageGraph joined(const StageGraph& graph, const UnionFind<GroupId>& merge) {
  IdVector<GroupId, GroupId> label(graph.size());
  for (GroupId v : label.all()) label[v] = merge.find(v);
  return contract(graph, label).graph;
}

TEST(Boundary, JoinsKeepTheOptimum) {
  std::size_t removed = 0, refuted = 0;
  for (std::uint64_t seed = 1; seed <= cases(2000); ++seed) {
    Asked asked = random_question(seed);
    if (asked.best == kNoSplit) continue;
    const BoundaryOptions options = random_options(seed, asked.graph.size());
    Budget budget;
    asked.question.limit = just_enough(asked.best);
    const BoundaryJoins joins = find_boundary_joins(asked.graph, asked.question, options, budget);
    ASSERT_FALSE(joins.infeasible) << "seed " << seed;
    const StageGraph small = joined(asked.graph, joins.merge);
    ASSERT_NEAR(asked.best_of(small), asked.best, 1e-6) << "seed " << seed;
    removed += asked.graph.size() - small.size();
    asked.question.limit = asked.best * (1 - 1e-7) - 1e-7;
    refuted += find_boundary_joins(asked.graph, asked.question, options, budget).infeasible;
  }
  EXPECT_GT(removed, 0u);
  EXPECT_GT(refuted, 0u);
  RecordProperty("groups_removed", static_cast<int>(removed));
  RecordProperty("refuted_below", static_cast<int>(refuted));
}

TEST(Boundary, JoinsAndPresolveInTurnKeepTheOptimum) {
  std::size_t removed = 0;
  for (std::uint64_t seed = 1; seed <= cases(1000); ++seed) {
    Asked asked = random_question(seed);
    if (asked.best == kNoSplit) continue;
    BoundaryOptions options = random_options(seed, asked.graph.size());
    options.order.clear();
    PresolveSettings settings;
    settings.windows = settings.unaffordable_cut = seed % 2 == 0;
    // It may empty the host, and lead out of the case into that without a host.
    settings.cheap_neighbour = seed % 2 == 0 && !asked.question.host_case;
    asked.question.limit = just_enough(asked.best);
    Budget budget;
    Presolved<StageGraph> small = presolve(asked.graph, asked.question, settings, budget);
    const std::size_t before = small.graph.size();
    presolve_by_boundaries(small, asked.question, settings, options, budget);
    ASSERT_FALSE(small.infeasible) << "seed " << seed;
    ASSERT_NEAR(asked.best_of(small.graph), asked.best, 1e-6) << "seed " << seed;
    ASSERT_EQ(small.lift.size(), asked.graph.size());
    removed += before - small.graph.size();
  }
  EXPECT_GT(removed, 0u);
  RecordProperty("groups_removed", static_cast<int>(removed));
}

// All that is known below the optimum is that there is nothing; above it, even far, there must be something.
TEST(Boundary, NothingIsRefutedAboveTheOptimum) {
  for (std::uint64_t seed = 1; seed <= cases(1000); ++seed) {
    Asked asked = random_question(seed + 500'000);
    if (asked.best == kNoSplit) continue;
    std::mt19937_64 rng(seed);
    asked.question.limit = just_enough(asked.best * (1 + std::uniform_real_distribution<double>(0, 0.5)(rng)));
    Budget budget;
    const BoundaryJoins joins =
        find_boundary_joins(asked.graph, asked.question, random_options(seed, asked.graph.size()), budget);
    ASSERT_FALSE(joins.infeasible) << "seed " << seed;
    ASSERT_NEAR(asked.best_of(joined(asked.graph, joins.merge)), asked.best, 1e-6) << "seed " << seed;
  }
}

// The lemma and the theorem of net_spans.h, on all pairs of ideals.
TEST(Boundary, ALongStageIsSpannedByNoNetOfItsClass) {
  for (std::uint64_t seed = 1; seed <= cases(200); ++seed) {
    const StageCase one = seed % 4 == 0 ? branched_stage_case(seed) : random_stage_case(seed, 8);
    std::mt19937_64 rng(seed);
    const auto weights = whole_weights(one.graph, {one.platform, std::uniform_real_distribution<double>(1, 40)(rng)});
    ASSERT_TRUE(weights);
    TimeWatch watch(nullptr);
    const IdVector<NetId, Whole> spans = net_spans(one.graph, *weights, watch);
    const std::uint32_t all = (1u << one.graph.size()) - 1;
    for (std::uint32_t after = 0; after <= all; ++after) {
      if (!is_ideal(one.graph, after)) continue;
      for (std::uint32_t before = after; before > 0; before = (before - 1) & after) {
        if (!is_ideal(one.graph, before)) continue;
        Whole work = 0;
        for (GroupId v : one.graph.all()) work += (after & ~before) >> v.index() & 1 ? weights->work[v] : 0;
        for (NetId e : one.graph.nets()) {
          bool first = false, last = false;
          for (GroupId v : one.graph.members(e)) {
            first |= (before >> v.index() & 1) != 0;
            last |= (after >> v.index() & 1) == 0;
          }
          if (first && last) {
            ASSERT_LE(work, spans[e]) << "seed " << seed;
          }
        }
      }
    }
    for (const SpanClass& one_class : span_classes(one.graph, *weights, spans)) {
      for (NetId e : one.graph.nets()) EXPECT_EQ(one_class.counts[e] != 0, spans[e] < one_class.threshold);
    }
  }
}

TEST(Boundary, ADecisionOrderNamesEachGroupOnce) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const StageCase one = seed % 4 == 0 ? branched_stage_case(seed) : random_stage_case(seed);
    TimeWatch watch(nullptr);
    std::vector<GroupId> order = decision_order(one.graph, watch);
    std::sort(order.begin(), order.end());
    ASSERT_EQ(order.size(), one.graph.size());
    for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i].index(), i);
  }
}

TEST(Boundary, ABudgetThatIsSpentSaysNothingFalse) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Asked asked = random_question(seed);
    if (asked.best == kNoSplit) continue;
    asked.question.limit = asked.best * 0.5;
    Budget spent({0});
    const BoundaryJoins joins = find_boundary_joins(asked.graph, asked.question, {}, spent);
    EXPECT_FALSE(joins.infeasible);
    EXPECT_EQ(joins.merge.joins(), 0u);
  }
}

}  // namespace
}  // namespace partita::detail::test
