// SPDX-License-Identifier: Apache-2.0
// What the writer writes, the reader reads back the same.
#include "partita/report/workload_json.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "partita/read/workload.h"
#include "tests/read/inputs.h"
#include "tests/read/same_workload.h"

namespace partita {
namespace {

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
    const double memory = random() % 3 == 0 ? kUnlimited : number();
    workload.platform = make_platform(static_cast<int>(random() % 4), memory, 1 + static_cast<int>(random() % 3));
    const std::size_t n = 1 + random() % 12;
    for (std::size_t i = 0; i < n; ++i) {
      Node node;
      node.original_id = static_cast<std::int64_t>(random() >> 8) * 16 + static_cast<std::int64_t>(i) - (1LL << 58);
      if (random() % 2) node.name = "n\"\\\n\xc3\xa9" + std::to_string(i);
      node.time = {random() % 4 == 0 ? kCannotRun : number(), number()};
      if (node.time[0] != kCannotRun && random() % 4 == 0) node.time[1] = kCannotRun;
      node.memory = number();
      node.backward = i >= n / 2;
      if (random() % 2) node.colour = static_cast<std::int64_t>(random() % 3) - 1;
      if (random() % 2) node.layer = static_cast<std::int64_t>(random() % 3) - 1;
      workload.graph.nodes.push_back(node);
    }
    for (std::size_t i = 0; i + 1 < n; ++i) {
      for (std::size_t j = i + 1; j < n; ++j) {
        if (random() % 3 == 0) workload.graph.edges.push_back({NodeId(i), NodeId(j), number()});
      }
    }
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_same(parse_workload(workload_json(workload), "f"), workload);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(WorkloadJson, NamesThatAreNotUtf8AreStillWrittenAsJson) {
  Workload workload = parse_workload(kSmallWorkload, "f");
  workload.graph.nodes[NodeId(0)].name = "\xff\xfe";
  EXPECT_EQ(parse_workload(workload_json(workload), "f").graph.nodes.size(), 3u);
}

TEST(WorkloadJson, RefusesWhatTheFormatCannotExpress) {
  Workload workload = parse_workload(kSmallWorkload, "f");
  workload.platform.classes.push_back({"big accelerator", DeviceKind::Accelerator, 1, 5});
  EXPECT_SAYS(error_of([&] { workload_json(workload); }), ErrorKind::Unsupported, "platform",
              "one class of accelerators");
}

}  // namespace
}  // namespace partita
