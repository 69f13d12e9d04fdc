// SPDX-License-Identifier: Apache-2.0
#include "partita/report/plan_json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "partita/read/split.h"
#include "partita/read/workload.h"
#include "partita/report/workload_json.h"
#include "partita/util/error.h"
#include "partita/util/version.h"
#include "tests/support/cases.h"
#include "tests/support/random_setup.h"
#include "tests/support/random_split.h"

namespace partita::detail {
namespace {

using OrderedJson = nlohmann::ordered_json;

// A chain 10 -> 7 -> 30 and a backward node 8; 10 and 8 on accelerator 1, 7 on accelerator 0, 30 on the host.
// Accelerator 2 stays empty. The file's order is not the order of the ids.
class PlanJson : public testing::Test {
 protected:
  PlanJson() {
    problem.workload.change().name = "chain";
    problem.workload.change().platform = make_platform(3, 1000, 1);
    const auto add = [this](std::int64_t id, bool backward) {
      Node node;
      node.original_id = id;
      node.time = {1, 2};
      node.backward = backward;
      return problem.workload.change().graph.nodes.push_back(node);
    };
    const NodeId a = add(10, false);
    const NodeId b = add(7, false);
    const NodeId c = add(30, false);
    const NodeId d = add(8, true);
    problem.workload.change().graph.edges = {{a, b, 0.5}, {b, c, 0.25}, {c, d, 0}};
    Split split;
    split.device_of = {DeviceId(1), DeviceId(0), DeviceId(3), DeviceId(1)};
    split.order = {DeviceId(1), DeviceId(0), DeviceId(3)};
    result.status = Status::Feasible;
    result.split = split;
    result.value = 2.1;
    result.bound = 1.05;
    result.proof = "by hand";
    result.seconds = 0.5;
    result.seed = 42;
    report.devices.resize(4);
    report.load = {1.75, 2.1, 0, 2};
    DeviceReport& first = report.devices[DeviceId(1)];
    first.forward = {1, 0, 0.5};
    first.backward = {0.6, 0, 0};
    first.memory = 123.5;
    first.node_count = 2;
    DeviceReport& second = report.devices[DeviceId(0)];
    second.forward = {1, 0.5, 0.25};
    second.memory = 64;
    second.node_count = 1;
    report.value = 2.1;
    report.bottleneck = DeviceId(1);
  }

  OrderedJson plan() const { return OrderedJson::parse(plan_json(problem, result, report)); }

  Problem problem;
  Result result;
  CheckReport report;
};

TEST_F(PlanJson, HeaderNamesFormatAndVersions) {
  const OrderedJson expected = {{"format", "plan"}, {"version", 1}, {"program_version", version()}};
  EXPECT_EQ(plan().at("partita"), expected);
  EXPECT_EQ(plan().begin().key(), "partita");
}

TEST_F(PlanJson, HoldsItsWholeQuestion) {
  problem.workload.change().time_unit = "ms";
  problem.replicas = 2;
  problem.workload.change().platform.sync_bandwidth = 64;
  const OrderedJson json =
      OrderedJson::parse(plan_json(problem, result, report, {problem.workload->platform, {2.5, 1}}));
  EXPECT_EQ(json.at("time_unit"), "ms");
  const std::optional<PlanQuestion> question = parse_question(json.dump(), "plan");
  ASSERT_TRUE(question && question->devices);
  EXPECT_EQ(question->asked.replicas, 2);
  const Platform& platform = question->devices->platform;
  ASSERT_EQ(platform.classes.size(), 2u);
  EXPECT_EQ(platform.classes[ClassId(0)].count, 3);
  EXPECT_EQ(platform.classes[ClassId(0)].memory, 1000);
  EXPECT_EQ(platform.classes[ClassId(1)].memory, kUnlimited);
  EXPECT_EQ(platform.sync_bandwidth, 64);
  EXPECT_EQ(question->devices->time_factor, (IdVector<ClassId, double>{2.5, 1}));
}

TEST_F(PlanJson, SaysWhatTheSplitIsWorth) {
  const OrderedJson json = plan();
  EXPECT_EQ(json.at("speed_up"),
            OrderedJson::parse(R"({"factor": 1.9047619047619047, "one_device": 4.0, "class": "accelerator",
                                               "devices": 3})"));
  EXPECT_FALSE(json.contains("lone_bottleneck"));
  EXPECT_EQ(json.at("bound_verified"), true);
  problem.workload.change().graph.nodes[NodeId(2)].time = {2.1, 30};
  result.unverified = true;
  EXPECT_EQ(plan().at("lone_bottleneck"), OrderedJson::parse(R"({"nodes": [30], "class": "accelerator"})"));
  EXPECT_EQ(plan().at("bound_verified"), false);
}

TEST_F(PlanJson, SaysWhatWasAskedAndAnswered) {
  const OrderedJson json = plan();
  EXPECT_EQ(json.at("workload"), "chain");
  EXPECT_EQ(json.at("objective"), "max-load");
  EXPECT_EQ(json.at("shape"), "staged");
  EXPECT_EQ(json.at("transfers"), "sum");
  EXPECT_EQ(json.at("backward_shape"), false);
  EXPECT_EQ(json.at("status"), "feasible");
  EXPECT_EQ(json.at("value").get<double>(), 2.1);
  EXPECT_EQ(json.at("bound").get<double>(), 1.05);
  EXPECT_EQ(json.at("gap").get<double>(), 0.5);
  EXPECT_EQ(json.at("seconds"), 0.5);
  EXPECT_EQ(json.at("seed"), 42);
  EXPECT_EQ(json.at("proof"), "by hand");
  EXPECT_FALSE(json.contains("reason"));
}

TEST_F(PlanJson, ListsEveryDeviceWithItsLoadItemised) {
  const OrderedJson devices = plan().at("devices");
  ASSERT_EQ(devices.size(), 4);
  const OrderedJson& second = devices[1];
  EXPECT_EQ(second.at("name"), "accelerator 1");
  EXPECT_EQ(second.at("kind"), "accelerator");
  EXPECT_EQ(second.at("index"), 1);
  EXPECT_EQ(second.at("stage"), 0);
  EXPECT_EQ(second.at("load").get<double>(), 2.1);
  EXPECT_EQ(second.at("compute").get<double>(), 1.6);
  EXPECT_EQ(second.at("in").get<double>(), 0);
  EXPECT_EQ(second.at("out").get<double>(), 0.5);
  EXPECT_EQ(second.at("forward"), OrderedJson({{"compute", 1.0}, {"in", 0.0}, {"out", 0.5}}));
  EXPECT_EQ(second.at("backward"), OrderedJson({{"compute", 0.6}, {"in", 0.0}, {"out", 0.0}}));
  EXPECT_EQ(second.at("memory").get<double>(), 123.5);
  EXPECT_EQ(second.at("memory_limit"), 1000);
  EXPECT_EQ(second.at("nodes"), OrderedJson({10, 8}));
}

TEST_F(PlanJson, EmptyDevicesHaveNoStageAndHostsNoLimit) {
  const OrderedJson devices = plan().at("devices");
  EXPECT_TRUE(devices[2].at("stage").is_null());
  EXPECT_EQ(devices[2].at("nodes"), OrderedJson::array());
  EXPECT_EQ(devices[3].at("kind"), "host");
  EXPECT_EQ(devices[3].at("index"), 0);
  EXPECT_EQ(devices[3].at("stage"), 2);
  EXPECT_TRUE(devices[3].at("memory_limit").is_null());
}

TEST_F(PlanJson, AssignmentPointsIntoDevices) {
  const OrderedJson expected = {{"10", 1}, {"7", 0}, {"30", 3}, {"8", 1}};
  EXPECT_EQ(plan().at("assignment"), expected);
}

TEST_F(PlanJson, PassesAreLeftOutWithoutABackwardPart) {
  problem.workload.change().graph.nodes[NodeId(3)].backward = false;
  EXPECT_FALSE(plan().at("devices")[0].contains("forward"));
  EXPECT_FALSE(plan().at("devices")[0].contains("backward"));
}

TEST_F(PlanJson, WithoutASplitThereIsAReasonAndNothingInvented) {
  result.status = Status::Infeasible;
  result.split.reset();
  result.value = std::numeric_limits<double>::infinity();
  result.bound = std::numeric_limits<double>::infinity();
  result.reason = "node 7 fits nowhere";
  const OrderedJson json = OrderedJson::parse(plan_json(problem, result, CheckReport{}));
  EXPECT_EQ(json.at("status"), "infeasible");
  EXPECT_EQ(json.at("reason"), "node 7 fits nowhere");
  EXPECT_TRUE(json.at("value").is_null());
  EXPECT_TRUE(json.at("bound").is_null());
  EXPECT_TRUE(json.at("gap").is_null());
  EXPECT_EQ(json.at("devices"), OrderedJson::array());
  EXPECT_EQ(json.at("assignment"), OrderedJson::object());
}

TEST_F(PlanJson, NumbersSurviveTheRoundTrip) {
  result.value = 0.1 + 0.2;
  result.bound = 1.0 / 3;
  EXPECT_EQ(plan().at("value").get<double>(), 0.1 + 0.2);
  EXPECT_EQ(plan().at("bound").get<double>(), 1.0 / 3);
}

TEST_F(PlanJson, NamesThatAreNotUtf8AreMended) {
  problem.workload.change().name = "caf\xe9";
  EXPECT_EQ(plan().at("workload"), "caf\xef\xbf\xbd");
}

TEST_F(PlanJson, NodeListsStayOnOneLine) {
  EXPECT_NE(plan_json(problem, result, report).find("\"nodes\": [10, 8]\n"), std::string::npos);
}

TEST_F(PlanJson, SeedFormatListsAllDevicesByKind) {
  const OrderedJson seed = OrderedJson::parse(seed_json(problem, result, report));
  EXPECT_EQ(seed.at("maxLoad").get<double>(), 2.1);
  ASSERT_EQ(seed.at("fpgas").size(), 3);
  ASSERT_EQ(seed.at("cpus").size(), 1);
  EXPECT_EQ(seed.at("fpgas")[0], OrderedJson({{"load", 1.75}, {"nodes", {7}}}));
  EXPECT_EQ(seed.at("fpgas")[1], OrderedJson({{"load", 2.1}, {"nodes", {10, 8}}}));
  EXPECT_EQ(seed.at("fpgas")[2].at("nodes"), OrderedJson::array());
  EXPECT_EQ(seed.at("cpus")[0].at("nodes"), OrderedJson({30}));
  EXPECT_EQ(seed.size(), 3);
}

// Latency: 10 and 7 in two subgraphs of accelerator 1, 30 on the host, 8 alone on accelerator 0.
class LatencyPlanJson : public PlanJson {
 protected:
  LatencyPlanJson() {
    problem.objective = Objective::Latency;
    problem.subgraphs = 2;
    result.split->device_of = {DeviceId(1), DeviceId(1), DeviceId(3), DeviceId(0)};
    result.split->order.clear();
    result.split->subgraph_of = {0, 1, 0, 0};
    report = check(problem, *result.split);
    result.value = report.value;
  }
};

TEST_F(LatencyPlanJson, SaysWhatWasAskedForASample) {
  EXPECT_EQ(plan().at("subgraphs"), 2);
  EXPECT_EQ(plan().at("host_cores"), OrderedJson({{"policy", "unlimited"}, {"available", 1}, {"busy", 1}}));
  problem.strict_host_cores = true;
  EXPECT_EQ(plan().at("host_cores").at("policy"), "strict");
}

TEST_F(LatencyPlanJson, ListsTheSubgraphsOfAcceleratorsInRunningOrder) {
  const OrderedJson devices = plan().at("devices");
  EXPECT_EQ(devices[1].at("nodes"), OrderedJson({10, 7}));
  EXPECT_EQ(devices[1].at("subgraphs"), OrderedJson::parse("[[10], [7]]"));
  EXPECT_EQ(devices[1].at("backward_subgraphs"), OrderedJson::array());
  EXPECT_EQ(devices[0].at("subgraphs"), OrderedJson::array());
  EXPECT_EQ(devices[0].at("backward_subgraphs"), OrderedJson::parse("[[8]]"));
  EXPECT_FALSE(devices[3].contains("subgraphs"));
}

TEST_F(LatencyPlanJson, ANumberThatIsNotUsedIsAnEmptyList) {
  result.split->subgraph_of = {1, 1, 0, 0};
  EXPECT_EQ(plan().at("devices")[1].at("subgraphs"), OrderedJson::parse("[[], [10, 7]]"));
}

TEST_F(LatencyPlanJson, HoldsTheSchedule) {
  EXPECT_EQ(plan().at("schedule"), OrderedJson::parse(R"([
    {"device": 1, "backward": false, "subgraph": 0, "nodes": 1, "start": 0.0, "finish": 1.5},
    {"device": 1, "backward": false, "subgraph": 1, "nodes": 1, "start": 1.5, "finish": 3.25},
    {"device": 3, "node": 30, "start": 3.25, "finish": 5.25},
    {"device": 0, "backward": true, "subgraph": 0, "nodes": 1, "start": 5.25, "finish": 6.25}])"));
}

TEST_F(LatencyPlanJson, WithOneSubgraphInEachPassTheNodesSayAll) {
  problem.subgraphs = 1;
  result.split->subgraph_of = {};
  report = check(problem, *result.split);
  EXPECT_EQ(plan().at("subgraphs"), 1);
  EXPECT_FALSE(plan().at("devices")[1].contains("subgraphs"));
  EXPECT_EQ(plan().at("schedule").size(), 3);
}

TEST_F(LatencyPlanJson, WithoutASplitThereIsNoSchedule) {
  result.split.reset();
  const OrderedJson json = OrderedJson::parse(plan_json(problem, result, CheckReport{}));
  EXPECT_EQ(json.at("schedule"), OrderedJson::array());
  EXPECT_TRUE(json.at("host_cores").at("busy").is_null());
}

TEST_F(LatencyPlanJson, CanBeReadAgain) {
  const SplitListing listing = parse_split(plan_json(problem, result, report), "plan");
  EXPECT_EQ(listing.devices[1].subgraphs, (std::vector<std::vector<std::int64_t>>{{10}, {7}}));
  const CheckReport again = check(problem, listing);
  EXPECT_TRUE(again.legal());
  EXPECT_EQ(again.value, report.value);
  EXPECT_EQ(again.schedule.size(), report.schedule.size());
}

TEST_F(LatencyPlanJson, InTheSeedFormatEverySubgraphIsAnAccelerator) {
  const OrderedJson expected = OrderedJson::parse(R"([{"load": 1.0, "nodes": [8]}, {"load": 1.5, "nodes": [10]},
                                        {"load": 1.75, "nodes": [7]}, {"load": 0.0, "nodes": []}])");
  EXPECT_EQ(OrderedJson::parse(seed_json(problem, result, report)).at("fpgas"), expected);
  OrderedJson converted =
      OrderedJson::parse(seed_json(parse_split(plan_json(problem, result, report), "plan"))).at("fpgas");
  ASSERT_EQ(converted.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(converted[i].at("nodes"), expected[i].at("nodes"));
  EXPECT_EQ(converted[1].at("load"), -1);
}

// The same chain on unequal devices, with everything that pipelines have: 10, 7 and 8 on "fast 1", of which "fast 0" is
// a copy, and 30 on the host. Both recompute.
class PipelinePlanJson : public PlanJson {
 protected:
  PipelinePlanJson() {
    Platform& platform = problem.workload.change().platform;
    platform = Platform{{{"fast", DeviceKind::Accelerator, 2, 1000},
                         {"cpu", DeviceKind::Host, 1, kUnlimited},
                         {"slow", DeviceKind::Accelerator, 1, 500, 2}}};
    platform.sync_bandwidth = 4;
    for (Node& node : problem.workload.change().graph.nodes) {
      node.time = {1, 2, 3};
      node.parts = {10, 20, 30, 5};
      node.recompute_share = 0.5;
    }
    problem.replicas = 2;
    problem.memory_model = MemoryModel::OneF1B;
    problem.microbatches = 7;
    problem.recompute = true;
    const DeviceId fast(1);
    result.split->device_of = {fast, fast, DeviceId(2), fast};
    result.split->order = {fast, DeviceId(2)};
    result.split->copy_of = {fast, fast, DeviceId(2), DeviceId(3)};
    result.split->recomputes = {1, 1, 0, 0};
    report = check(problem, *result.split);
    EXPECT_TRUE(report.legal()) << report.violations[0].message;
    result.value = report.value;
  }
};

TEST_F(PipelinePlanJson, SaysWhatWasAsked) {
  const OrderedJson json = plan();
  EXPECT_EQ(json.at("replicas"), 2);
  EXPECT_EQ(json.at("memory_model"), "1f1b");
  EXPECT_EQ(json.at("microbatches"), 7);
  EXPECT_EQ(json.at("recompute"), true);
  for (const char* key : {"replicas", "memory_model", "microbatches", "recompute"}) {
    EXPECT_FALSE(OrderedJson::parse(plan_json(Problem{}, Result{}, {})).contains(key))
        << "a default is left out: " << key;
  }
}

TEST_F(PipelinePlanJson, DevicesHaveClassesCopiesAndMemoryParts) {
  const OrderedJson devices = plan().at("devices");
  ASSERT_EQ(devices.size(), 4u);
  EXPECT_EQ(devices[3].at("class"), "slow");
  EXPECT_EQ(devices[3].at("index"), 2) << "counted by kind";
  EXPECT_EQ(devices[3].at("name"), "slow 0");
  EXPECT_EQ(devices[0].at("copy_of"), 1);
  EXPECT_EQ(devices[0].at("nodes"), OrderedJson::array());
  EXPECT_TRUE(devices[0].at("stage").is_null());
  EXPECT_FALSE(devices[1].contains("copy_of"));
  EXPECT_FALSE(devices[2].contains("copy_of"));
  for (const int shared : {0, 1}) {
    EXPECT_EQ(devices[shared].at("sharing"), 2);
    EXPECT_EQ(devices[shared].at("recompute"), true);
    EXPECT_EQ(devices[shared].at("sync").get<double>(), 30.0 / 2 / 4);
    // Three devices, two of them with this stage: two samples are in flight.
    EXPECT_EQ(
        devices[shared].at("memory_parts"),
        OrderedJson(
            {{"weights", 30}, {"optimizer_state", 60}, {"activation", 15}, {"in_flight", 2}, {"recomputed", 90}}));
    EXPECT_EQ(devices[shared].at("memory"), 30 + 60 + 2 * 15 + 90);
  }
  EXPECT_FALSE(devices[2].contains("recompute"));
  EXPECT_EQ(devices[2].at("memory_parts").at("in_flight"), 1);
}

TEST_F(PipelinePlanJson, HasANewVersionOnlyWhereAnOldReaderWouldMisunderstandIt) {
  const auto version_of = [this] { return plan().at("partita").at("version"); };
  EXPECT_EQ(version_of(), 2);
  result.split->copy_of = {};
  EXPECT_EQ(version_of(), 2);
  result.split->recomputes = {0, 0, 0, 0};
  EXPECT_EQ(version_of(), 1);
  result.split->copy_of = {DeviceId(0), DeviceId(1), DeviceId(2), DeviceId()};
  EXPECT_EQ(version_of(), 1);
}

TEST_F(PipelinePlanJson, CanBeReadAgain) {
  const SplitListing listing = parse_split(plan_json(problem, result, report), "plan");
  ASSERT_EQ(listing.devices.size(), 4u);
  EXPECT_EQ(listing.devices[0].copy_of, 1u);
  EXPECT_TRUE(listing.devices[0].recomputes && listing.devices[1].recomputes && !listing.devices[3].recomputes);
  const CheckReport again = check(problem, listing);
  EXPECT_TRUE(again.legal());
  EXPECT_EQ(again.value, report.value);
  EXPECT_EQ(again.devices[DeviceId(0)].memory, report.devices[DeviceId(0)].memory);
}

TEST_F(PipelinePlanJson, TheSeedFormatRefusesIt) {
  const auto refusal = [](const auto& write) -> std::string {
    try {
      write();
    } catch (const InputError& error) {
      EXPECT_EQ(error.kind(), ErrorKind::Unsupported);
      return error.what();
    }
    return "not refused";
  };
  const SplitListing listing = parse_split(plan_json(problem, result, report), "plan");
  EXPECT_NE(refusal([&] { seed_json(problem, result, report); }).find("copies of others"), std::string::npos);
  EXPECT_NE(refusal([&] { seed_json(listing); }).find("copies of others"), std::string::npos);
  result.split->copy_of = {};
  EXPECT_NE(refusal([&] { seed_json(problem, result, report); }).find("recompute"), std::string::npos);
}

// Whatever devices and copies there are: a workload and a plan, written and read again, cost the same to the last bit.
TEST(RandomPlanJson, CostsTheSameWhenReadAgain) {
  const std::uint64_t rounds = test::cases(2000);
  std::uint64_t legal = 0;
  std::uint64_t copies = 0;
  for (std::uint64_t seed = 0; seed < rounds; ++seed) {
    const Problem problem = random_setup(seed);
    std::mt19937 engine(static_cast<std::mt19937::result_type>(seed));
    Result result;
    result.split = random_split(problem, engine);
    const CheckReport report = check(problem, *result.split);
    if (!report.legal()) continue;
    result.value = report.value;
    const std::string plan = plan_json(problem, result, report);
    Problem again = problem;
    again.workload = parse_workload(workload_json(problem.workload), "workload");
    const CheckReport found = check(again, parse_split(plan, "plan"));
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + describe(problem) + plan);
    for (const Violation& violation : found.violations) ADD_FAILURE() << violation.message;
    ASSERT_EQ(found.value, report.value);
    ASSERT_EQ(found.load, report.load);
    for (DeviceId d : report.devices.all()) {
      ASSERT_EQ(found.devices[d].memory, report.devices[d].memory);
      ASSERT_EQ(found.devices[d].original, report.devices[d].original);
    }
    ++legal;
    copies += plan.find("\"copy_of\"") != std::string::npos;
  }
  EXPECT_GT(legal, rounds / 20);
  EXPECT_GT(copies, rounds / 100);
}

TEST(SeedJson, NodesInNoSubgraphAreNotLost) {
  SplitListing listing;
  listing.devices = {{DeviceKind::Accelerator, "a", {1, 2, 3}, {}, {{2}, {}}, {}}};
  EXPECT_EQ(OrderedJson::parse(seed_json(listing)).at("fpgas"),
            OrderedJson::parse(R"([{"load": -1.0, "nodes": [2]}, {"load": -1.0, "nodes": [1, 3]}])"));
}

TEST(SeedJson, FromAListingKeepsTheOrderOfEachKind) {
  SplitListing listing;
  listing.devices = {
      {DeviceKind::Host, "host 0", {5}}, {DeviceKind::Accelerator, "a", {1, 2}}, {DeviceKind::Accelerator, "b", {}}};
  listing.claimed_value = 7.5;
  listing.devices[1].claimed_load = 2.5;
  const OrderedJson seed = OrderedJson::parse(seed_json(listing));
  EXPECT_EQ(seed.at("maxLoad").get<double>(), 7.5);
  EXPECT_EQ(seed.at("fpgas")[0], OrderedJson({{"load", 2.5}, {"nodes", {1, 2}}}));
  EXPECT_EQ(seed.at("fpgas")[1], OrderedJson({{"load", -1.0}, {"nodes", OrderedJson::array()}}));
  EXPECT_EQ(seed.at("cpus")[0].at("nodes"), OrderedJson({5}));
}

TEST(SeedJson, WhatAListingDoesNotHoldIsMinusOne) {
  SplitListing listing;
  listing.devices = {{DeviceKind::Accelerator, "a", {1}}};
  const OrderedJson seed = OrderedJson::parse(seed_json(listing));
  EXPECT_EQ(seed.at("maxLoad"), -1);
  EXPECT_EQ(seed.at("fpgas")[0].at("load"), -1);
  EXPECT_EQ(seed.at("cpus"), OrderedJson::array());
}

}  // namespace
}  // namespace partita::detail
