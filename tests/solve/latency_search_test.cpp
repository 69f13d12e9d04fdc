// SPDX-License-Identifier: Apache-2.0
// The search for splits of least latency against brute force.
#include "partita/solve/latency/latency_search.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "partita/check/check.h"
#include "partita/model/problem.h"
#include "partita/reduce/never.h"
#include "partita/solve/latency/label_blocks.h"
#include "partita/solve/latency/latency_labels.h"
#include "partita/solve/latency/spine_split.h"
#include "tests/support/brute_force.h"
#include "tests/support/cases.h"
#include "tests/support/latency_brute_force.h"
#include "tests/support/random_workload.h"
#include "tests/support/transformer.h"

namespace partita::detail::test {
namespace {

struct Question {
  std::size_t count;
  int subgraphs;
  bool strict_host_cores;
};

void expect_optima(const Question& question) {
  std::size_t found = 0, missed = 0;
  for (std::uint64_t seed = 1; seed <= cases(question.count); ++seed) {
    Problem problem{random_workload(seed), {.objective = Objective::Latency}};
    problem.subgraphs = question.subgraphs;
    problem.strict_host_cores = question.strict_host_cores;
    const auto optimum = brute_force(problem);
    const LatencyInstance instance = make_latency_instance(problem);
    LatencySearch search(instance, seed);
    Budget budget(Budget::Limits{.ticks = 30'000});
    search.improve(budget);
    const LatencySplit& best = search.best();
    if (!optimum) {
      EXPECT_EQ(best.value, kNever) << "seed " << seed;
      continue;
    }
    EXPECT_GE(best.value, *optimum * (1 - 1e-9)) << "seed " << seed;
    (best.value <= *optimum * (1 + 1e-9) ? found : missed) += 1;
    if (best.value == kNever) continue;
    const CheckReport report = check(problem, lift_latency(instance, best));
    EXPECT_TRUE(report.legal()) << "seed " << seed;
    EXPECT_NEAR(report.value, best.value, 1e-9 * best.value) << "seed " << seed;
  }
  EXPECT_LE(missed * (question.subgraphs == 1 ? 200 : 60), found);
}

TEST(LatencySearch, FindsTheOptimumOfSmallGraphs) { expect_optima({250, 1, false}); }
TEST(LatencySearch, FindsTheOptimumWithTwoSubgraphs) { expect_optima({120, 2, false}); }
TEST(LatencySearch, FindsTheOptimumWithThreeSubgraphs) { expect_optima({60, 3, false}); }
TEST(LatencySearch, FindsTheOptimumWithFewCores) { expect_optima({250, 1, true}); }
TEST(LatencySearch, FindsTheOptimumWithFewCoresAndTwoSubgraphs) { expect_optima({100, 2, true}); }

// A fan is legal and better whatever it starts from, and there are some where branches are worth an accelerator.
TEST(LatencyFan, GivesLegalAndBetterSplits) {
  std::size_t better = 0;
  for (std::uint64_t seed = 1; seed <= cases(2000); ++seed) {
    Problem problem{random_workload(seed), {.objective = Objective::Latency}};
    if (seed % 2 == 0) problem.workload.change().platform.classes[ClassId(0)].count = 4;
    const LatencyInstance instance = make_latency_instance(problem);
    LatencySearch search(instance, seed);  // simple splits alone
    const LatencySplit start = search.best();
    if (start.value == kNever || instance.accelerators() == 0) continue;
    IdVector<NodeId, LatencyValue::Place> place;
    for (const LatencyNode& node : instance.nodes) {
      const DeviceId d = start.accelerator_of[node.group];
      place.push_back(
          static_cast<LatencyValue::Place>(d.valid() ? d.index() : static_cast<std::size_t>(instance.accelerators())));
    }
    LatencyFan fan(instance);
    fan.begin(start.value, place);
    Budget budget;
    EXPECT_TRUE(fan.advance(budget));
    if (!fan.best()) continue;
    LatencySplit split{0, IdVector<GroupId, DeviceId>(instance.group_count())};
    for (NodeId v : instance.nodes.all()) {
      if ((*fan.best())[v] != static_cast<LatencyValue::Place>(instance.accelerators()))
        split.accelerator_of[instance.nodes[v].group] = DeviceId(static_cast<std::size_t>((*fan.best())[v]));
    }
    if (!fits_hosts(instance, split.accelerator_of)) continue;
    const CheckReport report = check(problem, lift_latency(instance, split));
    EXPECT_TRUE(report.legal()) << "seed " << seed;
    EXPECT_LT(report.value, start.value) << "seed " << seed;
    ++better;
  }
  EXPECT_GT(better, cases(2000) / 400);
}

// Where labels meet the optimum, what they speak of is often a split that does, or nearly; no node is in two blocks.
TEST(LabelBlocks, AreNearlySplits) {
  std::size_t best = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= cases(500); ++seed) {
    const Problem problem{random_workload(seed), {.objective = Objective::Latency}};
    const LatencyInstance instance = make_latency_instance(problem);
    const double optimum = best_latency_by_brute_force(problem);
    if (!(optimum > 0) || optimum == kNever || instance.accelerators() == 0) continue;
    const NodeReach reach(instance);
    const BlockModel model(instance, LatencyFacts(instance));
    const EdgeLabels none(model.edge_count(), 0);
    LatencyLabels labels(model, reach, false, none, none, {kNever, 0, true});
    Budget budget;
    EXPECT_TRUE(labels.advance(budget));
    if (labels.bound() < optimum * (1 - 1e-9)) continue;
    std::uint64_t ticks = 0;
    const auto blocks = blocks_of_labels(model, reach, labels.labels(), labels.bound(), 0, instance.size(), ticks);
    IdVector<NodeId, int> held(instance.size(), 0);
    for (const std::vector<NodeId>& block : blocks) {
      for (NodeId v : block) EXPECT_EQ(held[v]++, 0) << "seed " << seed;
    }
    LatencySearch search(instance, seed);
    search.suggest(split_from_blocks(instance, blocks), budget);
    EXPECT_GE(search.best().value, optimum * (1 - 1e-9)) << "seed " << seed;
    ++all;
    best += search.best().value <= optimum * (1 + 1e-9);
  }
  EXPECT_GT(best * 2, all);
  RecordProperty("best", static_cast<int>(best));
  RecordProperty("all", static_cast<int>(all));
}

TEST(LatencySearch, IsDeterministicAndPassesCheckOnLargerGraphs) {
  for (const bool training : {false, true}) {
    const Problem problem{transformer({.layers = 3, .training = training, .accelerators = 4}),
                          {.objective = Objective::Latency}};
    const LatencyInstance instance = make_latency_instance(problem);
    LatencySearch whole(instance, 7), parts(instance, 7);
    Budget one(Budget::Limits{.ticks = 600'000});
    whole.improve(one);
    Budget other(Budget::Limits{.ticks = 600'000});
    while (!other.exhausted()) {
      Budget slice(other, 10'000);
      parts.improve(slice);
    }
    EXPECT_EQ(whole.best().value, parts.best().value);
    const CheckReport report = check(problem, lift_latency(instance, whole.best()));
    EXPECT_TRUE(report.legal());
    EXPECT_NEAR(report.value, whole.best().value, 1e-9 * report.value);
  }
}

}  // namespace
}  // namespace partita::detail::test
