// SPDX-License-Identifier: Apache-2.0
// Segments of clusters as plain questions: every stage has the same load there, a search says the same, and splits by
// borders are what they say. Random small questions, and brute force.
#include "partita/solve/staged/setups/plain_side.h"

#include <gtest/gtest.h>

#include "partita/solve/staged/ideal_search.h"
#include "partita/solve/staged/limit_question.h"
#include "partita/solve/staged/orders.h"
#include "partita/solve/staged/setups/border_splits.h"
#include "partita/solve/staged/setups/pipeline_value.h"
#include "partita/solve/staged/setups/segment_search.h"
#include "tests/support/cases.h"
#include "tests/support/equal_clusters.h"
#include "tests/support/pipeline_brute_force.h"
#include "tests/support/random_setup.h"

namespace partita::detail::test {
namespace {

// Calls visit(problem, instance, rng) for questions with clusters and nothing else.
template <class Visit>
void for_each_question(std::uint64_t count, std::size_t most_nodes, Visit visit) {
  for (std::uint64_t seed = 1; seed <= cases(count); ++seed) {
    const Problem problem = in_equal_clusters(random_setup(seed, SetupFeatures::none()), seed);
    if (problem.workload->graph.nodes.size() > most_nodes) continue;
    Rng rng(seed);
    visit(problem, make_setup_instance(problem), rng);
  }
}

std::vector<Word> first_of(const SetupGraph& graph, const std::vector<GroupId>& order, std::size_t count) {
  std::vector<Word> bits(words_for(graph.size()), 0);
  for (std::size_t i = 0; i < count; ++i) set_bit(bits, order[i].index());
  return bits;
}

// A random segment of a cluster of the platform as a plain question, where it can be.
struct RandomSide {
  Segment segment;
  std::optional<PlainSide> side;
};
std::optional<RandomSide> random_side(const SetupInstance& instance, Rng& rng) {
  const SetupGraph& graph = instance.graph;
  for (const ClusterMember& member : instance.rules.root().members) {
    if (!member.is_cluster() || graph.size() == 0) continue;
    const auto order = order_to_try(graph.order(), static_cast<int>(rng() % 8), rng);
    const std::size_t begin = rng() % graph.size(), end = begin + 1 + rng() % (graph.size() - begin);
    RandomSide result{
        Segment(graph, instance.rules)
            .inside(instance.rules, member.inside, first_of(graph, order, begin), first_of(graph, order, end), false),
        {}};
    result.side = plain_side(graph, instance.rules, result.segment);
    return result;
  }
  return std::nullopt;
}

TEST(PlainSide, HasTheLoadsOfTheSegment) {
  std::size_t compared = 0, leaving = 0;
  for_each_question(3000, 100, [&](const Problem& problem, const SetupInstance& instance, Rng& rng) {
    const std::optional<RandomSide> random = random_side(instance, rng);
    if (!random || !random->side) return;
    const PlainSide& side = *random->side;
    const ClassId c = instance.rules.clusters[random->segment.type()].members[0].device_class;
    // Any set of groups may be a stage as far as loads go.
    std::vector<GroupId> groups;
    Stage stage;
    for (std::size_t i = 1; i < side.group_of.size(); ++i) {
      if (rng() % 2 == 0) continue;
      stage.groups.push_back(GroupId(i));
      groups.push_back(side.group_of[i]);
    }
    const StageSums sums = stage_sums(instance.graph, instance.rules, random->segment, c, groups);
    const double load = stage_load(instance.rules, instance.graph.passes(), 1, {0, c, 1, false}, sums);
    EXPECT_NEAR(largest_load(side.graph, std::span(&stage, 1)), load, 1e-9 * (1 + load)) << describe(problem);
    ++compared;
    leaving += side.group_of.size() <= instance.graph.size();
  });
  EXPECT_GT(compared, cases(3000) / 20);
  EXPECT_GT(leaving, compared / 4);
}

TEST(PlainSide, IsAnsweredAsTheSegmentIs) {
  std::size_t yes = 0, no = 0;
  for_each_question(3000, 9, [&](const Problem& problem, const SetupInstance& instance, Rng& rng) {
    std::optional<RandomSide> random = random_side(instance, rng);
    if (!random || !random->side) return;
    Budget budget;
    const SetupGraph& graph = instance.graph;
    const WorkMeasure measure(graph, instance.rules);
    double work = 0;
    for_each_bit(random->segment.end(), [&](std::size_t v) { work += measure.work(GroupId(v)); });
    // No load is equal to one of these: where one is, the two searches round it differently.
    for (double limit : {1.5037, 4.2537, 9.7537, 17.5037}) {
      SegmentSearch search(graph, instance.rules, measure, random->segment, limit, work, budget);
      const Answer expected = search.run();
      const LimitAnswer answer = ask_limit(random->side->graph, Threshold{random->side->platform, limit},
                                           Budget::Limits{}.ticks, budget, [](std::size_t, const std::string&) {});
      EXPECT_EQ(answer.answer, expected) << "limit " << limit << "\n" << describe(problem);
      ++(expected == Answer::Yes ? yes : no);
    }
  });
  EXPECT_GT(yes, cases(3000) / 20);
  EXPECT_GT(no, cases(3000) / 20);
}

TEST(BorderSplits, AreWhatTheySayAndOftenBest) {
  std::size_t found = 0, best = 0;
  for_each_question(1000, 7, [&](const Problem& problem, const SetupInstance& instance, Rng& rng) {
    if (!has_plain_clusters(instance.rules)) return;
    Budget budget;
    const auto order = order_to_try(instance.graph.order(), static_cast<int>(rng() % 8), rng);
    const std::optional<SetupPipeline> split =
        split_at_borders(instance.graph, instance.rules, order, kUnlimited, {}, budget);
    if (!split) return;
    const std::optional<double> optimum = pipeline_brute_force(problem);
    ASSERT_TRUE(optimum) << describe(problem);
    const PipelineEvaluation evaluation = evaluate_pipeline(problem, lift_parts(problem, instance, split->parts));
    EXPECT_TRUE(evaluation.legal()) << describe(problem);
    EXPECT_NEAR(evaluation.value, split->value, 1e-9 * (1 + split->value)) << describe(problem);
    EXPECT_GE(split->value, *optimum * (1 - 1e-9)) << describe(problem);
    EXPECT_FALSE(split_at_borders(instance.graph, instance.rules, order, split->value * (1 - 1e-9), {}, budget))
        << describe(problem);
    ++found;
    best += split->value <= *optimum * (1 + 1e-9);
  });
  EXPECT_GT(found, cases(1000) / 10);
  EXPECT_GT(best, found / 3);
}

}  // namespace
}  // namespace partita::detail::test
