// SPDX-License-Identifier: Apache-2.0
// Sweeps: every point against brute force on its own platform, what points tell each other, and the verdict.
#include "partita/portfolio/sweep.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "partita/check/check.h"
#include "partita/partita.h"
#include "partita/portfolio/sweep_verdict.h"
#include "partita/portfolio/vary.h"
#include "partita/util/error.h"
#include "tests/support/brute_force.h"
#include "tests/support/cases.h"
#include "tests/support/graph_text.h"
#include "tests/support/latency_brute_force.h"
#include "tests/support/pipeline_brute_force.h"
#include "tests/support/random_setup.h"
#include "tests/support/random_workload.h"

namespace partita::detail::test {
namespace {

using Parameter = SweepParameter;

std::optional<double> best_by_force(const Problem& problem) {
  if (problem.workload->platform.device_count() == 0) return std::nullopt;
  if (problem.objective == Objective::Latency) {
    const double best = best_latency_by_brute_force(problem);
    return std::isfinite(best) ? std::optional(best) : std::nullopt;
  }
  const bool plain = problem.replicas == 1 && problem.memory_model == MemoryModel::Flat;
  return plain ? brute_force(problem) : pipeline_brute_force(problem);
}

// The definition of Sweep::enough, read literally.
std::optional<std::size_t> enough_by_definition(const Sweep& sweep) {
  for (std::size_t i = 0; i + 1 < sweep.points.size(); ++i) {
    if (!sweep.points[i].result.split) continue;
    bool beaten = false;
    for (std::size_t j = i + 1; j < sweep.points.size(); ++j) {
      const Result &here = sweep.points[i].result, &later = sweep.points[j].result;
      beaten |= later.split && here.value > later.value * (1 + sweep.worthwhile) && here.value > 0;
    }
    if (!beaten) return i;
  }
  return std::nullopt;
}

void expect_consistent(const Problem& problem, const Sweep& sweep, const std::string& what) {
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    const SweepPoint& point = sweep.points[i];
    const Problem there = varied(problem, sweep.parameter, point.parameter);
    if (point.result.split) {
      const CheckReport report = check(there, *point.result.split);
      EXPECT_TRUE(report.legal()) << what;
      EXPECT_DOUBLE_EQ(report.value, point.result.value) << what;
      EXPECT_LE(point.result.bound, point.result.value) << what;
      EXPECT_EQ(point.result.status == Status::Optimal, point.result.gap() <= kOptimalGap) << what;
      EXPECT_TRUE(point.result.bound == 0 || !point.result.proof.empty()) << what;
      EXPECT_GT(point.devices_used, 0u) << what;
      EXPECT_LE(point.devices_used, there.workload->platform.device_count()) << what;
    } else {
      EXPECT_FALSE(point.result.reason.empty()) << what;
    }
    if (i == 0 || !never_hurts(problem, sweep.parameter)) continue;
    const Result& before = sweep.points[i - 1].result;
    EXPECT_LE(point.result.value, before.value * (1 + 1e-12)) << what << ", point " << i;
    if (point.result.status != Status::Infeasible && before.status != Status::Infeasible) {
      EXPECT_GE(before.bound, std::min(point.result.bound, before.value) * (1 - kOptimalGap)) << what;
    }
  }
  EXPECT_EQ(sweep.enough, enough_by_definition(sweep)) << what;
  EXPECT_FALSE(sweep.verdict.empty());
}

// How many points were proved, and how many had to be searched.
struct SweepTally {
  int points = 0, proved = 0, searched = 0;
};

void expect_brackets_brute_force(const Problem& problem, Parameter parameter, const std::vector<double>& values,
                                 const std::string& what, SweepTally& tally) {
  SweepOptions options;
  options.ticks = 400'000;
  SweepWatcher watcher;
  watcher.begins = [&](const SweepPoint&, std::size_t, std::size_t) { ++tally.searched; };
  Budget budget;
  const Sweep sweep = partita::sweep(problem, parameter, values, options, budget, watcher);
  ASSERT_EQ(sweep.points.size(), values.size()) << what;
  expect_consistent(problem, sweep, what);
  for (const SweepPoint& point : sweep.points) {
    const Problem there = varied(problem, parameter, point.parameter);
    const std::optional<double> best = best_by_force(there);
    const Result& result = point.result;
    ++tally.points;
    if (result.status == Status::Infeasible) {
      EXPECT_FALSE(best) << what << " at " << point.label;
      ++tally.proved;
    } else if (best) {
      EXPECT_LE(result.bound, *best * (1 + 1e-9)) << what << " at " << point.label;
      if (result.split) {
        EXPECT_GE(result.value, *best * (1 - 1e-9)) << what << " at " << point.label;
      }
      if (result.status != Status::Optimal) continue;
      EXPECT_NEAR(result.value, *best, 2e-6 * *best) << what << " at " << point.label;
      ++tally.proved;
    } else {
      EXPECT_FALSE(result.split) << what << " at " << point.label;
    }
  }
}

std::vector<double> range_of(Parameter parameter, const Workload& workload) {
  double memory = 1;
  for (const Node& node : workload.graph.nodes) memory += node.memory;
  switch (parameter) {
    case Parameter::Accelerators:
    case Parameter::Hosts: return {0, 1, 2, 3};
    case Parameter::Memory: return {0, memory / 8, memory / 4, memory / 2, memory};
    case Parameter::Bandwidth: return {0.25, 0.7, 1, 3};
  }
  return {};
}

constexpr Parameter kAll[] = {Parameter::Accelerators, Parameter::Hosts, Parameter::Memory, Parameter::Bandwidth};

TEST(Sweep, EveryPointIsWhatBruteForceFinds) {
  SweepTally tally;
  for (std::uint64_t seed = 1; seed <= cases(60); ++seed) {
    Problem problem{random_workload(seed)};
    problem.objective = seed % 5 == 0 ? Objective::Latency : seed % 5 == 1 ? Objective::GPipe : Objective::MaxLoad;
    problem.shape = seed % 3 == 0 ? Shape::Free : seed % 3 == 1 ? Shape::Staged : Shape::Contiguous;
    problem.strict_host_cores = seed % 10 == 0;
    const Parameter parameter = kAll[seed / 3 % 4];
    if (problem.strict_host_cores && parameter == Parameter::Hosts) continue;  // no host, no core: nothing to schedule
    expect_brackets_brute_force(problem, parameter, range_of(parameter, problem.workload),
                                "seed " + std::to_string(seed) + ", " + to_string(parameter) + "\n" + describe(problem),
                                tally);
  }
  EXPECT_GT(10 * tally.proved, 8 * tally.points);
  EXPECT_LT(tally.searched, tally.points);
}

TEST(Sweep, CopiesAndSamplesInFlightMoveAlong) {
  SweepTally tally;
  SetupFeatures features = SetupFeatures::none();
  features.copies = features.memory = features.recompute = features.transfers = true;
  for (std::uint64_t seed = 1; seed <= cases(40); ++seed) {
    const Problem problem = random_setup(seed, features);
    if (problem.workload->graph.nodes.size() > 6) continue;
    const Parameter parameter = kAll[seed % 4];
    const Platform& platform = problem.workload->platform;
    if (parameter == Parameter::Hosts && platform.classes_of(DeviceKind::Host).empty()) continue;
    expect_brackets_brute_force(problem, parameter, range_of(parameter, problem.workload),
                                "seed " + std::to_string(seed) + ", " + to_string(parameter) + "\n" + describe(problem),
                                tally);
  }
}

TEST(Sweep, ValuesAreThoseOfPlan) {
  for (std::uint64_t seed = 1; seed <= cases(20); ++seed) {
    Problem problem{random_workload(seed)};
    Budget budget;
    const Sweep sweep = partita::sweep(problem, Parameter::Accelerators, {3, 1, 2}, {}, budget);
    for (int k = 1; k <= 3; ++k) {
      for (DeviceClass& c : problem.workload.change().platform.classes) {
        if (c.kind == DeviceKind::Accelerator) c.count = k;
      }
      Budget plan_budget;
      const Plan alone = plan(problem, {}, plan_budget);
      const Result& result = sweep.points[static_cast<std::size_t>(k) - 1].result;
      EXPECT_EQ(result.status, alone.result.status) << "seed " << seed;
      if (alone.result.split) {
        EXPECT_NEAR(result.value, alone.result.value, 2e-6 * alone.result.value);
      }
    }
  }
}

TEST(Sweep, HoldsTogetherWhenSearchesEndEarly) {
  for (std::uint64_t seed = 1; seed <= cases(40); ++seed) {
    Problem problem{random_workload(seed)};
    problem.shape = seed % 2 ? Shape::Staged : Shape::Free;
    problem.objective = seed % 4 == 3 ? Objective::Latency : Objective::MaxLoad;
    SweepOptions options;
    options.ticks = seed % 50;
    const Parameter parameter = kAll[seed / 2 % 4];
    Budget budget;
    const Sweep sweep = partita::sweep(problem, parameter, range_of(parameter, problem.workload), options, budget);
    expect_consistent(problem, sweep, "seed " + std::to_string(seed));
  }
}

TEST(Sweep, FlatPartsNeedNoSearch) {
  // Two nodes fill two devices: 8 with one, 4 with more.
  const Problem problem{graph_from_text("a 4 9; b 4 9; a -> b : 0", 1, kUnlimited, 0)};
  std::vector<std::string> searched;
  SweepWatcher watcher;
  watcher.begins = [&](const SweepPoint& point, std::size_t, std::size_t) { searched.push_back(point.label); };
  Budget budget;
  const Sweep sweep = partita::sweep(problem, Parameter::Accelerators, {1, 2, 3, 4, 5, 6, 7, 8}, {}, budget, watcher);
  EXPECT_EQ(searched, (std::vector<std::string>{"1", "8", "4", "2"}));
  for (const SweepPoint& point : sweep.points) {
    EXPECT_EQ(point.result.status, Status::Optimal);
    EXPECT_DOUBLE_EQ(point.result.value, point.parameter == 1 ? 8 : 4);
    EXPECT_EQ(point.devices_used, point.parameter == 1 ? 1u : 2u);
  }
  EXPECT_EQ(sweep.enough, 1u);
  EXPECT_EQ(sweep.verdict, "2 accelerators are enough: 6 more gain nothing, and no staged split could gain anything");
}

TEST(Sweep, PointsWithoutSplitSayWhy) {
  const Problem problem{graph_from_text("a 4 - mem=60; b 4 - mem=60; a -> b : 1", 2, 50, 0)};
  Budget budget;
  const Sweep memory = partita::sweep(problem, Parameter::Memory, {10, 50, 60, 120}, {}, budget);
  ASSERT_EQ(memory.points.size(), 4u);
  for (const std::size_t i : {0u, 1u}) {
    EXPECT_EQ(memory.points[i].result.status, Status::Infeasible);
    EXPECT_NE(memory.points[i].result.reason.find("for the 60 it needs"), std::string::npos)
        << memory.points[i].result.reason;
    EXPECT_FALSE(memory.speed_up(i));
  }
  EXPECT_EQ(memory.points[2].result.status, Status::Optimal);
  EXPECT_EQ(memory.enough, 2u);
  const Sweep devices = partita::sweep(problem, Parameter::Accelerators, {0, 1}, {}, budget);
  EXPECT_EQ(devices.points[0].result.status, Status::Infeasible);
  EXPECT_NE(devices.points[0].result.reason.find("there are no devices"), std::string::npos);
  EXPECT_NE(devices.verdict.find("no split at any point; with 1 accelerator: "), std::string::npos) << devices.verdict;
}

TEST(Sweep, PointsSoFarAreTheSweepWhenCancelled) {
  const Problem problem{graph_from_text("a 4 9; b 4 9; c 4 9; d 4 9; a -> b -> c -> d : 0.1", 1, kUnlimited, 0)};
  Budget budget;
  SweepWatcher watcher;
  watcher.ended = [&](const SweepPoint&, std::size_t done, std::size_t) {
    if (done == 2) budget.cancel();
  };
  const Sweep sweep = partita::sweep(problem, Parameter::Accelerators, {1, 2, 3, 4}, {}, budget, watcher);
  ASSERT_EQ(sweep.points.size(), 2u);
  EXPECT_EQ(sweep.points[0].parameter, 1);
  EXPECT_EQ(sweep.points[1].parameter, 4);
}

TEST(Sweep, HalfTheBandwidthIsTwiceTheCost) {
  Problem problem{graph_from_text("a 4 9; b 4 9; a -> b : 1", 2, kUnlimited, 0)};
  problem.workload.change().platform.sync_bandwidth = 8;
  const Problem slow = varied(problem, Parameter::Bandwidth, 0.5);
  EXPECT_EQ(slow.workload->graph.edges[0].cost, 2);
  EXPECT_EQ(slow.workload->platform.sync_bandwidth, 4);
  Budget budget;
  const Sweep sweep = partita::sweep(problem, Parameter::Bandwidth, {0.125, 0.5, 1, 2}, {}, budget);
  const double expected[] = {8, 6, 5, 4.5};  // the first is better off on one device
  for (std::size_t i = 0; i < 4; ++i) EXPECT_DOUBLE_EQ(sweep.points[i].result.value, expected[i]);
}

TEST(Sweep, CostsThatDifferStillDoAtAnyBandwidth) {
  int equal_by_division = 0;
  for (int step = 1; step <= 50; ++step) {
    Problem problem{graph_from_text("a 4 9; b 4 9; c 1 2; a -> b : 1.9; a -> c : 1.9", 2, kUnlimited, 0)};
    problem.workload.change().graph.edges[1].cost = std::nextafter(1.9, 2.0);
    const double bandwidth = 1.8 + 0.001 * step;
    equal_by_division += 1.9 / bandwidth == std::nextafter(1.9, 2.0) / bandwidth;
    const Problem there = varied(problem, Parameter::Bandwidth, bandwidth);
    EXPECT_NE(there.workload->graph.edges[0].cost, there.workload->graph.edges[1].cost);
  }
  EXPECT_GT(equal_by_division, 0);
}

TEST(Sweep, ListSchedulesAreTheException) {
  Problem problem;
  problem.objective = Objective::Latency;
  for (const Parameter parameter : kAll) EXPECT_TRUE(never_hurts(problem, parameter));
  problem.strict_host_cores = true;
  EXPECT_TRUE(never_hurts(problem, Parameter::Accelerators));
  EXPECT_TRUE(never_hurts(problem, Parameter::Memory));
  EXPECT_FALSE(never_hurts(problem, Parameter::Hosts));
  EXPECT_FALSE(never_hurts(problem, Parameter::Bandwidth));
}

std::string refusal_of(const Problem& problem, Parameter parameter) {
  Budget budget;
  try {
    partita::sweep(problem, parameter, {1, 2}, {}, budget);
  } catch (const InputError& error) {
    EXPECT_EQ(error.kind(), ErrorKind::BadPlatform);
    return error.what();
  }
  return "";
}

TEST(Sweep, RefusesWhatIsNotOneNumber) {
  Problem problem{graph_from_text("a 4 9", 2, kUnlimited, 1)};
  EXPECT_EQ(refusal_of(problem, Parameter::Hosts), "");
  Problem clusters = problem;
  clusters.workload.change().platform.clusters = Cluster{1, {2, 1}, {}};
  EXPECT_EQ(refusal_of(clusters, Parameter::Accelerators),
            "Sweep::parameter: accelerators cannot be varied: the platform says in which clusters its devices are; "
            "what can be "
            "varied here: memory (of every accelerator), bandwidth");
  EXPECT_EQ(refusal_of(clusters, Parameter::Memory), "");
  problem.workload.change().platform.classes.push_back({"slow", DeviceKind::Accelerator, 1});
  for (Node& node : problem.workload.change().graph.nodes) node.time.push_back(9);
  EXPECT_EQ(refusal_of(problem, Parameter::Accelerators),
            "Sweep::parameter: accelerators cannot be varied: the platform has 2 classes of accelerators (accelerator, "
            "slow), so "
            "their number is not one number; what can be varied here: hosts, memory (of every accelerator), bandwidth");
  EXPECT_EQ(refusal_of(problem, Parameter::Bandwidth), "");
}

Sweep curve(const std::vector<double>& values, const std::vector<double>& bounds) {
  Sweep sweep;
  for (std::size_t i = 0; i < values.size(); ++i) {
    SweepPoint point{static_cast<double>(i + 1), std::to_string(i + 1), {}, 0};
    point.result.split.emplace();
    point.result.value = values[i];
    point.result.bound = bounds[i];
    sweep.points.push_back(point);
  }
  judge(sweep, "staged split");
  return sweep;
}

TEST(SweepVerdict, ProvedOrOnlyFound) {
  const Sweep proved = curve({10, 5, 4.98, 4.97}, {10, 5, 4.97, 4.96});
  EXPECT_EQ(proved.enough, 1u);
  EXPECT_EQ(proved.verdict,
            "2 accelerators are enough: 2 more gain 0.60 %, and no staged split could gain more than 0.81 %");
  EXPECT_EQ(curve({10, 5, 4.98, 4.97}, {10, 5, 4.97, 4}).verdict,
            "2 accelerators seem enough: 2 more gain 0.60 % as far as was found, but the bounds leave room for "
            "25.00 %");
  EXPECT_EQ(curve({10, 10}, {10, 10}).verdict,
            "1 accelerator is enough: 1 more gains nothing, and no staged split could gain anything");
  EXPECT_EQ(curve({10, 10}, {0, 0}).verdict,
            "1 accelerator seems enough: 1 more gains nothing as far as was found, but there is no bound on what they "
            "could gain");
}

TEST(SweepVerdict, AFlatStepIsNoEnd) {
  const Sweep sweep = curve({10, 10, 5}, {10, 10, 5});
  EXPECT_FALSE(sweep.enough);
  EXPECT_EQ(sweep.verdict, "more may pay: 3 accelerators gain 100.00 % over 2, and nothing beyond was tried");
  EXPECT_FALSE(curve({10}, {10}).enough);
}

}  // namespace
}  // namespace partita::detail::test
