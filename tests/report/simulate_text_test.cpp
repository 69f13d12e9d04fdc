// SPDX-License-Identifier: Apache-2.0
#include "partita/report/simulate_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "partita/report/simulate_json.h"
#include "tests/report/hand_made_simulation.h"

namespace partita::detail {
namespace {

TEST(SimulateText, SaysWhatWasRunAndWhatItTook) {
  const HandMade made = hand_made(4);
  ASSERT_TRUE(made.report.legal());
  ASSERT_EQ(made.report.value, 4);
  EXPECT_EQ(simulate_text(made.problem, made.report, made.simulation),
            "schedule 1f1b: 4 samples through 4 pieces\n"
            "\n"
            "time per sample  4     in steady state, as the plan promises\n"
            "throughput       0.25  samples per unit of time\n"
            "latency          8     from start to end of a sample in mid-stream\n"
            "warm-up          8     until the first sample is through\n"
            "drain            8     from the start of the last sample on\n"
            "makespan         20    until the last sample is through\n"
            "\n"
            "stage  device         compute      in     out    busy    idle  samples  in flight  memory\n"
            "    1  accelerator 0   60.0 %  10.0 %  10.0 %  80.0 %  20.0 %        4          2   100 B  <- bottleneck\n"
            "    2  accelerator 1   60.0 %  10.0 %  10.0 %  80.0 %  20.0 %        4          1    50 B\n");
}

TEST(SimulateText, TimesHaveTheirUnit) {
  HandMade made = hand_made(4);
  made.problem.workload.change().time_unit = "ms";
  const std::string text = simulate_text(made.problem, made.report, made.simulation);
  EXPECT_NE(text.find("time per sample  4 ms           in steady state"), std::string::npos) << text;
  EXPECT_NE(text.find("throughput       250 samples/s\n"), std::string::npos) << text;
  made.problem.workload.change().time_unit = "ticks";
  EXPECT_NE(simulate_text(made.problem, made.report, made.simulation).find("0.25      samples per ticks"),
            std::string::npos);
}

TEST(SimulateText, ABrokenPromiseHasItsReason) {
  HandMade made = hand_made(4);
  made.simulation.time_per_sample = 5;
  made.simulation.remark = "5 per sample is 1 (25%) above the formula's 4: for a reason";
  const std::string text = simulate_text(made.problem, made.report, made.simulation);
  EXPECT_NE(text.find("time per sample  5    in steady state\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\n5 per sample is 1 (25%) above the formula's 4: for a reason\n"), std::string::npos) << text;
}

TEST(SimulateText, AnAverageIsNoSteadyState) {
  HandMade made = hand_made(4);
  made.simulation.time_per_sample = 5;
  made.simulation.steady = false;
  const std::string text = simulate_text(made.problem, made.report, made.simulation);
  EXPECT_NE(text.find("5    on average; no steady state was reached; the formula says 4\n"), std::string::npos) << text;
}

TEST(SimulateText, DrainsWhereThereIsMoreThanOneSample) {
  const HandMade one = hand_made(1);
  const std::string text = simulate_text(one.problem, one.report, one.simulation);
  EXPECT_EQ(text.find("drain"), std::string::npos) << text;
  const HandMade two = hand_made(2);  // the last one starts before the first one is through
  const std::string longer = simulate_text(two.problem, two.report, two.simulation);
  EXPECT_NE(longer.find("drain            4     from the end of the warm-up on\n"), std::string::npos) << longer;
}

TEST(SimulateText, SaysWhereMemoryIsTooSmall) {
  HandMade made = hand_made(4);
  made.problem.workload.change().platform = make_platform(2, 60, 0);
  const std::string text = simulate_text(made.problem, made.report, made.simulation);
  EXPECT_NE(text.find("100 B  <- bottleneck, more memory than its 60 B\n"), std::string::npos) << text;
  EXPECT_NE(text.find(" 50 B\n"), std::string::npos) << text;
}

TEST(SimulateText, FitsATerminal) {
  HandMade made = hand_made(4);
  made.simulation.time_per_sample = 5;
  made.simulation.remark = "5 per sample is 1 (25%) above the formula's 4: for a reason that takes a few more words";
  const std::string text = simulate_text(made.problem, made.report, made.simulation, 80);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    EXPECT_LE(end - begin, 80u) << text.substr(begin, end - begin);
    begin = end + 1;
  }
  EXPECT_NE(text.find("<- bottleneck"), std::string::npos) << text;
}

TEST(SimulateText, AnotherSchedulesFormulaIsNotThePlansPromise) {
  HandMade made = hand_made(4);
  made.simulation.kind = ScheduleKind::GPipe;
  made.simulation.microbatches = 2;
  made.simulation.time_per_sample = 6;
  made.simulation.formula = 6;
  const std::string text = simulate_text(made.problem, made.report, made.simulation);
  EXPECT_NE(text.find("schedule gpipe in batches of 2: 4 samples"), std::string::npos) << text;
  EXPECT_NE(text.find("in steady state, as the schedule's formula says\n"), std::string::npos) << text;
  EXPECT_NE(text.find("until the first batch is through\n"), std::string::npos) << text;
}

TEST(SimulateText, CopiesFollowTheirOriginals) {
  HandMade made = hand_made(4);
  made.problem.workload.change().platform = make_platform(3, kUnlimited, 0);
  made.problem.replicas = 2;
  Split split = split_from_text(made.problem.workload, "a d | b c |");
  split.copy_of = {DeviceId(0), DeviceId(1), DeviceId(0)};
  made.report = check(made.problem, split);
  ASSERT_TRUE(made.report.legal());
  made.simulation.devices.push_back({1, 1, 1, 2, 5, 2, 1, 100});
  const std::string text = simulate_text(made.problem, made.report, made.simulation);
  const std::size_t original = text.find("    1  accelerator 0");
  const std::size_t copy = text.find("    1  accelerator 2    5.0 %   5.0 %   5.0 %  10.0 %  25.0 %");
  const std::size_t next = text.find("    2  accelerator 1");
  ASSERT_NE(copy, std::string::npos) << text;
  EXPECT_LT(original, copy);
  EXPECT_LT(copy, next);
}

TEST(SimulateJson, HoldsTheMeasurements) {
  const HandMade made = hand_made(4);
  const auto json = nlohmann::json::parse(simulate_json(made.problem, made.report, made.simulation));
  EXPECT_EQ(json["partita"]["format"], "simulation");
  EXPECT_EQ(json["partita"]["version"], 1);
  EXPECT_EQ(json["objective"], "max-load");
  EXPECT_EQ(json["value"], 4);
  EXPECT_EQ(json["schedule"], "1f1b");
  EXPECT_EQ(json["throughput"], 0.25);
  EXPECT_EQ(json["makespan"], 20);
  EXPECT_FALSE(json.contains("batch"));
  ASSERT_EQ(json["pieces"].size(), 4u);
  EXPECT_EQ(json["pieces"][2], nlohmann::json::parse(R"({"device": 1, "backward": true, "compute": 2.0, "in": 0.0,
                                                         "out": 0.5, "nodes": [3], "after": [1]})"));
  EXPECT_EQ(json["devices"][0], nlohmann::json::parse(R"({"name": "accelerator 0", "kind": "accelerator", "stage": 0,
      "compute": 12.0, "in": 2.0, "out": 2.0, "sync": 0.0, "busy": 16.0, "utilisation": 0.8, "samples": 4,
      "most_in_flight": 2, "peak_memory": 100})"));
}

}  // namespace
}  // namespace partita::detail
