// SPDX-License-Identifier: Apache-2.0
// Other planners' files, both ways: what is read, what is written, and that the two agree.
#include "partita/report/planner_files.h"

#include <nlohmann/json.hpp>

#include "partita/model/validate.h"
#include "partita/read/pipedream.h"
#include "partita/read/piper.h"
#include "partita/read/workload.h"
#include "tests/read/inputs.h"
#include "tests/read/same_workload.h"

namespace partita::detail {
namespace {

const std::string kGraph =
    "node1 -- Input0 -- forward_compute_time=0.000, backward_compute_time=0.000, activation_size=0.0, "
    "parameter_size=0.000\n"
    "node2 -- Conv2d(3, 64, kernel_size=(7, 7), bias=False) -- forward_compute_time=1.5, backward_compute_time=3.25, "
    "activation_size=4096.0, parameter_size=256.000\n"
    "node4 -- LSTM(2 -- 3) -- forward_compute_time=0.125, backward_compute_time=0.5, "
    "activation_size=[1024.0; 512.0], parameter_size=64 -- stage_id=1\n"
    "\tnode1 -- node2\n"
    "\tnode2 -- node4\n";

PlatformOverrides two_devices() { return {.accelerators = 2, .memory = 1e9}; }

TEST(Pipedream, LayersBecomeTwoNodesThatShareADevice) {
  const Workload workload = parse_pipedream(kGraph, "dir/graph.txt", two_devices(), 2e9);
  validate(workload);
  EXPECT_EQ(workload.name, "graph");
  EXPECT_EQ(workload.time_unit, "ms");
  const auto& nodes = workload.graph.nodes;
  ASSERT_EQ(nodes.size(), 6u);
  const Node& conv = nodes[NodeId(1)];
  EXPECT_EQ(conv.original_id, 2);
  EXPECT_EQ(conv.name, "Conv2d(3, 64, kernel_size=(7, 7), bias=False)");
  EXPECT_EQ(conv.op, "Conv2d");
  EXPECT_EQ(conv.time, (std::vector<double>{1.5, kCannotRun}));
  EXPECT_EQ(conv.parts, (MemoryParts{256, 0, 4096, 0}));
  EXPECT_EQ(conv.memory, 4352);
  const Node& lstm = nodes[NodeId(2)];
  EXPECT_EQ(lstm.name, "LSTM(2 -- 3)");
  EXPECT_EQ(lstm.output_bytes, 1536);
  const Node& grad = nodes[NodeId(4)];
  EXPECT_TRUE(grad.backward);
  EXPECT_EQ(grad.time.front(), 3.25);
  EXPECT_EQ(grad.colour, conv.colour);
  EXPECT_EQ(grad.memory, 0);
  ASSERT_EQ(workload.graph.edges.size(), 4u);
  // From node2 to node4, and back with the gradient.
  EXPECT_EQ(workload.graph.edges[2].cost, 4096 / 2e9 * 1000);
  EXPECT_EQ(workload.graph.edges[3].from, NodeId(5));
  EXPECT_EQ(workload.graph.edges[3].to, NodeId(4));
  EXPECT_EQ(workload.graph.edges[3].cost, workload.graph.edges[2].cost);
  ASSERT_EQ(workload.notes.size(), 1u);
  EXPECT_NE(workload.notes.front().find("stage_id"), std::string::npos);
}

TEST(Pipedream, WithoutBackwardTimesItIsInference) {
  std::string text = with(with(kGraph, "backward_compute_time=3.25", "backward_compute_time=0"),
                          "backward_compute_time=0.5", "backward_compute_time=0");
  const Workload workload = parse_pipedream(text, "f", two_devices());
  EXPECT_EQ(workload.graph.nodes.size(), 3u);
  EXPECT_FALSE(workload.graph.has_backward());
  EXPECT_EQ(workload.graph.nodes[NodeId(1)].memory, 256);
  EXPECT_EQ(parse_pipedream(gzipped(text), "f", two_devices()).graph.nodes.size(), 3u);
}

TEST(Pipedream, RoundTrips) {
  const Workload workload = parse_pipedream(kGraph, "f", two_devices());
  const PlannerFile written = pipedream_file(workload, kPipedreamBandwidth);
  EXPECT_TRUE(written.notes.empty());
  Workload again = parse_pipedream(written.text, "f", two_devices());
  EXPECT_EQ(pipedream_file(again, kPipedreamBandwidth).text, written.text);
  // Its own separator cannot be in a description; all else is the same.
  EXPECT_EQ(again.graph.nodes[NodeId(2)].name, "LSTM(2 - 3)");
  for (const std::size_t i : {2, 5}) {
    again.graph.nodes[NodeId(i)].name = workload.graph.nodes[NodeId(i)].name;
    again.graph.nodes[NodeId(i)].op = workload.graph.nodes[NodeId(i)].op;
  }
  expect_same(again, workload);
}

TEST(Pipedream, IdsThatAreNoNumbersAreNumbered) {
  std::string text = kGraph;
  for (std::size_t at = text.find("node4"); at != std::string::npos; at = text.find("node4"))
    text.replace(at, 5, "last");
  const Workload workload = parse_pipedream(text, "f", two_devices());
  EXPECT_EQ(workload.graph.nodes[NodeId(2)].original_id, 2);
  EXPECT_EQ(workload.graph.nodes[NodeId(2)].name, "last: LSTM(2 -- 3)");
}

TEST(Pipedream, WhatIsWrongIsSaidInOneLine) {
  const auto fails = [](const std::string& text) {
    return error_of([&] { parse_pipedream(text, "g.txt", two_devices()); });
  };
  EXPECT_SAYS(fails("x\n"), ErrorKind::BadField, "g.txt: line 1", "expected a layer");
  EXPECT_SAYS(fails(with(kGraph, "activation_size=4096.0", "size=1")), ErrorKind::BadField, "line 2",
              "activation_size");
  EXPECT_SAYS(fails(with(kGraph, "=1.5", "=nan")), ErrorKind::BadNumber, "line 2", "forward_compute_time", "\"nan\"");
  EXPECT_SAYS(fails(with(kGraph, "=1.5", "=-1.5")), ErrorKind::BadNumber, "line 2", "0 or more");
  EXPECT_SAYS(fails(with(kGraph, "=1.5", "=1e999")), ErrorKind::BadNumber, "line 2");
  EXPECT_SAYS(fails(with(kGraph, "512.0]", "512.0")), ErrorKind::BadField, "line 3", "a list");
  EXPECT_SAYS(fails(with(kGraph, "node2 -- node4", "node2 -- node9")), ErrorKind::BadGraph, "line 5", "node9");
  EXPECT_SAYS(fails(with(kGraph, "node2 -- node4", "node2")), ErrorKind::BadField, "line 5", "an edge");
  EXPECT_SAYS(fails(with(kGraph, "node4 -- LSTM", "node2 -- LSTM")), ErrorKind::BadGraph, "line 3", "already");
  EXPECT_SAYS(fails(kGraph + "\tnode4 -- node2\n"), ErrorKind::BadGraph, "cycle");
  EXPECT_SAYS(fails(""), ErrorKind::BadGraph, "no nodes");
  EXPECT_SAYS(error_of([&] { parse_pipedream(kGraph, "g.txt", {}); }), ErrorKind::BadPlatform,
              "PlatformOverrides::accelerators");
  EXPECT_SAYS(error_of([&] { parse_pipedream(kGraph, "g.txt", two_devices(), 0); }), ErrorKind::BadNumber, "bandwidth");
}

const std::string kPiper = R"({
  "maxDevices": 4, "maxMemoryPerDevice": 16777216, "bandwidth": 8589934592, "mbsInBatch": 32,
  "nodes": [
    {"id": 7, "name": "embed", "TMPCs": {
      "1": [{"id": "vanilla", "timePerSample": 0.25, "parameterSize": 1024, "memoryUsageA": 512, "memoryUsageB": 4096,
             "syncTimeFw": {}, "syncTimeBw": {"8": 0}},
            {"id": "activation recomp", "timePerSample": 0.3125, "parameterSize": 1024, "memoryUsageA": 64,
             "memoryUsageB": 4096, "syncTimeFw": {}, "syncTimeBw": {"8": 0}}],
      "2": [{"id": "vanilla", "timePerSample": 0.125, "parameterSize": 512, "memoryUsageA": 256, "memoryUsageB": 2048,
             "syncTimeFw": {}, "syncTimeBw": {"8": 100}}]}},
    {"id": 8, "TMPCs": {
      "1": [{"id": "vanilla", "timePerSample": 0.5, "parameterSize": 0, "memoryUsageA": 128, "memoryUsageB": 32,
             "syncTimeFw": {"7": 0}, "syncTimeBw": {}}]}}
  ],
  "edges": [{"sourceId": 7, "destId": 8, "communicationCost": 1048576}]
})";

TEST(Piper, OneDeviceForEachNodeIsRead) {
  const Workload workload = parse_piper(kPiper, "bert.json");
  validate(workload);
  EXPECT_EQ(workload.name, "bert");
  EXPECT_EQ(workload.time_unit, "s");
  EXPECT_EQ(workload.platform.classes[ClassId(0)].count, 4);
  EXPECT_EQ(workload.platform.classes[ClassId(0)].memory, 16777216);
  EXPECT_EQ(workload.platform.classes[ClassId(1)].count, 0);
  EXPECT_EQ(workload.platform.sync_bandwidth, 8589934592.0 * 32 / 4);
  const Node& embed = workload.graph.nodes[NodeId(0)];
  EXPECT_EQ(embed.time.front(), 0.25);
  EXPECT_EQ(embed.parts, (MemoryParts{1024, 3072, 512, 64}));
  EXPECT_EQ(embed.recompute_share, 0.25);
  // Without another way to run there is nothing to gain from recomputing.
  const Node& last = workload.graph.nodes[NodeId(1)];
  EXPECT_EQ(last.parts, (MemoryParts{0, 32, 128, 128}));
  EXPECT_EQ(last.recompute_share, 0);
  EXPECT_EQ(workload.graph.edges.front().cost, 2 * 1048576 / 8589934592.0);
  ASSERT_EQ(workload.notes.size(), 1u);
  EXPECT_NE(workload.notes.front().find("tensor parallelism"), std::string::npos);
}

TEST(Piper, RoundTrips) {
  const Workload workload = parse_piper(kPiper, "f");
  for (const int microbatches : {1, 32}) {
    const PlannerFile written = piper_file(workload, 1, microbatches);
    EXPECT_TRUE(written.notes.empty());
    Workload again = parse_piper(written.text, "f");
    if (microbatches == 1) {
      // Another bandwidth, other sizes: the same times.
      for (NodeId v : again.graph.nodes.all()) again.graph.nodes[v].output_bytes = workload.graph.nodes[v].output_bytes;
    }
    expect_same(again, workload);
  }
  const nlohmann::json document = nlohmann::json::parse(piper_file(workload, 1, 32).text);
  EXPECT_EQ(document["bandwidth"], 8589934592.0);
  EXPECT_EQ(document["edges"][0]["communicationCost"], 1048576.0);
  EXPECT_EQ(document["nodes"][0]["TMPCs"]["1"][0]["syncTimeBw"], nlohmann::json({{"8", 0}}));
  EXPECT_EQ(document["nodes"][1]["TMPCs"]["1"].size(), 1u);
}

TEST(Piper, WhatIsWrongIsSaidInOneLine) {
  const auto fails = [](const std::string& text) { return error_of([&] { parse_piper(text, "p.json"); }); };
  EXPECT_SAYS(fails(with(kPiper, "\"maxDevices\": 4", "\"maxDevices\": 0")), ErrorKind::BadPlatform, "maxDevices",
              "found 0");
  EXPECT_SAYS(fails(with(kPiper, "\"bandwidth\": 8589934592", "\"bandwidth\": 0")), ErrorKind::BadNumber, "bandwidth");
  EXPECT_SAYS(fails(with(kPiper, "\"mbsInBatch\": 32", "\"maxBatchSize\": 32")), ErrorKind::BadField, "mbsInBatch");
  EXPECT_SAYS(fails(with(kPiper, "\"destId\": 8", "\"destId\": 9")), ErrorKind::BadGraph, "edges[0].destId", "id 9");
  EXPECT_SAYS(fails(with(kPiper, "\"id\": 8", "\"id\": 7")), ErrorKind::BadGraph, "nodes[1]", "node id 7");
  EXPECT_SAYS(fails(with(kPiper, "\"timePerSample\": 0.25", "\"timePerSample\": -1")), ErrorKind::BadNumber,
              "nodes[0].TMPCs.1[0].timePerSample");
  EXPECT_SAYS(fails(with(kPiper, "\"1\": [", "\"4\": [")), ErrorKind::Unsupported, "TMPCs.1", "tensor parallelism");
  EXPECT_SAYS(fails("[]"), ErrorKind::BadField, "Piper");
}

TEST(PlannerFiles, AreToldApart) {
  EXPECT_TRUE(looks_like_pipedream(kGraph));
  EXPECT_TRUE(looks_like_pipedream("\n\tnode1 -- node2\n"));
  EXPECT_FALSE(looks_like_pipedream(kPiper));
  EXPECT_FALSE(looks_like_pipedream("a -- b\n"));
  EXPECT_FALSE(looks_like_pipedream("\n \n"));
  EXPECT_TRUE(looks_like_piper(kPiper));
  EXPECT_FALSE(looks_like_piper(kSmallWorkload));
  EXPECT_FALSE(looks_like_piper(kGraph));
}

// What any workload of one class, with a backward node for each forward one, comes back as.
TEST(PlannerFiles, TrainingGraphsKeepTheirTimes) {
  const std::string training = R"({"maxFPGAs": 2, "maxCPUs": 0, "maxSizePerFPGA": 1000, "unit": "us",
    "nodes": [{"id": 1, "supportedOnCpu": 0, "fpgaLatency": 3, "colorClass": 1, "weights": 10, "optimizerState": 20,
               "activation": 5},
              {"id": 2, "supportedOnCpu": 0, "fpgaLatency": 4, "colorClass": 2, "size": 8},
              {"id": 11, "supportedOnCpu": 0, "fpgaLatency": 6, "colorClass": 1, "isBackwardNode": 1},
              {"id": 12, "supportedOnCpu": 0, "fpgaLatency": 7, "colorClass": 2, "isBackwardNode": 1}],
    "edges": [{"sourceId": 1, "destId": 2, "cost": 0.5}, {"sourceId": 12, "destId": 11, "cost": 0.25}]})";
  const Workload workload = parse_workload(training, "f");
  const Workload pipedream = parse_pipedream(pipedream_file(workload, 1e9).text, "f", {.accelerators = 2});
  ASSERT_EQ(pipedream.graph.nodes.size(), 4u);
  EXPECT_DOUBLE_EQ(pipedream.graph.nodes[NodeId(0)].time.front(), 0.003);
  EXPECT_DOUBLE_EQ(pipedream.graph.nodes[NodeId(2)].time.front(), 0.006);
  EXPECT_EQ(pipedream.graph.nodes[NodeId(0)].parts.weights, 10);
  EXPECT_DOUBLE_EQ(*pipedream.graph.nodes[NodeId(0)].output_bytes, 500);
  EXPECT_DOUBLE_EQ(pipedream.graph.edges[0].cost, 0.0005);
  const Workload piper = parse_piper(piper_file(workload, 1e9, 8).text, "f");
  ASSERT_EQ(piper.graph.nodes.size(), 2u);
  EXPECT_DOUBLE_EQ(piper.graph.nodes[NodeId(0)].time.front(), 9e-6);
  EXPECT_EQ(piper.graph.nodes[NodeId(0)].parts.optimizer_state, 20);
  EXPECT_DOUBLE_EQ(piper.graph.edges[0].cost, 0.75e-6);
}

TEST(PlannerFiles, WhatTheyCannotSayIsRefusedOrNoted) {
  const auto workload_with = [](const std::string& nodes) {
    return parse_workload(R"({"maxFPGAs": 1, "maxCPUs": 1, "maxSizePerFPGA": null, "nodes": [)" + nodes +
                              R"(], "edges": [{"sourceId": 1, "destId": 2, "cost": 1},
                                              {"sourceId": 1, "destId": 3, "cost": 2}]})",
                          "f");
  };
  const std::string plain = R"({"id": 1, "fpgaLatency": 1, "cpuLatency": 1, "colorClass": 5},
                               {"id": 2, "fpgaLatency": 1, "cpuLatency": 1, "colorClass": 5},
                               {"id": 3, "fpgaLatency": 1, "cpuLatency": 1})";
  const PlannerFile written = piper_file(workload_with(plain), 1, 1);
  std::string notes;
  for (const std::string& line : written.notes) notes += line + "\n";
  for (const char* words : {"share a device is lost", "only the class", "unit of time", "unlimited"}) {
    EXPECT_NE(notes.find(words), std::string::npos) << words << "\n" << notes;
  }
  // Piper's edges have costs of their own, PipeDream's nodes have one for all.
  EXPECT_EQ(notes.find("differ in cost"), std::string::npos);
  const std::vector<std::string> lost = pipedream_file(workload_with(plain), 1).notes;
  EXPECT_NE(lost.back().find("differ in cost"), std::string::npos);
  EXPECT_SAYS(error_of([&] {
                pipedream_file(
                    workload_with(plain + R"(, {"id": 4, "fpgaLatency": 1, "cpuLatency": 1, "isBackwardNode": 1})"), 1);
              }),
              ErrorKind::Unsupported, "node id 4", "backward");
  EXPECT_SAYS(error_of([&] {
                pipedream_file(workload_with(plain + R"(, {"id": 4, "cpuLatency": 1, "supportedOnFpga": 0})"), 1);
              }),
              ErrorKind::Unsupported, "node id 4", "cannot run");
}

}  // namespace
}  // namespace partita::detail
