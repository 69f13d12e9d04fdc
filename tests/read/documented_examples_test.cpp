// SPDX-License-Identifier: Apache-2.0
// The examples of docs/formats.md are what they claim to be: a workload, a platform, a plan of the workload, one for
// latency, one with copies, and the first plan in the seed format. The last are a comparison, a sweep and a simulation,
// which tests/cli/ looks at.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "partita/check/check.h"
#include "partita/read/split.h"
#include "partita/read/trace.h"
#include "partita/read/workload.h"
#include "tests/support/workloads.h"

namespace partita::detail {
namespace {

enum Example : std::size_t {
  kWorkload,
  kPlatform,
  kPlan,
  kLatencyPlan,
  kCopiesPlan,
  kSeed,
  kComparison,
  kSweep,
  kSimulation,
  kTrace,
  kExamples
};

std::vector<std::string> json_examples() {
  const std::ifstream file(source_folder() / "docs" / "formats.md");
  std::ostringstream buffer;
  buffer << file.rdbuf();
  const std::string text = buffer.str();
  const std::string opening = "```json\n";
  std::vector<std::string> examples;
  for (std::size_t at = text.find(opening); at != std::string::npos; at = text.find(opening, at)) {
    at += opening.size();
    examples.push_back(text.substr(at, text.find("```", at) - at));
  }
  EXPECT_EQ(examples.size(), kExamples);
  examples.resize(kExamples);
  return examples;
}

TEST(DocumentedExamples, TheSplitsAreLegalAndCostWhatTheySay) {
  const std::vector<std::string> examples = json_examples();
  Problem problem;
  problem.workload = parse_workload(examples[kWorkload], "the workload of docs/formats.md");
  for (const Example i : {kPlan, kLatencyPlan, kSeed}) {
    problem.objective = i == kLatencyPlan ? Objective::Latency : Objective::MaxLoad;
    problem.subgraphs = i == kLatencyPlan ? 2 : 1;
    const SplitListing listing = parse_split(examples[i], "a split of docs/formats.md");
    ASSERT_TRUE(listing.claimed_value);
    const CheckReport report = check(problem, listing);
    for (const Violation& violation : report.violations) ADD_FAILURE() << violation.message;
    EXPECT_NEAR(report.value, *listing.claimed_value, 1e-12);
  }
}

TEST(DocumentedExamples, TheTraceIsOneOfTheWorkload) {
  const RunTrace trace = parse_trace(json_examples()[kTrace], "the trace of docs/formats.md");
  EXPECT_EQ(trace.workload, "tiny");
  EXPECT_EQ(trace.schedule, "1f1b");
  EXPECT_EQ(trace.samples, 1u);
  ASSERT_EQ(trace.lanes.size(), 2u);
  EXPECT_EQ(trace.lanes[0].device, "host 0");
  EXPECT_EQ(trace.slices.size(), 4u);
}

TEST(DocumentedExamples, ThePlatformCanTakeTheWorkloadsPlace) {
  const std::vector<std::string> examples = json_examples();
  const PlatformSpec spec = parse_platform(examples[kPlatform], "the platform of docs/formats.md");
  const Workload workload = parse_workload(examples[kWorkload], "f", {.platform = spec});
  const Platform& platform = workload.platform;
  ASSERT_EQ(platform.classes.size(), 3u);
  EXPECT_EQ(platform.device_count(), 7u);
  EXPECT_EQ(platform.device_name(DeviceId(5)), "slow 1");
  EXPECT_EQ(platform.clusters->clusters.size(), 2u);
  EXPECT_EQ(platform.sync_bandwidth, 1.2e7);
  EXPECT_EQ(workload.graph.nodes[NodeId(1)].time, (std::vector<double>{1.5, 3, 80}));
}

TEST(DocumentedExamples, ThePlansItemsAreTheOnesRecomputed) {
  const std::vector<std::string> examples = json_examples();
  Problem problem;
  problem.workload = parse_workload(examples[kWorkload], "the workload of docs/formats.md");
  const CheckReport report = check(problem, parse_split(examples[kPlan], "the plan of docs/formats.md"));
  const nlohmann::json devices = nlohmann::json::parse(examples[kPlan])["devices"];
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

TEST(DocumentedExamples, ThePlanWithCopiesIsTheOneRecomputed) {
  const std::vector<std::string> examples = json_examples();
  Problem problem;
  problem.workload = parse_workload(examples[kWorkload], "the workload of docs/formats.md", {.sync_bandwidth = 1.2e10});
  problem.replicas = 2;
  problem.memory_model = MemoryModel::OneF1B;
  const SplitListing listing = parse_split(examples[kCopiesPlan], "the plan with copies of docs/formats.md");
  const CheckReport report = check(problem, listing);
  for (const Violation& violation : report.violations) ADD_FAILURE() << violation.message;
  ASSERT_TRUE(listing.claimed_value);
  EXPECT_NEAR(report.value, *listing.claimed_value, 1e-12);
  const nlohmann::json devices = nlohmann::json::parse(examples[kCopiesPlan])["devices"];
  ASSERT_EQ(devices.size(), report.devices.size());
  for (DeviceId d : report.devices.all()) {
    const nlohmann::json& device = devices[d.index()];
    EXPECT_DOUBLE_EQ(device["load"].get<double>(), report.load[d]);
    EXPECT_DOUBLE_EQ(device["compute"].get<double>(), report.devices[d].compute());
    EXPECT_DOUBLE_EQ(device["sync"].get<double>(), report.devices[d].sync);
    EXPECT_EQ(device["sharing"].get<std::size_t>(), report.devices[d].sharing);
    EXPECT_DOUBLE_EQ(device["memory"].get<double>(), report.devices[d].memory);
    EXPECT_DOUBLE_EQ(device["memory_parts"]["weights"].get<double>(), report.devices[d].memory_items.weights);
    EXPECT_EQ(device["memory_parts"]["in_flight"].get<std::size_t>(), report.devices[d].memory_items.in_flight);
  }
}

TEST(DocumentedExamples, TheScheduleIsTheOneRecomputed) {
  const std::vector<std::string> examples = json_examples();
  Problem problem;
  problem.workload = parse_workload(examples[kWorkload], "the workload of docs/formats.md");
  problem.objective = Objective::Latency;
  problem.subgraphs = 2;
  const CheckReport report = check(problem, parse_split(examples[kLatencyPlan], "the latency plan of docs/formats.md"));
  const nlohmann::json plan = nlohmann::json::parse(examples[kLatencyPlan]);
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
}  // namespace partita::detail
