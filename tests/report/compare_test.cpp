// SPDX-License-Identifier: Apache-2.0
// Comparisons as tables, Markdown and JSON, from runs made by hand.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "partita/report/compare_json.h"
#include "partita/report/compare_text.h"

namespace partita::detail {
namespace {

using Outcome = AlgorithmRun::Outcome;

AlgorithmRun found(const std::string& algorithm, double value, bool baseline = true) {
  AlgorithmRun run;
  run.algorithm = algorithm;
  run.baseline = baseline;
  run.outcome = Outcome::Split;
  run.value = value;
  run.legal = true;
  run.shape = Shape::Staged;
  run.seconds = 0.5;
  return run;
}

AlgorithmRun proved(const std::string& algorithm, double value) {
  AlgorithmRun run = found(algorithm, value, false);
  run.bound = value;
  run.bound_shape = Shape::Staged;
  run.optimal = true;
  run.proof = "exhaustive search";
  return run;
}

AlgorithmRun broken(const std::string& algorithm, double value) {
  AlgorithmRun run = found(algorithm, value);
  run.legal = false;
  run.fault = "over memory by 1.0 GiB";
  run.violations = {"accelerator 0: too much"};
  run.violation_count = 1;
  return run;
}

AlgorithmRun left_out(const std::string& algorithm, const std::string& reason) {
  AlgorithmRun run;
  run.algorithm = algorithm;
  run.reason = reason;
  return run;
}

Comparison comparison(const std::string& name, std::vector<AlgorithmRun> runs) {
  Comparison result;
  result.name = name;
  result.subject = name + ": 4 nodes";
  result.nodes = 4;
  result.edges = 3;
  result.runs = std::move(runs);
  return result;
}

const Comparison kOne =
    comparison("a", {proved("dp", 2), found("greedy", 4), broken("single", 1), left_out("free", "x")});
const Comparison kTwo =
    comparison("b", {proved("dp", 4), found("greedy", 4), broken("single", 8), left_out("free", "x")});

TEST(Comparison, RatiosAreToTheBestLegalSplit) {
  EXPECT_EQ(kOne.best(), 2);
  EXPECT_EQ(kOne.ratio(kOne.runs[1]), 2);
  EXPECT_EQ(kOne.ratio(kOne.runs[2]), 0.5);
  EXPECT_EQ(kOne.ratio(kOne.runs[3]), std::nullopt);
  EXPECT_EQ(comparison("c", {broken("single", 1)}).ratio(broken("single", 1)), std::nullopt);
  EXPECT_EQ(comparison("d", {found("dp", 0)}).ratio(found("dp", 0)), 1);
}

TEST(Comparison, MeansAreGeometric) {
  EXPECT_NEAR(mean_ratio({kOne, kTwo}, "greedy")->ratio, std::sqrt(2), 1e-12);
  EXPECT_NEAR(mean_ratio({kOne, kTwo}, "single")->ratio, 1, 1e-12);
  EXPECT_FALSE(mean_ratio({kOne, kTwo}, "single")->legal);
  EXPECT_FALSE(mean_ratio({kOne, kTwo}, "free"));
}

TEST(CompareText, OneWorkload) {
  EXPECT_EQ(compare_text({kOne}, {}),
            "a: 4 nodes\n"
            "max-load, staged splits.\n"
            "\n"
            "algorithm     value  ratio    time    bound  gap  shape   remarks\n"
            "dp         2.00000=  1.000  0.50 s  2.00000  0 %  staged  optimal\n"
            "greedy     4.00000   2.000  0.50 s        -    -  staged\n"
            "single     1.00000*  0.500  0.50 s        -    -  staged  over memory by 1.0 GiB\n"
            "\n"
            "bound: no staged split is below it, where the remarks say nothing else\n"
            "\n"
            "not run: free (x)\n");
}

TEST(CompareText, ValuesHaveTheirUnit) {
  Comparison timed = kOne;
  timed.time_unit = "ms";
  EXPECT_NE(compare_text({timed}, {}).find("algorithm  value [ms]  ratio"), std::string::npos);
  EXPECT_NE(compare_text({timed, timed}, {}).find("staged splits; values in ms; ="), std::string::npos);
  EXPECT_EQ(compare_text({timed, kTwo}, {}).find("values in"), std::string::npos);
}

TEST(CompareText, TimesCanBeLeftOut) {
  const std::string text = compare_text({kOne}, {.times = false});
  EXPECT_EQ(text.find("time "), std::string::npos);
  EXPECT_EQ(text.find(" s "), std::string::npos);
  EXPECT_EQ(compare_text({kOne, kTwo}, {.times = false}).find("Times"), std::string::npos);
}

TEST(CompareText, SeveralWorkloads) {
  EXPECT_EQ(compare_text({kOne, kTwo}, {}),
            "2 workloads: max-load, staged splits; = proved optimal, * breaks a rule, (n) over n workloads.\n"
            "\n"
            "workload                        dp    greedy    single\n"
            "a                         2.00000=  4.00000   1.00000*\n"
            "b                         4.00000=  4.00000   8.00000*\n"
            "geometric mean of ratios    1.000     1.414     1.000*\n"
            "\n"
            "Times:\n"
            "\n"
            "workload      dp  greedy  single\n"
            "a         0.50 s  0.50 s  0.50 s\n"
            "b         0.50 s  0.50 s  0.50 s\n"
            "\n"
            "single, everywhere: over memory by 1.0 GiB\n");
}

TEST(CompareText, NoLineIsWiderThanTheTerminal) {
  Comparison wide = kOne;
  wide.runs[2].fault = "over memory by 1.0 GiB; nodes where they cannot run, on 3 devices; not staged";
  for (const std::size_t width : {40u, 60u, 70u, 80u, 100u}) {
    for (const auto& comparisons : {std::vector{wide}, std::vector{wide, kTwo}}) {
      std::size_t column = 0;
      for (const char c : compare_text(comparisons, {.width = width})) {
        column = c == '\n' ? 0 : column + 1;
        ASSERT_LE(column, width);
      }
    }
  }
}

TEST(CompareText, Markdown) {
  const std::string text = compare_text({kOne, kTwo}, {.markdown = true});
  EXPECT_NE(text.find("| a                        | **2.00000=** |     4.00000 | 1.00000\\* |\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("| workload "), std::string::npos);
  EXPECT_NE(text.find("- single, everywhere: over memory"), std::string::npos);
}

TEST(CompareText, BoundsOfNarrowerShapesAreCalledThat) {
  Comparison free = kOne;
  free.shape = Shape::Free;
  const std::string text = compare_text({free}, {});
  EXPECT_NE(text.find("best of all staged splits"), std::string::npos) << text;
  EXPECT_EQ(text.find("="), std::string::npos) << text;
}

TEST(CompareJson, HoldsWhatTheTableShows) {
  const auto json = nlohmann::json::parse(compare_json(Problem{}, {kOne, kTwo}, {10, 7, true}));
  EXPECT_EQ(json["partita"]["format"], "comparison");
  EXPECT_EQ(json["partita"]["version"], 1);
  EXPECT_EQ(json["seed"], 7);
  const auto& runs = json["workloads"][0]["algorithms"];
  EXPECT_EQ(runs[0]["value"], 2);
  EXPECT_EQ(runs[0]["optimal"], true);
  EXPECT_EQ(runs[1]["ratio"], 2);
  EXPECT_FALSE(runs[1].contains("bound"));
  EXPECT_EQ(runs[2]["fault"], "over memory by 1.0 GiB");
  EXPECT_EQ(runs[3]["outcome"], "not-applicable");
  EXPECT_EQ(json["geometric_means"][2]["legal"], false);
  const auto timeless = nlohmann::json::parse(compare_json(Problem{}, {kOne}, {10, 7, false}));
  EXPECT_FALSE(timeless["workloads"][0]["algorithms"][0].contains("seconds"));
}

TEST(CompareJson, WhatIsInfiniteIsNull) {
  Comparison waits = comparison("w", {broken("single", std::numeric_limits<double>::infinity())});
  const auto json =
      nlohmann::json::parse(compare_json(Problem{}, {waits}, {std::numeric_limits<double>::infinity(), 1, true}));
  EXPECT_TRUE(json["time_limit"].is_null());
  EXPECT_TRUE(json["workloads"][0]["best"].is_null());
  EXPECT_TRUE(json["workloads"][0]["algorithms"][0]["value"].is_null());
}

TEST(ComparisonAnswer, IsTheBestLegalSplitWithTheBestBoundThatHolds) {
  const auto with_split = [](AlgorithmRun run, std::size_t device) {
    run.split = Split{{DeviceId(device)}, {}};
    return run;
  };
  AlgorithmRun narrow = with_split(proved("dp", 4), 0);
  AlgorithmRun wide = with_split(found("free", 3, false), 1);
  wide.bound = 2;
  wide.bound_shape = Shape::Free;
  wide.proof = "a relaxation";
  Comparison both = comparison("x", {with_split(broken("scotch", 1), 2), narrow, wide});
  both.shape = Shape::Free;  // what was proved of staged splits says nothing of free ones
  const Result answer = both.answer();
  EXPECT_EQ(answer.status, Status::Feasible);
  EXPECT_EQ(answer.split->device_of[NodeId(0)], DeviceId(1));
  EXPECT_EQ(answer.value, 3);
  EXPECT_EQ(answer.bound, 2);
  EXPECT_EQ(answer.proof, "a relaxation");
  EXPECT_EQ(answer.seconds, 1.5);

  both.shape = Shape::Staged;  // and what was proved of free splits holds for staged ones
  both.runs.pop_back();
  EXPECT_EQ(both.answer().status, Status::Optimal);
  EXPECT_EQ(both.answer().bound, 4);
}

TEST(ComparisonAnswer, SaysWhyThereIsNoSplit) {
  Comparison none = comparison("x", {broken("scotch", 1), left_out("ip", "too big")});
  EXPECT_EQ(none.answer().status, Status::Unknown);
  EXPECT_EQ(none.answer().reason, "no algorithm found a legal split");
  none.runs[1].outcome = Outcome::Infeasible;
  none.runs[1].reason = "memory";
  EXPECT_EQ(none.answer().status, Status::Infeasible);
  EXPECT_EQ(none.answer().reason, "memory");
  EXPECT_FALSE(none.answer().split);
}

}  // namespace
}  // namespace partita::detail
