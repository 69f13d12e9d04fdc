// SPDX-License-Identifier: Apache-2.0
// What the writer writes, the reader reads back the same.
#include "partita/report/workload_json.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>

#include "partita/model/exact_memory.h"
#include "partita/read/workload.h"
#include "tests/read/inputs.h"
#include "tests/read/same_workload.h"

namespace partita::detail {
namespace {

Cluster random_clusters(std::mt19937_64& random, const std::function<double()>& number, std::size_t classes,
                        int depth) {
  Cluster cluster{number(), IdVector<ClassId, int>(classes, 0), {}};
  for (int& count : cluster.devices) count = static_cast<int>(random() % 3);
  for (std::size_t i = depth > 0 ? random() % 4 : 0; i > 0; --i) {
    // Equal neighbours are to occur too.
    const bool again = !cluster.clusters.empty() && random() % 2;
    cluster.clusters.push_back(again ? Cluster(cluster.clusters.back())
                                     : random_clusters(random, number, classes, depth - 1));
  }
  return cluster;
}

void add_devices(const Cluster& cluster, Platform& platform) {
  for (ClassId c : platform.classes.all()) platform.classes[c].count += cluster.devices[c];
  for (const Cluster& inside : cluster.clusters) add_devices(inside, platform);
}

// From one to four classes of any kinds, with clusters or without.
Platform random_platform(std::mt19937_64& random, const std::function<double()>& number) {
  Platform platform;
  const std::size_t classes = 1 + random() % 4;
  for (std::size_t c = 0; c < classes; ++c) {
    DeviceClass one;
    one.name = "class \"" + std::to_string(c) + "\xc3\xa9";
    one.kind = random() % 3 ? DeviceKind::Accelerator : DeviceKind::Host;
    if (random() % 2) one.memory = number();
    if (one.kind == DeviceKind::Accelerator && random() % 2) one.link_factor = number();
    if (one.kind == DeviceKind::Accelerator && random() % 2) one.link_latency = number();
    if (random() % 2) one.contention = 1 + number();
    platform.classes.push_back(one);
  }
  if (random() % 2) {
    platform.clusters = random_clusters(random, number, classes, 2);
    platform.clusters->devices[ClassId(0)] += 1;  // at least one device
    add_devices(*platform.clusters, platform);
  } else {
    for (DeviceClass& one : platform.classes) one.count = 1 + static_cast<int>(random() % 3);
  }
  if (random() % 2) platform.sync_bandwidth = 1e-9 + number();
  if (platform.classes[ClassId(0)].kind == DeviceKind::Accelerator && random() % 2) {
    const bool inside = platform.clusters && !platform.clusters->clusters.empty();
    platform.shared_links.push_back({"all \"of them\"", {number(), number()}, {}, inside ? 1 : 0});
    platform.shared_links.push_back({"one class", {number(), 0}, {ClassId(0)}, 0});
  }
  return platform;
}

TEST(WorkloadJson, RoundTripsEveryField) {
  const Workload workload = parse_workload(kSmallWorkload, "f");
  const std::string text = workload_json(workload);
  expect_same(parse_workload(text, "g"), workload);
  EXPECT_EQ(workload_json(parse_workload(text, "g")), text);
}

TEST(WorkloadJson, OptionalFieldsAreWrittenOnlyWhereTheySaySomething) {
  const nlohmann::json out = nlohmann::json::parse(workload_json(parse_workload(kSmallWorkload, "f")));
  EXPECT_EQ(out["nodes"][0]["colorClass"], 3);
  EXPECT_FALSE(out["nodes"][1].contains("colorClass"));
  EXPECT_FALSE(out["nodes"][1].contains("name"));
  EXPECT_FALSE(out["nodes"][0].contains("supportedOnCpu"));
  EXPECT_EQ(out["nodes"][2]["supportedOnFpga"], false);
  EXPECT_FALSE(out["nodes"][2].contains("fpgaLatency"));
}

TEST(WorkloadJson, RoundTripsRandomWorkloadsExactly) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> exponent(-40, 40);
    const auto number = [&] { return random() % 5 == 0 ? 0.0 : std::exp(exponent(random)); };
    Workload workload;
    workload.name = "seed " + std::to_string(seed);
    if (random() % 2) workload.time_unit = random() % 2 ? "us" : "s";
    if (random() % 2) {
      const double memory = random() % 3 == 0 ? kUnlimited : number();
      workload.platform = make_platform(static_cast<int>(random() % 4), memory, 1 + static_cast<int>(random() % 3));
    } else {
      workload.platform = random_platform(random, number);
    }
    const std::size_t classes = workload.platform.classes.size();
    const std::size_t n = 1 + random() % 12;
    for (std::size_t i = 0; i < n; ++i) {
      Node node;
      node.original_id = static_cast<std::int64_t>(random() >> 8) * 16 + static_cast<std::int64_t>(i) - (1LL << 58);
      if (random() % 2) node.name = "n\"\\\n\xc3\xa9" + std::to_string(i);
      for (std::size_t c = 0; c < classes; ++c) node.time.push_back(random() % 4 == 0 ? kCannotRun : number());
      if (random() % 4 == 0) node.time.assign(classes, number());
      if (std::ranges::count(node.time, kCannotRun) == std::ssize(node.time)) node.time[random() % classes] = number();
      node.memory = number();
      node.backward = i >= n / 2;
      node.recompute_share = random() % 2 ? number() : static_cast<double>(random() % 2);
      node.parts.weights = random() % 2 ? node.memory : number();
      if (random() % 3 == 0) node.parts = {number(), number(), number(), number()};
      if (random() % 4 == 0) node.parts.recompute_activation = number();
      if (random() % 2) node.colour = static_cast<std::int64_t>(random() % 3) - 1;
      if (random() % 2) node.layer = static_cast<std::int64_t>(random() % 3) - 1;
      if (random() % 2) node.op = "aten.mm";
      if (random() % 2) node.output_bytes = number();
      node.facts.source = kCostSources[random() % std::size(kCostSources)];
      if (random() % 2) node.facts.family = "matrix product";
      if (random() % 2) node.facts.flops = number();
      if (random() % 2) node.facts.moved_bytes = number();
      if (random() % 2) node.facts.output = "fp16[1,\"64\"]";
      workload.graph.nodes.push_back(node);
    }
    for (std::size_t i = 0; i + 1 < n; ++i) {
      for (std::size_t j = i + 1; j < n; ++j) {
        if (random() % 3 == 0) workload.graph.edges.push_back({NodeId(i), NodeId(j), number()});
      }
    }
    SCOPED_TRACE("seed " + std::to_string(seed));
    make_memory_sums_exact(workload);  // as every reader does
    expect_same(parse_workload(workload_json(workload), "f"), workload);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(WorkloadJson, NamesThatAreNotUtf8AreStillWrittenAsJson) {
  Workload workload = parse_workload(kSmallWorkload, "f");
  workload.graph.nodes[NodeId(0)].name = "\xff\xfe";
  EXPECT_EQ(parse_workload(workload_json(workload), "f").graph.nodes.size(), 3u);
}

TEST(WorkloadJson, ThePapersFilesStayThePapers) {
  const nlohmann::json out = nlohmann::json::parse(workload_json(parse_workload(kSmallWorkload, "f")));
  EXPECT_FALSE(out.contains("platform"));
  for (const auto& node : out["nodes"]) {
    for (const char* key :
         {"latency", "weights", "optimizerState", "activation", "recomputeActivation", "recomputeShare"}) {
      EXPECT_FALSE(node.contains(key)) << key;
    }
  }
}

TEST(WorkloadJson, AVersionIsWrittenWhereThePapersFieldsDoNotDo) {
  const std::string plain = R"({"maxFPGAs": 1, "maxCPUs": 1, "maxSizePerFPGA": 5, "edges": [], "nodes": [
      {"id": 1, "cpuLatency": 1, "fpgaLatency": 1, "colorClass": 2, "layerId": 3, "size": 4}]})";
  const auto version = [](const std::string& text) {
    return nlohmann::json::parse(workload_json(parse_workload(text, "f"))).value("version", 0);
  };
  EXPECT_EQ(version(plain), 0);
  EXPECT_EQ(version(with(plain, R"("size")", R"("flops": 7, "size")")), 1);
  EXPECT_EQ(version(with(plain, R"("size")", R"("op": "mm", "size")")), 1);
  EXPECT_EQ(version(with(plain, R"("edges")", R"("unit": "ms", "edges")")), 1);
}

TEST(WorkloadJson, WhatCostsWereMadeOf) {
  Workload workload = parse_workload(kSmallWorkload, "f");
  Node& node = workload.graph.nodes[NodeId(0)];
  node.op = "MatMul";
  node.output_bytes = 128;
  node.facts = {CostSource::Calibrated, "matrix product", 1e9, 3e6, "fp16[8,8]"};
  const std::string text = workload_json(workload);
  const nlohmann::json out = nlohmann::json::parse(text);
  const nlohmann::json& first = out["nodes"][0];
  EXPECT_EQ(first["op"], "MatMul");
  EXPECT_EQ(first["family"], "matrix product");
  EXPECT_EQ(first["source"], "calibrated");
  EXPECT_EQ(first["flops"], 1e9);
  EXPECT_EQ(first["movedBytes"], 3e6);
  EXPECT_EQ(first["output"], "fp16[8,8]");
  EXPECT_EQ(first["outputBytes"], 128);
  EXPECT_EQ(out["edges"][0]["size"], 128) << "what an edge moves is its source's output";
  EXPECT_FALSE(out["nodes"][1].contains("source")) << "given is what files without a source mean";
  EXPECT_FALSE(out["edges"][1].contains("size"));
  const Workload again = parse_workload(text, "f");
  expect_same(again, workload);
  EXPECT_TRUE(again.notes.empty());
}

TEST(WorkloadJson, RoundTripsAPlatformObject) {
  const Workload workload = parse_workload(kPlatformWorkload, "f");
  const std::string text = workload_json(workload);
  expect_same(parse_workload(text, "g"), workload);
  EXPECT_EQ(workload_json(parse_workload(text, "g")), text);
  const nlohmann::json out = nlohmann::json::parse(text);
  EXPECT_FALSE(out.contains("maxFPGAs"));
  EXPECT_EQ(out["platform"]["clusters"]["clusters"][0]["count"], 2) << "equal clusters are written once";
  EXPECT_FALSE(out["nodes"][0]["latency"].contains("cpu"));
  EXPECT_TRUE(out["nodes"][1]["latency"]["slow"].is_null());
  const std::string platform = platform_json(workload.platform);
  EXPECT_TRUE(*parse_platform(platform, "p").platform.clusters == *workload.platform.clusters);
  EXPECT_EQ(platform_json(parse_platform(platform, "p").platform), platform);
}

}  // namespace
}  // namespace partita::detail
