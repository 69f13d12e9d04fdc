// SPDX-License-Identifier: Apache-2.0
// The registry: every algorithm answers or says why not, and `check` has the last word on what it found.
#include "partita/compare/algorithms.h"

#include <gtest/gtest.h>

#include <set>

#include "partita/check/check.h"
#include "partita/compare/compare.h"
#include "partita/util/error.h"
#include "tests/support/cases.h"
#include "tests/support/graph_text.h"
#include "tests/support/random_setup.h"

namespace partita::detail::test {
namespace {

using Outcome = AlgorithmRun::Outcome;

// A chain on two accelerators: 2.1 is the best staged value.
Workload chain(double memory = kUnlimited) {
  return graph_from_text(
      "a 1 10 mem=1 out=0.1; b 1 10 mem=1 out=0.1; c 1 10 mem=1 out=0.1; d 1 10 mem=1; "
      "a -> b -> c -> d",
      2, memory, 1);
}

Comparison run_all(const Problem& problem, std::vector<std::string> names = {}, double seconds = 5) {
  Budget budget;
  CompareOptions options;
  options.algorithms = std::move(names);
  options.seconds = seconds;
  return compare(problem, options, budget);
}

const AlgorithmRun& run_of(const Comparison& comparison, const std::string& name) {
  for (const AlgorithmRun& run : comparison.runs) {
    if (run.algorithm == name) return run;
  }
  throw std::invalid_argument("no run of " + name);
}

TEST(Algorithms, NamesAreUniqueAndFound) {
  std::set<std::string_view> names;
  bool baselines = false;
  for (const AlgorithmEntry& entry : algorithms()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_EQ(find_algorithm(entry.name), &entry);
    EXPECT_FALSE(entry.summary.empty());
    EXPECT_TRUE(entry.baseline || !baselines) << entry.name << ": solvers come before baselines";
    baselines = baselines || entry.baseline;
  }
  EXPECT_EQ(find_algorithm("no such thing"), nullptr);
}

TEST(Algorithms, ExactOnesAgreeOnAChain) {
  const Comparison comparison = run_all(Problem{chain()});
  EXPECT_NEAR(comparison.best(), 2.1, 1e-9);
  for (const char* name : {"dp", "ip-staged"}) {
    EXPECT_TRUE(run_of(comparison, name).optimal) << name;
    EXPECT_NEAR(run_of(comparison, name).value, 2.1, 1e-9) << name;
  }
  EXPECT_NEAR(run_of(comparison, "greedy").value, 4, 1e-9);
  EXPECT_NEAR(*comparison.ratio(run_of(comparison, "greedy")), 4 / 2.1, 1e-9);
}

TEST(Algorithms, WiderShapesAreLeftOutUnlessNamed) {
  const Comparison all = run_all(Problem{chain()});
  EXPECT_EQ(run_of(all, "free").outcome, Outcome::NotApplicable);
  EXPECT_EQ(run_of(all, "auto").reason, "the same as dp");
  const Comparison named = run_all(Problem{chain()}, {"free", "latency"});
  ASSERT_EQ(named.runs.size(), 2u);
  EXPECT_EQ(named.runs[0].outcome, Outcome::Split);
  EXPECT_EQ(named.runs[1].outcome, Outcome::NotApplicable);
  EXPECT_NE(named.runs[1].reason, "");
}

TEST(Algorithms, ASplitThatBreaksARuleIsMarkedAndNotTheBest) {
  // Alternating costs: b and d together save transfers, but that is no pipeline.
  Problem problem{graph_from_text("a 4 -; b 1 -; c 4 -; d 1 -; a -> b : 0; b -> c : 0; c -> d : 0", 2, kUnlimited, 0)};
  const Comparison comparison = run_all(problem, {"dp", "free"});
  const AlgorithmRun& free = run_of(comparison, "free");
  const AlgorithmRun& staged = run_of(comparison, "dp");
  EXPECT_LE(free.value, staged.value);
  EXPECT_EQ(free.bound_shape, Shape::Free);
  if (!free.legal) {
    EXPECT_EQ(free.fault, "not staged");
    EXPECT_NE(free.shape, Shape::Staged);
    EXPECT_FALSE(free.violations.empty());
  }
  EXPECT_EQ(comparison.best(), free.legal ? free.value : staged.value);
}

TEST(Algorithms, InfeasibleIsSaidOnlyOfTheShapeAsked) {
  Problem problem{chain(1)};
  problem.workload.change().platform = make_platform(2, 1, 0);
  const Comparison comparison = run_all(problem, {"dp", "greedy"});
  EXPECT_TRUE(comparison.infeasible());
  EXPECT_EQ(run_of(comparison, "dp").outcome, Outcome::Infeasible);
  EXPECT_EQ(run_of(comparison, "greedy").outcome, Outcome::NoSplit);
  problem.shape = Shape::Free;
  EXPECT_EQ(run_of(run_all(problem, {"dp"}), "dp").outcome, Outcome::NoSplit);
}

TEST(Algorithms, TransfersAndCoresDecideWhoAnswers) {
  Problem overlap{chain()};
  overlap.transfers = TransferMode::Overlap;
  EXPECT_EQ(refusal(*find_algorithm("local-search"), overlap, {}), "");
  EXPECT_EQ(refusal(*find_algorithm("dp"), overlap, {}), "");
  EXPECT_EQ(refusal(*find_algorithm("ip-staged"), overlap, {}), "");
  Problem strict{chain()};
  strict.objective = Objective::Latency;
  strict.strict_host_cores = true;
  EXPECT_NE(refusal(*find_algorithm("ip-latency"), strict, {}), "");
  EXPECT_EQ(refusal(*find_algorithm("latency"), strict, {}), "");
  EXPECT_FALSE(serves(*find_algorithm("dp"), strict));
}

TEST(Algorithms, AutoIsLeftOutWhereAnotherIsTheSameSearch) {
  const auto why = [](const Problem& problem) { return left_out(*find_algorithm("auto"), problem, {}); };
  const Workload training = graph_from_text("a 1 9; b 1 9; B 1 9 back; A 1 9 back; a -> b -> B -> A", 2);
  for (const TransferMode transfers : {TransferMode::Sum, TransferMode::Overlap, TransferMode::Duplex}) {
    EXPECT_EQ(why({training, {.transfers = transfers}}), "the same as dp");
    EXPECT_EQ(why({training, {.shape = Shape::Contiguous, .transfers = transfers}}), "the same as contiguous");
    EXPECT_EQ(why({training, {.objective = Objective::GPipe, .shape = Shape::Free, .transfers = transfers}}),
              "the same as free");
    EXPECT_EQ(why({chain(), {.objective = Objective::GPipe, .transfers = transfers}}), "the same as dp");
    EXPECT_EQ(why({training, {.objective = Objective::GPipe, .transfers = transfers}}),
              transfers == TransferMode::Sum ? "the same as dp" : "");
  }
  EXPECT_EQ(why({chain(), {.objective = Objective::Latency}}), "the same as latency");
}

// Whoever answers is measured, nobody's split is below another's bound, and who has no answer says why.
TEST(Algorithms, UnequalDevicesAreCompared) {
  std::size_t legal = 0;
  for (std::uint64_t seed = 1; seed <= cases(12); ++seed) {
    SetupFeatures features = SetupFeatures::none();
    features.classes = features.transfers = features.gpipe = true;
    Problem problem = random_setup(seed, features);
    if (seed % 3 == 0) problem.objective = Objective::Latency;
    problem.shape = seed % 2 == 0 ? Shape::Staged : Shape::Free;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + describe(problem));
    const Comparison comparison = run_all(problem, {}, 2);
    for (const char* name : {"greedy", "single", "even-layers", "local-search", "pipedream", "scotch", "metis"}) {
      if (!refusal(*find_algorithm(name), problem, {}).empty()) continue;  // another objective, or not in this build
      const AlgorithmRun& run = run_of(comparison, name);
      EXPECT_TRUE(run.outcome == Outcome::Split || run.outcome == Outcome::NoSplit) << name << ": " << run.reason;
      legal += run.legal;
    }
    for (const AlgorithmRun& run : comparison.runs) EXPECT_TRUE(run.outcome == Outcome::Split || run.reason != "");
  }
  EXPECT_GT(legal, cases(12) / 2);
}

TEST(Algorithms, BaselinesMindTheModeAndTheClasses) {
  // Twice as fast, and a chain of six equal nodes whose transfers hide behind work: four nodes and two.
  Platform platform;
  platform.classes = {{"fast", DeviceKind::Accelerator, 1}, {"slow", DeviceKind::Accelerator, 1}};
  Problem problem{
      graph_from_text("a 1 -; b 1 -; c 1 -; d 1 -; e 1 -; f 1 -; a -> b -> c -> d -> e -> f : 3", platform)};
  for (Node& node : problem.workload.change().graph.nodes) node.time = {1, 2};
  problem.transfers = TransferMode::Overlap;
  const Comparison comparison = run_all(problem, {"dp", "local-search", "pipedream", "scotch", "metis"});
  EXPECT_NEAR(run_of(comparison, "dp").value, 4, 1e-9);
  EXPECT_NEAR(run_of(comparison, "pipedream").value, 4, 1e-9);
  for (const char* name : {"local-search", "scotch", "metis"}) {
    const AlgorithmRun& run = run_of(comparison, name);
    if (!refusal(*find_algorithm(name), problem, {}).empty()) continue;
    ASSERT_EQ(run.outcome, Outcome::Split) << name << ": " << run.reason;
    EXPECT_GE(run.value, 4 - 1e-9) << name;
    EXPECT_LE(run.value, 6 + 1e-9) << name;  // all of it on the fast one
  }
}

TEST(Algorithms, UnknownNamesAreRefused) {
  try {
    run_all(Problem{chain()}, {"dp", "simplex"});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Usage);
    EXPECT_NE(std::string(error.what()).find("simplex"), std::string::npos);
  }
}

TEST(Algorithms, ACancelledBudgetLeavesTheRestOut) {
  Budget budget;
  budget.cancel();
  const Comparison comparison = compare(Problem{chain()}, {}, budget);
  EXPECT_EQ(run_of(comparison, "dp").outcome, Outcome::Interrupted);
}

// Every algorithm on random problems: no exception, and values that no bound refutes (compare() would throw).
TEST(Algorithms, AllOfThemOnRandomProblems) {
  for (std::uint64_t seed = 1; seed <= cases(12); ++seed) {
    for (const Objective objective : {Objective::MaxLoad, Objective::GPipe, Objective::Latency}) {
      Problem problem{random_workload(seed)};
      problem.objective = objective;
      problem.shape = seed % 3 == 0 ? Shape::Staged : seed % 3 == 1 ? Shape::Contiguous : Shape::Free;
      SCOPED_TRACE(seed);
      std::vector<std::string> names;
      for (const AlgorithmEntry& entry : algorithms()) names.emplace_back(entry.name);
      const Comparison comparison = run_all(problem, names, 0.2);
      for (const AlgorithmRun& run : comparison.runs) {
        EXPECT_EQ(run.legal, run.outcome == Outcome::Split && run.fault.empty()) << run.algorithm;
        EXPECT_TRUE(!run.legal || !run.shape || implies(*run.shape, problem.shape)) << run.algorithm;
      }
    }
  }
}

}  // namespace
}  // namespace partita::detail::test
