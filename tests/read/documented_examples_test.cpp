// SPDX-License-Identifier: Apache-2.0
// The examples of docs/formats.md are what they claim to be: a workload, a plan of it, a plan for latency, and the
// first plan in the seed format. The last is a comparison, which tests/cli/test_compare.py looks at.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "partita/check/check.h"
#include "partita/read/split.h"
#include "partita/read/workload.h"

namespace partita {
namespace {

std::vector<std::string> json_examples() {
  const std::ifstream file(std::string(PARTITA_SOURCE_DIR) + "/docs/formats.md");
  std::ostringstream buffer;
  buffer << file.rdbuf();
  const std::string text = buffer.str();
  const std::string opening = "```json\n";
  std::vector<std::string> examples;
  for (std::size_t at = text.find(opening); at != std::string::npos; at = text.find(opening, at)) {
    at += opening.size();
    examples.push_back(text.substr(at, text.find("```", at) - at));
  }
  return examples;
}

TEST(DocumentedExamples, TheSplitsAreLegalAndCostWhatTheySay) {
  const std::vector<std::string> examples = json_examples();
  ASSERT_EQ(examples.size(), 5u);
  Problem problem;
  problem.workload = parse_workload(examples[0], "the workload of docs/formats.md");
  for (std::size_t i : {1u, 2u, 3u}) {
    problem.objective = i == 2 ? Objective::Latency : Objective::MaxLoad;
    problem.subgraphs = i == 2 ? 2 : 1;
    const SplitListing listing = parse_split(examples[i], "a split of docs/formats.md");
    ASSERT_TRUE(listing.claimed_value);
    const CheckReport report = check(problem, listing);
    for (const Violation& violation : report.violations) ADD_FAILURE() << violation.message;
    EXPECT_NEAR(report.value, *listing.claimed_value, 1e-12);
  }
}

TEST(DocumentedExamples, ThePlansItemsAreTheOnesRecomputed) {
  const std::vector<std::string> examples = json_examples();
  ASSERT_EQ(examples.size(), 5u);
  Problem problem;
  problem.workload = parse_workload(examples[0], "the workload of docs/formats.md");
  const CheckReport report = check(problem, parse_split(examples[1], "the plan of docs/formats.md"));
  const nlohmann::json devices = nlohmann::json::parse(examples[1])["devices"];
  ASSERT_EQ(devices.size(), report.devices.size());
  for (DeviceId d : report.devices.all()) {
    const nlohmann::json& device = devices[d.index()];
    EXPECT_DOUBLE_EQ(device["load"].get<double>(), report.load[d]);
    EXPECT_DOUBLE_EQ(device["compute"].get<double>(), report.devices[d].compute());
    EXPECT_DOUBLE_EQ(device["in"].get<double>(), report.devices[d].in());
    EXPECT_DOUBLE_EQ(device["out"].get<double>(), report.devices[d].out());
    EXPECT_DOUBLE_EQ(device["memory"].get<double>(), report.devices[d].memory);
    EXPECT_DOUBLE_EQ(device["forward"]["compute"].get<double>(), report.devices[d].forward.compute);
    EXPECT_DOUBLE_EQ(device["backward"]["compute"].get<double>(), report.devices[d].backward.compute);
  }
}

TEST(DocumentedExamples, TheScheduleIsTheOneRecomputed) {
  const std::vector<std::string> examples = json_examples();
  ASSERT_EQ(examples.size(), 5u);
  Problem problem;
  problem.workload = parse_workload(examples[0], "the workload of docs/formats.md");
  problem.objective = Objective::Latency;
  problem.subgraphs = 2;
  const CheckReport report = check(problem, parse_split(examples[2], "the latency plan of docs/formats.md"));
  const nlohmann::json plan = nlohmann::json::parse(examples[2]);
  EXPECT_EQ(plan["host_cores"]["busy"], report.host_cores);
  ASSERT_EQ(plan["schedule"].size(), report.schedule.size());
  for (std::size_t i = 0; i < report.schedule.size(); ++i) {
    const ScheduleStep& step = report.schedule[i];
    const nlohmann::json& shown = plan["schedule"][i];
    EXPECT_EQ(shown["device"], step.device.index());
    EXPECT_EQ(shown.contains("node"), step.node.valid());
    EXPECT_EQ(shown.value("backward", false), step.backward);
    EXPECT_NEAR(shown["start"].get<double>(), step.start, 1e-12);
    EXPECT_NEAR(shown["finish"].get<double>(), step.finish, 1e-12);
  }
}

}  // namespace
}  // namespace partita
