// SPDX-License-Identifier: Apache-2.0
// Whatever the slice, whole or case by case: no answer of a limit is wrong.
#include "partita/solve/staged/limit_question.h"

#include <gtest/gtest.h>

#include "tests/support/cases.h"
#include "tests/support/stage_graphs.h"

namespace partita::detail::test {
namespace {

LimitAnswer ask(const StageGraph& graph, const Threshold& question, std::uint64_t slice) {
  Budget budget;
  return ask_limit(graph, question, slice, budget, [](std::size_t, const std::string&) {});
}

// 0 feeds the view 1, which feeds 2 and 3 at a higher cost than it costs to feed it. The best split has the view alone
// on a stage of its own between them: its producer pays the cheap transfer, and neither consumer pays for both. Without
// views that stage is empty, so a case "the host after one accelerator" must not be refuted because nothing is left for
// the host.
StageGraph view_on_its_own() {
  IdVector<GroupId, Group> groups(4);
  groups[GroupId(0)] = {10, 100, 0, true, true};
  groups[GroupId(2)] = groups[GroupId(3)] = {8, 100, 0, true, true};
  return StageGraph(groups, {{GroupId(0), GroupId(1)}, {GroupId(1), GroupId(2)}, {GroupId(1), GroupId(3)}},
                    {{2, {GroupId(0), GroupId(1)}}, {3, {GroupId(1), GroupId(2), GroupId(3)}}});
}

TEST(LimitQuestion, AHostMayHoldNothingButViews) {
  const StageGraph graph = view_on_its_own();
  const StagePlatform platform{3, 1, 1e9, 1e9};
  ASSERT_EQ(least_value(graph, platform), 12);
  std::size_t undecided = 0, yes = 0;
  for (std::uint64_t slice = 1; slice < 3000; slice += 1 + slice / 8) {
    const Answer answer = ask(graph, {platform, 12.5}, slice).answer;
    EXPECT_NE(answer, Answer::No) << "slice " << slice;
    undecided += answer == Answer::Unknown;
    yes += answer == Answer::Yes;
  }
  EXPECT_GT(undecided, 0u);
  EXPECT_GT(yes, 0u);
}

// In most cases some groups weigh next to nothing, as what shrink removes does, and no memory keeps it from helping.
StageCase case_with_crumbs(std::uint64_t seed) {
  if (seed % 5 == 0) return sums_stage_case(seed, 8);
  StageCase one = random_stage_case(seed, 8);
  if (seed % 2) return one;
  IdVector<GroupId, Group> groups;
  std::vector<std::pair<GroupId, GroupId>> precedence;
  std::vector<Net> nets;
  for (GroupId v : one.graph.all()) {
    groups.push_back(one.graph.group(v));
    if ((seed / 2 + v.index() * v.index()) % 3 > 0) groups[v].accelerator_time *= 0.004;
    if (seed % 4) groups[v].memory = 0;
    for (GroupId w : one.graph.successors(v)) precedence.emplace_back(v, w);
  }
  for (NetId e : one.graph.nets())
    nets.push_back({one.graph.cost(e), {one.graph.members(e).begin(), one.graph.members(e).end()}});
  one.graph = StageGraph(std::move(groups), precedence, std::move(nets));
  return one;
}

TEST(LimitQuestion, IsNeverAnsweredWronglyInASmallSlice) {
  std::size_t undecided = 0;
  for (std::uint64_t seed = 1; seed <= cases(2500); ++seed) {
    const StageCase one = case_with_crumbs(seed);
    const double best = least_value(one.graph, one.platform);
    for (const std::uint64_t slice : {std::uint64_t{150} + seed % 700, std::uint64_t{1} << seed % 14}) {
      if (best == kNoSplit) {
        EXPECT_NE(ask(one.graph, {one.platform, 1000}, slice).answer, Answer::Yes) << "seed " << seed;
        continue;
      }
      const LimitAnswer above = ask(one.graph, {one.platform, best * 1.001 + 1e-6}, slice);
      EXPECT_NE(above.answer, Answer::No) << "seed " << seed << ", slice " << slice;
      if (above.answer == Answer::Yes) {
        EXPECT_LE(above.split->value, best * 1.001 + 1e-6) << "seed " << seed;
      }
      undecided += above.answer == Answer::Unknown;
      const LimitAnswer below = ask(one.graph, {one.platform, best * 0.999 - 1e-6}, slice);
      EXPECT_NE(below.answer, Answer::Yes) << "seed " << seed << ", slice " << slice;
      if (below.split) {
        EXPECT_GE(below.split->value, best * (1 - 1e-12)) << "seed " << seed;
      }
    }
  }
  EXPECT_GT(undecided, 0u);
}

// Costs that differ by more digits than a double has: sums of them must not swallow the small ones.
TEST(LimitQuestion, HugeCostsDoNotBlurSmallOnes) {
  for (std::uint64_t seed = 1; seed <= cases(1500); ++seed) {
    StageCase one = random_stage_case(seed, 7);
    one.platform.hosts = 2;
    IdVector<GroupId, Group> groups;
    std::vector<std::pair<GroupId, GroupId>> precedence;
    for (GroupId v : one.graph.all()) {
      groups.push_back(one.graph.group(v));
      for (GroupId w : one.graph.successors(v)) precedence.emplace_back(v, w);
    }
    std::vector<Net> nets;
    for (NetId e : one.graph.nets()) {
      const bool huge = (seed + e.index()) % 3 == 0;
      nets.push_back(
          {one.graph.cost(e) * (huge ? 1e17 : 1.1), {one.graph.members(e).begin(), one.graph.members(e).end()}});
    }
    const StageGraph graph(groups, precedence, nets);
    const double best = least_value(graph, one.platform);
    if (best == kNoSplit) continue;
    const Threshold question{one.platform, best * (1 + 1e-9) + 1e-9};
    Budget budget;
    EXPECT_EQ(ask(graph, question, 10'000'000).answer, Answer::Yes) << "seed " << seed;
    EXPECT_EQ(search_ideals(graph, question, 1 + static_cast<int>(seed % 40), budget).answer, Answer::Yes)
        << "seed " << seed;
    EXPECT_FALSE(relaxation_refutes(graph, question, Effort::Full, budget)) << "seed " << seed;
  }
}

TEST(LimitQuestion, TheRelaxationRefutesNothingPossibleAndNothingForLackOfBudget) {
  std::size_t refuted = 0;
  for (std::uint64_t seed = 1; seed <= cases(2500); ++seed) {
    const StageCase one = case_with_crumbs(seed);
    const double best = least_value(one.graph, one.platform);
    if (best == kNoSplit || best <= 0) continue;
    const Budget budget(seed % 2 == 0 ? Budget::Limits{} : Budget::Limits{.ticks = 0});
    for (const Effort effort : {Effort::Quick, Effort::Full}) {
      EXPECT_FALSE(relaxation_refutes(one.graph, {one.platform, best * (1 + 1e-9)}, effort, budget)) << "seed " << seed;
      refuted += relaxation_refutes(one.graph, {one.platform, best * 0.8}, effort, budget);
    }
  }
  EXPECT_GT(refuted, 0u);
}

// Every case by itself, at the optimum and below, whole slices: what the cases say together is what the whole says. What
// earlier questions have shown changes no answer.
TEST(LimitQuestion, WhatIsKnownOfShrunkGraphsChangesNoAnswer) {
  for (std::uint64_t seed = 1; seed <= cases(1500); ++seed) {
    const StageCase one = case_with_crumbs(seed);
    const double best = least_value(one.graph, one.platform);
    if (best == kNoSplit || best <= 0) continue;
    ShrunkAnswers known;
    for (const double share : {1.5, 1 + 1e-9, 0.9, 1 - 1e-6, 1.1}) {
      Budget budget;
      const LimitAnswer reply = ask_limit(
          one.graph, Threshold{one.platform, best * share}, 100'000'000, budget, [](std::size_t, const std::string&) {},
          {}, &known);
      EXPECT_EQ(reply.answer, share < 1 ? Answer::No : Answer::Yes) << "seed " << seed << ", share " << share;
    }
  }
}

}  // namespace
}  // namespace partita::detail::test
