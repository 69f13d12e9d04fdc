// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/window_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>

#include "partita/solve/staged/ideal_search.h"
#include "partita/solve/staged/linear.h"
#include "partita/solve/staged/pipeline_window.h"
#include "tests/solve/legal_split.h"
#include "tests/support/stage_cases.h"

namespace partita::detail::test {
namespace {

// The least possible largest load of these stages, when their devices may hold their groups in any other way. Looks at
// all chains of sets; loads are those of the whole graph, and from its nets.
class WindowBruteForce {
 public:
  WindowBruteForce(const StageGraph& graph, const StagePlatform& devices, std::span<const Stage> stages)
      : graph_(graph), devices_(devices) {
    for (const Stage& stage : stages) {
      for (GroupId v : stage.groups) all_ |= 1u << v.index();
    }
  }
  double least() { return from(0, devices_.accelerators, devices_.hosts); }

 private:
  double from(std::uint32_t taken, int accelerators, int hosts) {
    if (taken == all_) return 0;
    if (accelerators + hosts == 0) return kNoSplit;
    const auto [known, fresh] = known_.try_emplace({taken, accelerators, hosts}, kNoSplit);
    if (!fresh) return known->second;
    double best = kNoSplit;
    const std::uint32_t left = all_ & ~taken;
    for (std::uint32_t set = left; set != 0; set = (set - 1) & left) {
      if (!closed(taken | set)) continue;
      if (accelerators > 0)
        best = std::min(best, std::max(load(set, false), from(taken | set, accelerators - 1, hosts)));
      if (hosts > 0) best = std::min(best, std::max(load(set, true), from(taken | set, accelerators, hosts - 1)));
    }
    return known_[{taken, accelerators, hosts}] = best;
  }

  bool closed(std::uint32_t set) const {
    for (GroupId v : graph_.all()) {
      if ((set >> v.index() & 1) == 0) continue;
      for (GroupId u : graph_.predecessors(v)) {
        if ((all_ >> u.index() & 1) != 0 && (set >> u.index() & 1) == 0) return false;
      }
    }
    return true;
  }

  double load(std::uint32_t set, bool host) const {
    double load = 0, memory = 0;
    for (GroupId v : graph_.all()) {
      if ((set >> v.index() & 1) == 0) continue;
      const Group& g = graph_.group(v);
      if (!(host ? g.on_host : g.on_accelerator)) return kNoSplit;
      load += host ? g.host_time : g.accelerator_time;
      memory += g.memory;
    }
    for (NetId e : graph_.nets()) {
      std::size_t inside = 0;
      for (GroupId v : graph_.members(e)) inside += set >> v.index() & 1;
      if (!host && inside > 0 && inside < graph_.members(e).size()) load += graph_.cost(e);
    }
    return memory > (host ? devices_.host_memory : devices_.accelerator_memory) ? kNoSplit : load;
  }

  const StageGraph& graph_;
  const StagePlatform devices_;
  std::uint32_t all_ = 0;
  std::map<std::tuple<std::uint32_t, int, int>, double> known_;
};

StagePlatform devices_of(const StagePlatform& platform, std::span<const Stage> stages) {
  StagePlatform devices = platform;
  devices.accelerators = devices.hosts = 0;
  for (const Stage& stage : stages) ++(stage.on_host ? devices.hosts : devices.accelerators);
  return devices;
}

std::vector<double> sorted_loads(const StageGraph& graph, const std::vector<Stage>& stages) {
  std::vector<double> loads;
  for (const Stage& stage : stages)
    loads.push_back(stage.on_host ? host_load(graph, stage.groups) : accelerator_load(graph, stage.groups));
  std::sort(loads.begin(), loads.end(), std::greater<>());
  return loads;
}

// Splits by the linearised program over random orders are pipelines of any quality.
std::optional<StagedSplit> some_split(const StageCase& one, Rng& rng) {
  const Budget budget;
  const std::vector<GroupId> order = order_to_try(one.graph, static_cast<int>(rng() % 9), rng);
  return linear_split(one.graph, one.platform, order, {.stride = 1 + rng() % 2}, budget);
}

TEST(PipelineWindow, HasASplitWithinALimitIfAndOnlyIfTheStagesHave) {
  std::size_t asked = 0, reaching_out = 0, with_host = 0;
  for_each_stage_case(1500, 9, [&](std::uint64_t seed, const StageCase& one) {
    Rng rng(seed);
    const auto split = some_split(one, rng);
    if (!split || split->stages.size() < 2) return;
    const std::size_t count = 1 + rng() % std::min<std::size_t>(3, split->stages.size());
    const std::size_t first = rng() % (split->stages.size() - count + 1);
    const std::span<const Stage> stages(split->stages.data() + first, count);
    StagePlatform devices = devices_of(one.platform, stages);
    if (rng() % 3 == 0) ++devices.hosts;
    const double best = WindowBruteForce(one.graph, devices, stages).least();
    ASSERT_LT(best, kNoSplit);
    if (best <= 0) return;
    for (const double share : {1 + 1e-6, 1 - 1e-6}) {
      const double limit = best * share;
      const PipelineWindow window(one.graph, devices, stages, limit);
      Budget budget;
      const SearchResult result = search_ideals(window.graph(), Threshold{window.platform(), limit}, 8, budget);
      EXPECT_EQ(result.answer, share > 1 ? Answer::Yes : Answer::No);
      ++asked;
      reaching_out += window.reaches_out();
      with_host += devices.hosts > 0;
      if (result.answer != Answer::Yes) continue;
      const auto lifted = window.lift(result.split.stages);
      ASSERT_TRUE(lifted);
      EXPECT_LE(largest_load(one.graph, *lifted), limit * (1 + 1e-9));
      StagedSplit whole = *split;
      whole.stages.erase(whole.stages.begin() + first, whole.stages.begin() + first + count);
      whole.stages.insert(whole.stages.begin() + first, lifted->begin(), lifted->end());
      whole.value = largest_load(one.graph, whole.stages);
      StagePlatform platform = one.platform;
      ++platform.hosts;  // the one that a third of the windows has in addition
      expect_legal(one.graph, platform, whole);
    }
  });
  EXPECT_GT(asked, 0u);
  EXPECT_GT(reaching_out, 0u);
  EXPECT_GT(with_host, 0u);
}

TEST(PipelineWindow, LoweredStagesWeighWhatTheyWeighInTheWhole) {
  for_each_stage_case(1000, 15, [&](std::uint64_t seed, const StageCase& one) {
    Rng rng(seed);
    const auto split = some_split(one, rng);
    if (!split || split->stages.empty()) return;
    const std::size_t first = rng() % split->stages.size();
    const auto stages = std::span(split->stages).subspan(first);
    const PipelineWindow window(one.graph, devices_of(one.platform, stages), stages, 0);
    const std::vector<Stage> lowered = window.lower(stages);
    EXPECT_NEAR(largest_load(window.graph(), lowered), largest_load(one.graph, stages), 1e-9 * (1 + split->value));
    const auto lifted = window.lift(lowered);
    ASSERT_TRUE(lifted);
    ASSERT_EQ(lifted->size(), stages.size());
    for (std::size_t s = 0; s < stages.size(); ++s) {
      std::vector<GroupId> expected = stages[s].groups, found = (*lifted)[s].groups;
      std::sort(expected.begin(), expected.end());
      std::sort(found.begin(), found.end());
      EXPECT_EQ(found, expected);
    }
  });
}

TEST(WindowSearch, GivesLegalSplitsWithSmallerLoadsAndEndsWhereNoWindowCanBeImproved) {
  std::size_t better = 0, handed_along = 0;
  for_each_stage_case(1000, 9, [&](std::uint64_t seed, const StageCase& one) {
    Rng rng(seed);
    const auto start = some_split(one, rng);
    if (!start || start->value <= 0) return;
    Budget budget;
    WindowMemory memory;
    const auto found = search_windows(one.graph, one.platform, *start, {}, memory, rng, budget);
    const StagedSplit& end = found ? *found : *start;
    if (found) {
      expect_legal(one.graph, one.platform, *found);
      EXPECT_LE(found->value, start->value);
      EXPECT_GE(found->value, least_value(one.graph, one.platform) * (1 - 1e-12));
      EXPECT_LT(sorted_loads(one.graph, found->stages), sorted_loads(one.graph, start->stages));
      (found->value < start->value ? better : handed_along) += 1;
    }
    for (std::size_t count = 2; count <= std::min<std::size_t>(3, end.stages.size()); ++count) {
      for (std::size_t first = 0; first + count <= end.stages.size(); ++first) {
        const auto stages = std::span(end.stages).subspan(first, count);
        if (largest_load(one.graph, stages) < end.value * (1 - 1e-9)) continue;
        EXPECT_GE(WindowBruteForce(one.graph, devices_of(one.platform, stages), stages).least(),
                  end.value * (1 - 1e-5));
      }
    }
  });
  EXPECT_GT(better, 0u);
  EXPECT_GT(handed_along, 0u);
}

TEST(WindowSearch, DoesNotAskTwiceWhatSaidNo) {
  const StageCase one = random_stage_case(3, 20);
  Rng rng(1);
  const auto start = some_split(one, rng);
  ASSERT_TRUE(start);
  WindowMemory memory;
  Budget budget;
  const auto found = search_windows(one.graph, one.platform, *start, {}, memory, rng, budget);
  const std::uint64_t used = budget.ticks_used();
  EXPECT_GT(used, 0u);
  EXPECT_FALSE(search_windows(one.graph, one.platform, found ? *found : *start, {}, memory, rng, budget));
  EXPECT_EQ(budget.ticks_used(), used);
}

TEST(WindowSearch, StopsWithTheBudget) {
  const StageCase one = random_stage_case(4, 20);
  Rng rng(1);
  const auto start = some_split(one, rng);
  ASSERT_TRUE(start);
  WindowMemory memory;
  Budget budget(Budget::Limits{.ticks = 0});
  EXPECT_FALSE(search_windows(one.graph, one.platform, *start, {}, memory, rng, budget));
}

}  // namespace
}  // namespace partita::detail::test
