// SPDX-License-Identifier: Apache-2.0
// Platform objects, what nodes say about their classes, and what takes a platform's place.
#include "partita/read/platform.h"

#include "partita/read/workload.h"
#include "tests/read/inputs.h"

namespace partita::detail {
namespace {

constexpr ClassId kFast(0);
constexpr ClassId kSlow(1);
constexpr ClassId kCpu(2);

const std::string kPlain = R"({"version": 1, "classes": [
  {"name": "gpu", "kind": "accelerator", "count": 12, "memory": 100, "timeFactor": 3},
  {"name": "cpu", "kind": "host", "count": 2}]})";

InputError platform_error(std::string_view from, std::string_view to) {
  return error_of([&] { parse_platform(with(kSmallPlatform, from, to), "p.json"); });
}

InputError node_error(std::string_view from, std::string_view to) {
  return error_of([&] { parse_workload(with(kPlatformWorkload, from, to), "f.json"); });
}

Workload on(const std::string& platform, PlatformOverrides overrides = {}) {
  overrides.platform = parse_platform(platform, "p.json");
  return parse_workload(kSmallWorkload, "f.json", overrides);
}

TEST(ReadPlatform, ReadsEveryField) {
  const PlatformSpec spec = parse_platform(kSmallPlatform, "p.json");
  const auto& classes = spec.platform.classes;
  ASSERT_EQ(classes.size(), 3u);
  EXPECT_EQ(classes[kFast].name, "fast");
  EXPECT_EQ(classes[kFast].kind, DeviceKind::Accelerator);
  EXPECT_EQ(classes[kFast].count, 5);
  EXPECT_EQ(classes[kFast].memory, 100);
  EXPECT_EQ(classes[kFast].link_factor, 1);
  EXPECT_EQ(classes[kSlow].count, 5);
  EXPECT_EQ(classes[kSlow].memory, 50.5);
  EXPECT_EQ(classes[kSlow].link_factor, 1.5);
  EXPECT_EQ(classes[kCpu].kind, DeviceKind::Host);
  EXPECT_EQ(classes[kCpu].count, 2);
  EXPECT_EQ(classes[kCpu].memory, 4096);
  EXPECT_EQ(spec.time_factor, (IdVector<ClassId, double>{1, 2, 1}));
  EXPECT_EQ(spec.platform.sync_bandwidth, 1.2e7);

  const Cluster innermost{0.25, {2, 0, 0}, {}};
  const Cluster pair{0.5, {0, 1, 0}, {innermost}};
  const Cluster other{0.75, {0, 3, 1}, {}};
  ASSERT_TRUE(spec.platform.clusters);
  EXPECT_TRUE(*spec.platform.clusters == (Cluster{1, {1, 0, 1}, {pair, pair, other}}));
}

TEST(ReadPlatform, WithoutClustersTheCountsAreTheClasses) {
  const PlatformSpec spec = parse_platform(kPlain, "p.json");
  EXPECT_FALSE(spec.platform.clusters);
  EXPECT_EQ(spec.platform.device_count(), 14u);
  EXPECT_EQ(spec.platform.classes[ClassId(1)].memory, kUnlimited);
  EXPECT_EQ(spec.platform.sync_bandwidth, kUnlimited);
  EXPECT_EQ(parse_platform(gzipped(kPlain), "p.json.gz").platform.device_count(), 14u);
}

TEST(ReadPlatform, NodesGoByClassThenByKind) {
  const Workload workload = parse_workload(kPlatformWorkload, "f.json");
  const auto& nodes = workload.graph.nodes;
  EXPECT_EQ(nodes[NodeId(0)].time, (std::vector<double>{3, 6, 30}));
  EXPECT_EQ(nodes[NodeId(1)].time, (std::vector<double>{1, kCannotRun, 8.5}));
  EXPECT_EQ(nodes[NodeId(2)].time, (std::vector<double>{kCannotRun, 4, 9}));
}

TEST(ReadPlatform, MemoryIsTakenApartWhereANodeSaysSo) {
  const auto& nodes = parse_workload(kPlatformWorkload, "f.json").graph.nodes;
  EXPECT_EQ(nodes[NodeId(0)].memory, 10);
  EXPECT_EQ(nodes[NodeId(0)].parts, (MemoryParts{10, 0, 0, 0}));
  EXPECT_EQ(nodes[NodeId(0)].recompute_share, 1);
  EXPECT_EQ(nodes[NodeId(1)].memory, 23);  // the sum, as it gives no size
  EXPECT_EQ(nodes[NodeId(1)].parts, (MemoryParts{7, 14, 2, 0.5}));
  EXPECT_EQ(nodes[NodeId(1)].recompute_share, 0.75);
  EXPECT_EQ(nodes[NodeId(2)].memory, 12);
  EXPECT_EQ(nodes[NodeId(2)].parts, (MemoryParts{0, 0, 5, 0}));
  EXPECT_EQ(nodes[NodeId(2)].recompute_share, 0);
}

TEST(ReadPlatform, TakesThePlaceOfWhateverTheWorkloadSays) {
  const Workload workload = on(kPlain);
  EXPECT_EQ(workload.platform.device_name(DeviceId(0)), "gpu 0");
  EXPECT_EQ(workload.graph.nodes[NodeId(0)].time, (std::vector<double>{1.5, 4}));
  EXPECT_EQ(workload.graph.nodes[NodeId(2)].time, (std::vector<double>{kCannotRun, 10}));
  const std::string bare = with(kSmallWorkload, R"("maxFPGAs": 2, "maxCPUs": 1, "maxSizePerFPGA": 100.0,)", "");
  EXPECT_EQ(parse_workload(bare, "f", {.platform = parse_platform(kPlain, "p")}).platform.device_count(), 14u);
  // Times on classes that are not there are passed over.
  const std::string fast = with(kPlain, R"("name": "gpu")", R"("name": "fast")");
  const Workload both = parse_workload(kPlatformWorkload, "f", {.platform = parse_platform(fast, "p")});
  EXPECT_EQ(both.graph.nodes[NodeId(1)].time, (std::vector<double>{1, 8.5}));
}

TEST(ReadPlatform, NumbersApplyToTheOnlyClassOfAKind) {
  const Workload workload = on(kPlain, {.accelerators = 3, .memory = 7, .hosts = 0});
  EXPECT_EQ(workload.platform.classes[ClassId(0)].count, 3);
  EXPECT_EQ(workload.platform.classes[ClassId(0)].memory, 7);
  EXPECT_EQ(workload.platform.classes[ClassId(1)].count, 0);
  const Workload clustered = on(with(kPlain, R"("version": 1)", R"("version": 1, "clusters": {"devices": {"gpu": 12,
      "cpu": 2}})"),
                                {.memory = 7});
  EXPECT_EQ(clustered.platform.classes[ClassId(0)].memory, 7) << "memory is where the devices are";
}

TEST(ReadPlatform, ClustersAreDealtOutEvenly) {
  const Platform two = on(kPlain, {.clusters = {{2, 0.1}}}).platform;
  const Cluster half{0.1, {6, 0}, {}};
  EXPECT_TRUE(*two.clusters == (Cluster{1, {0, 2}, {half, half}}));
  const Platform six = on(kPlain, {.clusters = {{2, 0.5}, {3, 0.1}}, .sync_bandwidth = kUnlimited}).platform;
  const Cluster innermost{0.1, {2, 0}, {}};
  const Cluster three{0.5, {0, 0}, {innermost, innermost, innermost}};
  EXPECT_TRUE(*six.clusters == (Cluster{1, {0, 2}, {three, three}}));
  const Platform paper = parse_workload(kSmallWorkload, "f", {.clusters = {{2, 0}}, .sync_bandwidth = 5}).platform;
  EXPECT_TRUE(*paper.clusters == (Cluster{1, {0, 1}, {Cluster{0, {1, 0}, {}}, Cluster{0, {1, 0}, {}}}}));
  EXPECT_EQ(paper.sync_bandwidth, 5);
}

TEST(PlatformErrors, Fields) {
  EXPECT_SAYS(platform_error(R"("version": 1,)", ""), ErrorKind::BadField, "p.json: version", "missing");
  EXPECT_SAYS(platform_error(R"("version": 1)", R"("version": 2)"), ErrorKind::BadField, "version 2", "newer partita");
  EXPECT_SAYS(platform_error(R"("version": 1)", R"("version": 0)"), ErrorKind::BadField, "found 0", "expected 1");
  EXPECT_SAYS(platform_error(R"("name": "fast", )", ""), ErrorKind::BadField, "classes[0].name", "missing", "name");
  EXPECT_SAYS(platform_error(R"("name": "fast")", R"("name": "")"), ErrorKind::BadField, "classes[0].name",
              "not empty");
  EXPECT_SAYS(platform_error(R"("name": "fast")", R"("name": "a\nb")"), ErrorKind::BadField, "classes[0].name",
              "one line");
  EXPECT_SAYS(platform_error(R"("name": "slow")", R"("name": "fast")"), ErrorKind::BadPlatform, "classes[1].name",
              "also the name of classes[0]");
  EXPECT_SAYS(platform_error(R"("kind": "host")", R"("kind": "tpu")"), ErrorKind::BadField, "classes[2].kind",
              "found \"tpu\"", "\"accelerator\" or \"host\"");
  EXPECT_SAYS(platform_error(R"("kind": "host", )", ""), ErrorKind::BadField, "classes[2].kind", "missing");
  EXPECT_SAYS(platform_error(R"("memory": 50.5)", R"("memory": -1)"), ErrorKind::BadPlatform, "classes[1].memory",
              "-1 is negative");
  EXPECT_SAYS(platform_error(R"("timeFactor": 2)", R"("timeFactor": -2)"), ErrorKind::BadNumber,
              "classes[1].timeFactor", "negative");
  EXPECT_SAYS(platform_error(R"("linkFactor": 1.5)", R"("linkFactor": "far")"), ErrorKind::BadField,
              "classes[1].linkFactor", "\"far\"");
  EXPECT_SAYS(platform_error(R"("memory": 4096)", R"("linkFactor": 2)"), ErrorKind::BadPlatform,
              "classes[2].linkFactor", "hosts pay for no transfer");
  EXPECT_SAYS(platform_error("1.2e7", "0"), ErrorKind::BadPlatform, "syncBandwidth", "found 0", "above 0");
  EXPECT_SAYS(platform_error("1.2e7", R"("wide")"), ErrorKind::BadField, "syncBandwidth", "\"wide\"");
  EXPECT_SAYS(error_of([] { parse_platform(R"({"version": 1, "classes": []})", "p"); }), ErrorKind::BadPlatform,
              "classes", "a list of 0", "from 1 to 1000");
  EXPECT_SAYS(error_of([] { parse_platform(kSmallWorkload, "p.json"); }), ErrorKind::BadField, "p.json",
              "is a workload");
  EXPECT_SAYS(error_of([] { parse_workload(kSmallPlatform, "p.json"); }), ErrorKind::BadField, "p.json",
              "is a platform", "PlatformOverrides::platform");
  EXPECT_SAYS(error_of([] { parse_platform(with(kPlain, R"("count": 12, )", ""), "p.json"); }), ErrorKind::BadField,
              "classes[0].count", "missing", "number of devices");
  EXPECT_SAYS(
      error_of([] { parse_platform(with(with(kPlain, ": 12", ": 0"), R"("count": 2)", R"("count": 0)"), "p"); }),
      ErrorKind::BadPlatform, "no devices");
}

TEST(ReadPlatform, LinksHaveLatencies) {
  const std::string text =
      with(with(kSmallPlatform, R"("linkFactor": 1.5)", R"("linkFactor": 1.5, "linkLatency": 0.25)"),
           R"("factor": 0.75)", R"("link": {"factor": 0.1, "latency": 2})");
  const Platform platform = parse_platform(text, "p.json").platform;
  EXPECT_EQ(platform.classes[kSlow].link_latency, 0.25);
  EXPECT_EQ(platform.classes[kFast].link_latency, 0);
  EXPECT_EQ(platform.clusters->clusters.back().link, (Link{0.1, 2}));
  EXPECT_EQ(platform.clusters->clusters.back().factor, 1);
  EXPECT_FALSE(platform.clusters->link);
}

TEST(ReadPlatform, ContentionIsOfAClass) {
  const Platform platform =
      parse_platform(with(kSmallPlatform, R"("linkFactor": 1.5)", R"("contention": 1.25)"), "p.json").platform;
  EXPECT_EQ(platform.classes[kSlow].contention, 1.25);
  EXPECT_EQ(platform.classes[kFast].contention, 1);
  EXPECT_SAYS(platform_error(R"("linkFactor": 1.5)", R"("contention": 0.9)"), ErrorKind::BadPlatform,
              "classes[1].contention", "found 0.9", "from 1 on");
}

std::string with_shared(const std::string& links) {
  return with(kSmallPlatform, R"("syncBandwidth")", R"("sharedLinks": )" + links + R"(, "syncBandwidth")");
}

TEST(ReadPlatform, SharedLinksHaveNamesClassesAndLevels) {
  const Platform platform =
      parse_platform(with_shared(R"([{"name": "switch", "classes": ["slow", "fast"], "factor": 0.5, "latency": 2},
                                     {"name": "card", "level": 2}])"),
                     "p.json")
          .platform;
  ASSERT_EQ(platform.shared_links.size(), 2u);
  EXPECT_EQ(platform.shared_links[0], (SharedLink{"switch", {0.5, 2}, {kSlow, kFast}, 0}));
  EXPECT_EQ(platform.shared_links[1], (SharedLink{"card", {1, 0}, {}, 2}));
}

TEST(ReadPlatform, PhysicalSharedLinksHaveBandwidths) {
  const PlatformSpec spec = parse_platform(R"({"version": 1, "classes": [{"name": "a", "device": "a100", "count": 2}],
    "syncBandwidth": "10 GB/s",
    "sharedLinks": [{"name": "pcie switch", "classes": ["a"], "bandwidth": "50 GB/s", "latency": "10 us"},
                    {"name": "card", "link": {"bandwidth": 1e9}}]})",
                                           "p.json");
  ASSERT_EQ(spec.platform.shared_links.size(), 2u);
  EXPECT_DOUBLE_EQ(spec.platform.shared_links[0].link.factor, 1 / 50e9);
  EXPECT_DOUBLE_EQ(spec.platform.shared_links[0].link.latency, 10e-6);
  EXPECT_DOUBLE_EQ(spec.platform.shared_links[1].link.factor, 1e-9);
  EXPECT_EQ(spec.platform.sync_bandwidth, 10e9);
}

TEST(PlatformErrors, SharedLinks) {
  const auto refused_links = [](const std::string& links) {
    return error_of([&] { parse_platform(with_shared(links), "p.json"); });
  };
  EXPECT_SAYS(refused_links("7"), ErrorKind::BadField, "sharedLinks");
  EXPECT_SAYS(refused_links("[7]"), ErrorKind::BadField, "sharedLinks[0]");
  EXPECT_SAYS(refused_links("[{}]"), ErrorKind::BadField, "sharedLinks[0].name", "is missing");
  EXPECT_SAYS(refused_links(R"([{"name": ""}])"), ErrorKind::BadPlatform, "sharedLinks[0].name", "not empty");
  EXPECT_SAYS(refused_links(R"([{"name": "x"}, {"name": "x"}])"), ErrorKind::BadPlatform, "sharedLinks[1].name",
              "another");
  EXPECT_SAYS(refused_links(R"([{"name": "x", "classes": []}])"), ErrorKind::BadPlatform, "sharedLinks[0].classes",
              "is empty");
  EXPECT_SAYS(refused_links(R"([{"name": "x", "classes": ["gpu"]}])"), ErrorKind::BadPlatform,
              "sharedLinks[0].classes[0]", "no class is called \"gpu\"");
  EXPECT_SAYS(refused_links(R"([{"name": "x", "classes": [1]}])"), ErrorKind::BadField, "sharedLinks[0].classes[0]");
  EXPECT_SAYS(refused_links(R"([{"name": "x", "classes": ["cpu"]}])"), ErrorKind::BadPlatform, "sharedLinks[0].classes",
              "hosts");
  EXPECT_SAYS(refused_links(R"([{"name": "x", "level": 3}])"), ErrorKind::BadPlatform, "sharedLinks[0].level", "to 2");
  EXPECT_SAYS(refused_links(R"([{"name": "x", "level": -99999999999}])"), ErrorKind::BadPlatform,
              "sharedLinks[0].level");
  EXPECT_SAYS(refused_links(R"([{"name": "x", "factor": -1}])"), ErrorKind::BadNumber, "sharedLinks[0].factor",
              "negative");
  EXPECT_SAYS(refused_links(R"([{"name": "x", "bandwidth": 5}])"), ErrorKind::BadPlatform, "sharedLinks[0].bandwidth",
              "factor");
  EXPECT_SAYS(error_of([] {
                parse_platform(R"({"version": 1, "classes": [{"name": "a", "device": "a100", "count": 2}],
                                   "sharedLinks": [{"name": "x", "factor": 2}]})",
                               "p.json");
              }),
              ErrorKind::BadPlatform, "sharedLinks[0].factor", "bandwidth");
}

TEST(PlatformErrors, Links) {
  EXPECT_SAYS(platform_error(R"("linkFactor": 1.5)", R"("linkLatency": -1)"), ErrorKind::BadNumber,
              "classes[1].linkLatency", "negative");
  EXPECT_SAYS(platform_error(R"("kind": "host")", R"("kind": "host", "linkLatency": 1)"), ErrorKind::BadPlatform,
              "classes[2].linkLatency", "hosts pay for no transfer");
  EXPECT_SAYS(platform_error(R"("factor": 0.75)", R"("factor": 0.75, "link": {"latency": 2})"), ErrorKind::BadPlatform,
              "clusters.clusters[1].link", "a link and a factor");
  EXPECT_SAYS(platform_error(R"("factor": 0.75)", R"("link": 3)"), ErrorKind::BadField, "clusters.clusters[1].link",
              "found 3", "a link");
  EXPECT_SAYS(platform_error(R"("factor": 0.75)", R"("link": {"latency": "2"})"), ErrorKind::BadField,
              "clusters.clusters[1].link.latency");
}

TEST(PlatformErrors, Clusters) {
  EXPECT_SAYS(platform_error(R"("count": 5)", R"("count": 6)"), ErrorKind::BadPlatform, "classes[0].count",
              "found 6, but the clusters hold 5");
  EXPECT_SAYS(platform_error(R"("fast": 2)", R"("fats": 2)"), ErrorKind::BadPlatform,
              "clusters.clusters[0].clusters[0].devices", "no class is called \"fats\"");
  EXPECT_SAYS(platform_error(R"("fast": 2)", R"("fast": -2)"), ErrorKind::BadPlatform,
              "clusters.clusters[0].clusters[0].devices.fast", "found -2");
  EXPECT_SAYS(platform_error(R"("factor": 0.75)", R"("factor": -0.75)"), ErrorKind::BadNumber,
              "clusters.clusters[1].factor", "negative");
  EXPECT_SAYS(platform_error(R"("count": 2)", R"("count": 0)"), ErrorKind::BadPlatform, "clusters.clusters[0].count",
              "found 0", "from 1 to 100000");
  EXPECT_SAYS(platform_error(R"("devices": {"cpu": 1, "fast": 1})", R"("count": 2)"), ErrorKind::BadPlatform,
              "clusters.count", "one outermost cluster");
  EXPECT_SAYS(platform_error(R"({"factor": 0.25, "devices": {"fast": 2}})", "3"), ErrorKind::BadField,
              "clusters.clusters[0].clusters[0]", "found 3", "a cluster");
  const std::string many =
      with(with(kSmallPlatform, R"("count": 2)", R"("count": 90000)"), R"("count": 5)", R"("memory": null)");
  EXPECT_SAYS(error_of([&] { parse_platform(with(many, R"("memory": 100, )", ""), "p.json"); }), ErrorKind::BadPlatform,
              "180001 clusters", "at most 100000");
  EXPECT_SAYS(platform_error(R"({"slow": 3)", R"({"slow": 999999)"), ErrorKind::BadPlatform, "classes[1]",
              "1000001 devices of the class");
  EXPECT_SAYS(platform_error(R"({"slow": 3)", R"({"slow": 999997)"), ErrorKind::BadPlatform, "1000004 accelerators");
}

TEST(PlatformErrors, Nodes) {
  EXPECT_SAYS(node_error(R"("slow": null)", R"("snail": null)"), ErrorKind::BadField, "nodes[1].latency (node id 2)",
              "no class is called \"snail\"", "fast, slow, cpu");
  EXPECT_SAYS(node_error(R"("fast": 1, )", R"("fast": -1, )"), ErrorKind::BadNumber,
              "nodes[1].latency.fast (node id 2)", "negative");
  EXPECT_SAYS(node_error(R"("latency": {"slow": 4})", R"("latency": 4)"), ErrorKind::BadField,
              "nodes[2].latency (node id 3)", "found 4");
  EXPECT_SAYS(node_error(R"("latency": {"slow": 4}, "supportedOnFpga": false, "cpuLatency": 9)",
                         R"("latency": {"cpu": null}, "supportedOnFpga": false)"),
              ErrorKind::Infeasible, "nodes[2] (node id 3)", "runs on no class", "fast, slow, cpu");
  EXPECT_SAYS(node_error(R"("slow": null, )", ""), ErrorKind::BadField, "nodes[1].fpgaLatency", "missing");
  EXPECT_SAYS(node_error(R"("fpgaLatency": 3)", R"("fpgaLatency": 1e308)"), ErrorKind::BadNumber,
              "nodes[0].fpgaLatency", "timeFactor 2");
  EXPECT_SAYS(node_error(R"("optimizerState": 14)", R"("optimizerState": -14)"), ErrorKind::BadNumber,
              "nodes[1].optimizerState", "negative");
  EXPECT_SAYS(node_error(R"("recomputeShare": 0.75)", R"("recomputeShare": "half")"), ErrorKind::BadField,
              "nodes[1].recomputeShare", "\"half\"");
  EXPECT_SAYS(node_error(R"("platform": {)", R"("maxCPUs": 1, "platform": {)"), ErrorKind::BadField, "f.json: maxCPUs",
              "beside platform");
  EXPECT_SAYS(node_error(R"("count": 5)", R"("count": 6)"), ErrorKind::BadPlatform, "f.json: platform.classes[0].count",
              "found 6");
}

TEST(PlatformErrors, Overrides) {
  const auto refused = [](const std::string& platform, const PlatformOverrides& overrides) {
    return error_of([&] { on(platform, overrides); });
  };
  EXPECT_SAYS(refused(kSmallPlatform, {.accelerators = 2}), ErrorKind::BadPlatform, "accelerators",
              "2 classes of accelerators (fast, slow)", "change the platform itself");
  EXPECT_SAYS(refused(kSmallPlatform, {.memory = 2}), ErrorKind::BadPlatform, "memory", "2 classes of accelerators");
  EXPECT_SAYS(refused(kSmallPlatform, {.hosts = 2}), ErrorKind::BadPlatform, "hosts", "clusters",
              "change the numbers in the clusters");
  EXPECT_SAYS(refused(R"({"version": 1, "classes": [{"name": "g", "kind": "accelerator", "count": 1}]})", {.hosts = 2}),
              ErrorKind::BadPlatform, "hosts", "no class of hosts");
  EXPECT_SAYS(refused(kPlain, {.accelerators = -1}), ErrorKind::BadPlatform, "accelerators", "found -1");
  EXPECT_SAYS(refused(kPlain, {.accelerators = 0, .hosts = 0}), ErrorKind::BadPlatform, "no devices");
  EXPECT_SAYS(refused(kPlain, {.clusters = {{5, 0.1}}}), ErrorKind::BadPlatform, "clusters", "12 devices",
              "over 5 clusters");
  EXPECT_SAYS(refused(kPlain, {.clusters = {{0, 0.1}}}), ErrorKind::BadPlatform, "clusters", "found 0 clusters");
  EXPECT_SAYS(refused(kPlain, {.clusters = {{2, -0.5}}}), ErrorKind::BadPlatform, "clusters", "factor -0.5");
  EXPECT_SAYS(refused(kPlain, {.clusters = {{99999, 1}, {99999, 1}}}), ErrorKind::BadPlatform, "clusters",
              "9999800001 innermost clusters");
  EXPECT_SAYS(refused(kSmallPlatform, {.clusters = {{2, 0.1}}}), ErrorKind::BadPlatform, "clusters already");
  EXPECT_SAYS(refused(kPlain, {.sync_bandwidth = 0}), ErrorKind::BadPlatform, "sync bandwidth", "found 0");
}

}  // namespace
}  // namespace partita::detail
