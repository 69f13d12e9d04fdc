// SPDX-License-Identifier: Apache-2.0
// What the workload reader refuses, of which kind the error is and what it says.
#include "partita/read/workload.h"

#include <fmt/format.h>

#include <limits>

#include "tests/read/inputs.h"

namespace partita::detail {
namespace {

InputError error_in_workload(const std::string& text, const PlatformOverrides& overrides = {}) {
  return error_of([&] { parse_workload(text, "f.json", overrides); });
}

// The small workload with one thing changed.
InputError error_with(std::string_view from, std::string_view to) {
  return error_in_workload(with(kSmallWorkload, from, to));
}

TEST(WorkloadErrors, OtherFilesAreRecognised) {
  EXPECT_SAYS(error_in_workload(kSmallPlan), ErrorKind::BadField, "f.json", "a plan written by partita",
              "not a workload");
  EXPECT_SAYS(error_in_workload(kSmallSeed), ErrorKind::BadField, "f.json", "fpgas and cpus", "not a workload");
  EXPECT_SAYS(error_in_workload("[1, 2]"), ErrorKind::BadField, "f.json", "a list", "a workload");
  EXPECT_SAYS(error_in_workload("3"), ErrorKind::BadField, "found 3", "a workload");
  EXPECT_SAYS(error_in_workload("{}"), ErrorKind::BadField, "f.json: nodes", "missing");
  EXPECT_SAYS(error_in_workload("{"), ErrorKind::NotJson, "line 1, column 2");
  EXPECT_SAYS(error_of([] { read_workload("no/such/file.json"); }), ErrorKind::Unreadable, "no/such/file.json");
}

TEST(WorkloadErrors, MissingFields) {
  EXPECT_SAYS(error_with(R"("maxFPGAs": 2,)", ""), ErrorKind::BadField, "f.json: maxFPGAs", "missing",
              "number of accelerators");
  EXPECT_SAYS(error_with(R"("maxCPUs": 1,)", ""), ErrorKind::BadField, "f.json: maxCPUs", "missing", "number of hosts");
  EXPECT_SAYS(error_with(R"("maxSizePerFPGA": 100.0,)", ""), ErrorKind::BadField, "f.json: maxSizePerFPGA", "missing",
              "bytes");
  EXPECT_SAYS(error_with(R"("edges")", R"("arcs")"), ErrorKind::BadField, "f.json: edges", "missing");
  EXPECT_SAYS(error_with(R"("id": 2, )", ""), ErrorKind::BadField, "nodes[1].id", "missing");
  EXPECT_SAYS(error_with(R"(, "fpgaLatency": 1})", "}"), ErrorKind::BadField, "nodes[1].fpgaLatency (node id 2)",
              "missing");
  EXPECT_SAYS(error_with(R"("cpuLatency": 1e1,)", ""), ErrorKind::BadField, "nodes[2].cpuLatency (node id 40)",
              "missing");
  EXPECT_SAYS(error_with(R"("cpuLatency": 1e1)", R"("cpuLatency": null)"), ErrorKind::BadField, "nodes[2].cpuLatency",
              "null");
  EXPECT_SAYS(error_with(R"(, "cost": 3)", ""), ErrorKind::BadField, "edges[1].cost", "missing");
  EXPECT_SAYS(error_with(R"("sourceId": 2, )", ""), ErrorKind::BadField, "edges[1].sourceId", "missing");
}

TEST(WorkloadErrors, WrongTypes) {
  EXPECT_SAYS(error_with(R"("maxFPGAs": 2)", R"("maxFPGAs": 2.5)"), ErrorKind::BadField, "f.json: maxFPGAs", "2.5",
              "integer");
  EXPECT_SAYS(error_with(R"("maxSizePerFPGA": 100.0)", R"("maxSizePerFPGA": "16G")"), ErrorKind::BadField,
              "maxSizePerFPGA", "\"16G\"");
  EXPECT_SAYS(error_with(R"("name": "small")", R"("name": 3)"), ErrorKind::BadField, "f.json: name", "found 3");
  EXPECT_SAYS(error_with(R"("name": "first")", R"("name": ["x"])"), ErrorKind::BadField, "nodes[0].name (node id 7)",
              "a list of 1");
  EXPECT_SAYS(error_with(R"("id": 7)", R"("id": "7")"), ErrorKind::BadField, "nodes[0].id", "found \"7\"", "integer");
  EXPECT_SAYS(error_with(R"("id": 7)", R"("id": 7.5)"), ErrorKind::BadField, "nodes[0].id", "found 7.5", "integer");
  EXPECT_SAYS(error_with(R"("cpuLatency": 4)", R"("cpuLatency": true)"), ErrorKind::BadField, "nodes[0].cpuLatency",
              "found true");
  EXPECT_SAYS(error_with(R"("supportedOnFpga": 1)", R"("supportedOnFpga": 2)"), ErrorKind::BadField, "supportedOnFpga",
              "found 2", "true or false");
  EXPECT_SAYS(error_with(R"("isBackwardNode": 0)", R"("isBackwardNode": "no")"), ErrorKind::BadField, "isBackwardNode",
              "\"no\"");
  EXPECT_SAYS(error_with(R"("colorClass": 3)", R"("layerId": "first")"), ErrorKind::BadField, "nodes[0].layerId",
              "a layer, an integer");
  EXPECT_SAYS(error_with(R"("colorClass": 3)", R"("colorClass": "red")"), ErrorKind::BadField, "nodes[0].colorClass",
              "\"red\"");
  EXPECT_SAYS(error_with(R"("size": 10.0)", R"("size": {})"), ErrorKind::BadField, "nodes[0].size", "an object");
  EXPECT_SAYS(error_with(R"("cost": 3)", R"("cost": "3")"), ErrorKind::BadField, "edges[1].cost", "found \"3\"");
  EXPECT_SAYS(error_with(R"({"sourceId": 2, "destId": 40, "cost": 3})", "[2, 40, 3]"), ErrorKind::BadField, "edges[1]",
              "a list of 3", "an edge");
  EXPECT_SAYS(error_in_workload(R"({"nodes": 3, "edges": []})"), ErrorKind::BadField, "f.json: nodes", "found 3",
              "list of nodes");
  EXPECT_SAYS(error_in_workload(R"({"maxFPGAs": 1, "maxCPUs": 1, "maxSizePerFPGA": null, "nodes": [5], "edges": []})"),
              ErrorKind::BadField, "nodes[0]", "found 5", "a node");
  EXPECT_SAYS(error_with(R"("name": "small")", R"("name": "small", "name": "again")"), ErrorKind::BadField, "name",
              "twice");
}

TEST(WorkloadErrors, BadNumbers) {
  EXPECT_SAYS(error_with(R"("cpuLatency": 4)", R"("cpuLatency": NaN)"), ErrorKind::BadNumber, "line 4",
              "nodes[0].cpuLatency", "NaN", "supportedOnCpu");
  EXPECT_SAYS(error_with(R"("cost": 3)", R"("cost": -Infinity)"), ErrorKind::BadNumber, "edges[1].cost", "-Infinity");
  EXPECT_SAYS(error_with(R"("cost": 3)", R"("cost": 1e999)"), ErrorKind::BadNumber, "edges[1].cost", "1e999");
  EXPECT_SAYS(error_with(R"("cost": 3)", R"("cost": -3)"), ErrorKind::BadNumber, "edges[1].cost", "-3 is negative");
  EXPECT_SAYS(error_with(R"("cpuLatency": 4)", R"("cpuLatency": -0.5)"), ErrorKind::BadNumber,
              "nodes[0].cpuLatency (node id 7)", "-0.5 is negative");
  EXPECT_SAYS(error_with(R"("fpgaLatency": 0.5)", R"("fpgaLatency": -1)"), ErrorKind::BadNumber, "nodes[0].fpgaLatency",
              "negative");
  EXPECT_SAYS(error_with(R"("size": 10.0)", R"("size": -10)"), ErrorKind::BadNumber, "nodes[0].size", "negative");
  EXPECT_SAYS(error_with(R"("id": 7)", R"("id": 9223372036854775808)"), ErrorKind::BadNumber, "nodes[0].id",
              "9223372036854775808", "64-bit");
  EXPECT_SAYS(error_with(R"("id": 7)", R"("id": 1e300)"), ErrorKind::BadNumber, "nodes[0].id", "1e+300", "64-bit");
  EXPECT_SAYS(error_with(R"("destId": 40)", R"("destId": 99999999999999999999)"), ErrorKind::BadNumber,
              "edges[1].destId", "64-bit");
}

TEST(WorkloadErrors, SumsThatOverflow) {
  const std::string sizes = with(kSmallWorkload, R"("size": 10.0)", R"("size": 1.7e308)");
  EXPECT_SAYS(error_in_workload(with(sizes, R"("fpgaLatency": 1})", R"("fpgaLatency": 1, "size": 1.7e308})")),
              ErrorKind::BadNumber, "sizes add up");
  EXPECT_SAYS(
      error_in_workload(with(with(kSmallWorkload, R"("cpuLatency": 4)", R"("cpuLatency": 1.7e308)"), "2.5", "1.7e308")),
      ErrorKind::BadNumber, "latencies add up");
  EXPECT_SAYS(error_in_workload(with(with(kSmallWorkload, "0.25", "1e308"), R"("cost": 3)", R"("cost": 1e308)")),
              ErrorKind::BadNumber, "edge costs add up");
}

TEST(WorkloadErrors, BadGraphs) {
  EXPECT_SAYS(error_in_workload(R"({"nodes": [], "edges": []})"), ErrorKind::BadGraph, "f.json: nodes", "empty");
  EXPECT_SAYS(error_with(R"("id": 2)", R"("id": 7)"), ErrorKind::BadGraph, "nodes[1] (node id 7)",
              "same id as nodes[0]");
  EXPECT_SAYS(error_with(R"("destId": 40)", R"("destId": 41)"), ErrorKind::BadGraph, "edges[1].destId",
              "no node has id 41");
  EXPECT_SAYS(error_with(R"("sourceId": 2)", R"("sourceId": 0)"), ErrorKind::BadGraph, "edges[1].sourceId",
              "no node has id 0");
  EXPECT_SAYS(error_with(R"("destId": 40)", R"("destId": 2)"), ErrorKind::BadGraph, "edges[1]", "node 2 to itself");
  EXPECT_SAYS(error_with(R"("sourceId": 2, "destId": 40)", R"("sourceId": 40, "destId": 2)"), ErrorKind::BadGraph,
              "edges[1]", "backward node 40 to forward node 2");
  EXPECT_SAYS(error_with(R"("sourceId": 2, "destId": 40)", R"("sourceId": 2, "destId": 7)"), ErrorKind::BadGraph,
              "f.json: edges", "cycle of 2 nodes: 7 -> 2 -> 7");
}

TEST(WorkloadErrors, ANodeThatRunsNowhere) {
  EXPECT_SAYS(error_with(R"("supportedOnFpga": false, )", R"("supportedOnFpga": false, "supportedOnCpu": 0, )"),
              ErrorKind::Infeasible, "nodes[2] (node id 40)", "runs on no kind of device");
}

TEST(WorkloadErrors, BadPlatforms) {
  EXPECT_SAYS(error_with(R"("maxFPGAs": 2, "maxCPUs": 1)", R"("maxFPGAs": 0, "maxCPUs": 0)"), ErrorKind::BadPlatform,
              "f.json", "no devices");
  EXPECT_SAYS(error_with(R"("maxFPGAs": 2)", R"("maxFPGAs": -2)"), ErrorKind::BadPlatform, "f.json: maxFPGAs",
              "found -2");
  EXPECT_SAYS(error_with(R"("maxCPUs": 1)", R"("maxCPUs": 1000001)"), ErrorKind::BadPlatform, "f.json: maxCPUs",
              "1000001", "1000000");
  EXPECT_SAYS(error_with(R"("maxSizePerFPGA": 100.0)", R"("maxSizePerFPGA": -1)"), ErrorKind::BadPlatform,
              "maxSizePerFPGA", "negative");
  EXPECT_SAYS(error_in_workload(kSmallWorkload, {.accelerators = 0, .memory = {}, .hosts = 0}), ErrorKind::BadPlatform,
              "no devices");
  EXPECT_SAYS(error_in_workload(kSmallWorkload, {.accelerators = -1, .memory = {}, .hosts = {}}),
              ErrorKind::BadPlatform, "accelerators", "found -1");
  EXPECT_SAYS(error_in_workload(kSmallWorkload, {.accelerators = {}, .memory = {}, .hosts = 2'000'000}),
              ErrorKind::BadPlatform, "hosts", "2000000");
  EXPECT_SAYS(error_in_workload(kSmallWorkload, {.accelerators = {}, .memory = -5.0, .hosts = {}}),
              ErrorKind::BadPlatform, "memory", "-5");
  EXPECT_SAYS(error_in_workload(kSmallWorkload,
                                {.accelerators = {}, .memory = std::numeric_limits<double>::quiet_NaN(), .hosts = {}}),
              ErrorKind::BadPlatform, "memory", "nan");
}

TEST(WorkloadErrors, ALongChainWithACycleDoesNotOverflowTheStack) {
  constexpr int kNodes = 100'000;
  std::string text = R"({"maxFPGAs": 1, "maxCPUs": 0, "maxSizePerFPGA": 1, "nodes": [)";
  for (int i = 0; i < kNodes; ++i) {
    text += fmt::format(R"({}{{"id":{},"cpuLatency":0,"fpgaLatency":0}})", i ? "," : "", i);
  }
  text += R"(],"edges":[)";
  for (int i = 0; i < kNodes; ++i) {
    text += fmt::format(R"({}{{"sourceId":{},"destId":{},"cost":0}})", i ? "," : "", i, (i + 1) % kNodes);
  }
  text += "]}";
  const InputError error = error_in_workload(text);
  EXPECT_SAYS(error, ErrorKind::BadGraph, "cycle of 100000 nodes", "0 -> 1 -> ", "...", " -> 99999 -> 0");
  EXPECT_LT(std::string(error.what()).size(), 250u);
}

}  // namespace
}  // namespace partita::detail
