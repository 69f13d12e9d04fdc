// SPDX-License-Identifier: Apache-2.0
// Graphs made by hand: what GraphBuilder makes of them, and that whatever is wrong is refused before anybody computes
// with it. Run this under the sanitizers: most of what is refused here would be read out of bounds elsewhere.
#include "partita/model/validate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "partita/model/graph_builder.h"
#include "partita/model/made_sound.h"
#include "partita/util/error.h"

namespace partita::detail {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Node node_with(std::int64_t id) {
  Node node;
  node.original_id = id;
  node.time = {1, 2};
  return node;
}

// a -> b -> c, on two accelerators and a host.
Workload chain() {
  GraphBuilder builder(make_platform(2, 100, 1));
  const NodeId a = builder.add_node({.name = "a", .time = {1, 4}, .memory = 10});
  const NodeId b = builder.add_node({.name = "b", .time = {2, kCannotRun}});
  const NodeId c = builder.add_node({.name = "c", .time = {3, 6}});
  builder.add_edge(a, b, 0.5);
  builder.add_edge(b, c, 0.25);
  return builder.build("chain", "ms");
}

// What is said of the chain after `harm`; empty where nothing is wrong with it.
std::string refusal(const std::function<void(Workload&)>& harm, ErrorKind kind) {
  Workload workload = chain();
  harm(workload);
  try {
    validate(workload);
  } catch (const InputError& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    EXPECT_FALSE(error.where().empty()) << error.what();
    return error.what();
  }
  return "";
}

TEST(GraphBuilder, MakesWhatAFileWouldSay) {
  const Workload workload = chain();
  EXPECT_EQ(workload.name, "chain");
  EXPECT_EQ(workload.time_unit, "ms");
  ASSERT_EQ(workload.graph.nodes.size(), 3u);
  EXPECT_EQ(workload.graph.nodes[NodeId(2)].original_id, 2);
  const Node& a = workload.graph.nodes[NodeId(0)];
  EXPECT_EQ(a.memory, 10);
  EXPECT_EQ(a.parts.weights, 10);
  EXPECT_EQ(a.recompute_share, 1);
  ASSERT_EQ(workload.graph.edges.size(), 2u);
  EXPECT_EQ(workload.graph.edges[1].cost, 0.25);
}

TEST(GraphBuilder, FillsInWhatIsLeftOut) {
  GraphBuilder builder(make_platform(1, kUnlimited, 0));
  builder.add_node({.time = {1, 1}, .parts = MemoryParts{4, 2, 1, 0}, .id = 70});
  builder.add_node({.time = {1, 1}, .memory = 3, .parts = MemoryParts{4, 2, 1, 0}, .recompute_share = 0.5});
  builder.add_node({.time = {1, 1}, .backward = true, .colour = 5, .layer = 6, .op = "mm", .output_bytes = 8});
  const Workload workload = builder.build();
  const auto& nodes = workload.graph.nodes;
  EXPECT_EQ(nodes[NodeId(0)].original_id, 70);
  EXPECT_EQ(nodes[NodeId(0)].memory, 7);
  EXPECT_EQ(nodes[NodeId(1)].memory, 3);
  EXPECT_EQ(nodes[NodeId(1)].parts.activation, 1);
  EXPECT_EQ(nodes[NodeId(1)].recompute_share, 0.5);
  EXPECT_EQ(nodes[NodeId(2)].recompute_share, 0);
  EXPECT_EQ(nodes[NodeId(2)].colour, 5);
  EXPECT_EQ(nodes[NodeId(2)].layer, 6);
}

TEST(GraphBuilder, LeavesOutRepeatedEdgesAndRefusesWhatIsWrong) {
  GraphBuilder builder(make_platform(1, kUnlimited, 1));
  const NodeId a = builder.add_node({.time = {1, 1}});
  const NodeId b = builder.add_node({.time = {1, 1}});
  builder.add_edge(a, b, 1);
  builder.add_edge(a, b, 1);
  builder.add_edge(a, b, 2);
  EXPECT_EQ(builder.build().graph.edges.size(), 2u);
  builder.validate();
  builder.add_edge(b, a, 1);
  EXPECT_THROW(builder.validate(), InputError);
  EXPECT_THROW(builder.build(), InputError);
}

TEST(Validate, AcceptsWhatIsSound) {
  validate(chain());
  validate(Problem(chain()));
  EXPECT_EQ(refusal([](Workload&) {}, ErrorKind::Usage), "");
}

TEST(Validate, RefusesTimesThatDoNotFitTheClasses) {
  EXPECT_EQ(refusal([](Workload& w) { w.graph.nodes[NodeId(1)].time = {1}; }, ErrorKind::BadField),
            "graph.nodes[1].time: has 1 entries; expected 2, one for each class of the platform");
  EXPECT_NE(refusal([](Workload& w) { w.graph.nodes[NodeId(1)].time = {1, 2, 3}; }, ErrorKind::BadField), "");
  EXPECT_NE(refusal([](Workload& w) { w.graph.nodes[NodeId(0)].time.clear(); }, ErrorKind::BadField), "");
  EXPECT_NE(refusal(
                [](Workload& w) {
                  w.graph.nodes[NodeId(0)].time = {kCannotRun, kCannotRun};
                },
                ErrorKind::Infeasible),
            "");
}

TEST(Validate, RefusesNumbersThatAreNone) {
  for (const double bad : {kNaN, -1.0, -kUnlimited}) {
    EXPECT_NE(refusal([&](Workload& w) { w.graph.nodes[NodeId(0)].time[0] = bad; }, ErrorKind::BadNumber), "");
  }
  for (const double bad : {kNaN, -1.0, kUnlimited}) {
    const auto said = [&](const std::function<double&(Workload&)>& field) {
      return refusal([&](Workload& w) { field(w) = bad; }, ErrorKind::BadNumber);
    };
    const NodeId v(1);
    EXPECT_NE(said([&](Workload& w) -> double& { return w.graph.nodes[v].memory; }), "");
    EXPECT_NE(said([&](Workload& w) -> double& { return w.graph.nodes[v].parts.weights; }), "");
    EXPECT_NE(said([&](Workload& w) -> double& { return w.graph.nodes[v].parts.optimizer_state; }), "");
    EXPECT_NE(said([&](Workload& w) -> double& { return w.graph.nodes[v].parts.activation; }), "");
    EXPECT_NE(said([&](Workload& w) -> double& { return w.graph.nodes[v].parts.recompute_activation; }), "");
    EXPECT_NE(said([&](Workload& w) -> double& { return w.graph.nodes[v].recompute_share; }), "");
    EXPECT_NE(said([&](Workload& w) -> double& { return w.graph.edges[0].cost; }), "");
  }
  EXPECT_NE(refusal([](Workload& w) { w.graph.nodes[NodeId(0)].time[0] = w.graph.nodes[NodeId(1)].time[0] = 1e300; },
                    ErrorKind::BadNumber),
            "");
  EXPECT_NE(refusal([](Workload& w) { w.graph.edges[0].cost = 1e-310; }, ErrorKind::BadNumber), "");
}

TEST(Validate, RefusesEdgesThatLeadNowhereOrInCircles) {
  EXPECT_EQ(refusal([](Workload& w) { w.graph.edges[1].to = NodeId(3); }, ErrorKind::BadGraph),
            "graph.edges[1].to: is no node of the graph; expected the id of one of its nodes");
  EXPECT_NE(refusal([](Workload& w) { w.graph.edges[0].from = NodeId(); }, ErrorKind::BadGraph), "");
  EXPECT_NE(refusal([](Workload& w) { w.graph.edges[0].to = w.graph.edges[0].from; }, ErrorKind::BadGraph), "");
  EXPECT_NE(refusal(
                [](Workload& w) {
                  w.graph.edges.push_back({NodeId(2), NodeId(0), 1});
                },
                ErrorKind::BadGraph)
                .find("cycle of 3 nodes: 0 -> 1 -> 2 -> 0"),
            std::string::npos);
  EXPECT_NE(refusal([](Workload& w) { w.graph.nodes[NodeId(1)].backward = true; }, ErrorKind::BadGraph)
                .find("leads from backward node 1 to forward node 2"),
            std::string::npos);
}

TEST(Validate, RefusesIdsThatAreNotUniqueAndGraphsWithoutNodes) {
  EXPECT_NE(refusal([](Workload& w) { w.graph.nodes[NodeId(2)].original_id = 0; }, ErrorKind::BadGraph), "");
  EXPECT_NE(refusal([](Workload& w) { w.graph = {}; }, ErrorKind::BadGraph), "");
  Workload unsorted = chain();
  unsorted.graph.nodes.push_back(node_with(-7));
  validate(unsorted);
}

TEST(Validate, RefusesPlatformsThatMakeNoSense) {
  const auto said = [](const std::function<void(Platform&)>& harm) {
    return refusal([&](Workload& w) { harm(w.platform); }, ErrorKind::BadPlatform);
  };
  const ClassId accelerator(0), host(1);
  EXPECT_NE(said([](Platform& p) { p.classes.clear(); }), "");
  EXPECT_NE(said([&](Platform& p) { p.classes[accelerator].count = -1; }), "");
  EXPECT_NE(said([&](Platform& p) { p.classes[accelerator].count = kMaxDevicesOfAKind + 1; }), "");
  EXPECT_NE(said([&](Platform& p) { p.classes[accelerator].count = p.classes[host].count = 0; }), "");
  EXPECT_NE(said([&](Platform& p) { p.classes[accelerator].memory = kNaN; }), "");
  EXPECT_NE(said([&](Platform& p) { p.classes[accelerator].memory = -1; }), "");
  EXPECT_NE(said([&](Platform& p) { p.classes[accelerator].link_factor = kNaN; }), "");
  EXPECT_NE(said([&](Platform& p) { p.classes[host].link_factor = 2; }), "");
  EXPECT_NE(said([&](Platform& p) { p.classes[accelerator].link_latency = -1; }), "");
  EXPECT_NE(said([&](Platform& p) { p.classes[accelerator].contention = 0.5; }), "");
  EXPECT_NE(said([&](Platform& p) { p.classes[host].contention = kNaN; }), "");
  EXPECT_NE(said([&](Platform& p) { p.classes[host].link_latency = 2; }), "");
  EXPECT_NE(said([&](Platform& p) { p.classes[host].name = p.classes[accelerator].name; }), "");
  EXPECT_NE(said([&](Platform& p) { p.classes[host].kind = static_cast<DeviceKind>(7); }), "");
  EXPECT_NE(said([](Platform& p) { p.sync_bandwidth = 0; }), "");
  EXPECT_NE(said([](Platform& p) { p.sync_bandwidth = kNaN; }), "");
}

TEST(Validate, RefusesSharedLinksThatMakeNoSense) {
  const ClassId accelerator(0), host(1);
  const auto said = [](const std::vector<SharedLink>& links, bool clusters = false) {
    const std::string text = refusal(
        [&](Workload& w) {
          if (clusters) w.platform.clusters = Cluster{1, {0, 1}, {Cluster{1, {2, 0}, {}}}};
          w.platform.shared_links = links;
        },
        ErrorKind::BadPlatform);
    return text.substr(0, text.find(": "));
  };
  const SharedLink good{"switch", {1, 0}, {accelerator}, 0};
  EXPECT_EQ(said({good}), "");
  EXPECT_EQ(said({{"card", {0, 1}, {}, 1}}, true), "");
  EXPECT_EQ(said({good, good}), "platform.shared_links[1].name");
  EXPECT_EQ(said({{"", {1, 0}, {}, 0}}), "platform.shared_links[0].name");
  EXPECT_EQ(said({{"two\nlines", {1, 0}, {}, 0}}), "platform.shared_links[0].name");
  EXPECT_EQ(said({{"switch", {-1, 0}, {}, 0}}), "platform.shared_links[0].link");
  EXPECT_EQ(said({{"switch", {1, kNaN}, {}, 0}}), "platform.shared_links[0].link");
  EXPECT_EQ(said({{"switch", {1, 0}, {host}, 0}}), "platform.shared_links[0].classes");
  EXPECT_EQ(said({{"switch", {1, 0}, {accelerator, accelerator}, 0}}), "platform.shared_links[0].classes");
  EXPECT_EQ(said({{"switch", {1, 0}, {ClassId(7)}, 0}}), "platform.shared_links[0].classes");
  EXPECT_EQ(said({{"switch", {1, 0}, {}, 1}}), "platform.shared_links[0].level");
  EXPECT_EQ(said({{"switch", {1, 0}, {}, -1}}, true), "platform.shared_links[0].level");
  EXPECT_EQ(said({{"switch", {1, 0}, {}, 2}}, true), "platform.shared_links[0].level");
  EXPECT_EQ(said(std::vector<SharedLink>(101, good)), "platform.shared_links");
}

TEST(Validate, RefusesClustersThatDoNotHoldTheDevices) {
  const auto said = [](const Cluster& cluster) {
    return refusal([&](Workload& w) { w.platform.clusters = cluster; }, ErrorKind::BadPlatform);
  };
  const Cluster one{0.5, {1, 0}, {}};
  EXPECT_EQ(said({1, {0, 1}, {one, one}}), "");
  EXPECT_NE(said({1, {0, 1}, {one}}), "");
  EXPECT_NE(said({1, {0}, {one, one}}), "");
  EXPECT_NE(said({kNaN, {0, 1}, {one, one}}), "");
  EXPECT_NE(said({1, {3, 1}, {Cluster{1, {-1, 0}, {}}}}), "");
  Cluster deep{1, {2, 1}, {}};
  for (int i = 0; i < 1000; ++i) {
    Cluster around{1, {0, 0}, {}};
    around.clusters.push_back(std::move(deep));
    deep = std::move(around);
  }
  EXPECT_NE(said(deep), "");
}

TEST(Validate, RefusesQuestionsThatMakeNoSense) {
  const auto said = [](const std::function<void(Question&)>& harm) -> std::string {
    Problem problem(chain());
    harm(problem);
    try {
      validate(problem);
    } catch (const InputError& error) {
      EXPECT_EQ(error.kind(), ErrorKind::Usage);
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(said([](Question& q) { q.subgraphs = 0; }), "Question::subgraphs: found 0; expected at least 1");
  EXPECT_EQ(said([](Question& q) { q.replicas = -3; }), "Question::replicas: found -3; expected at least 1");
  EXPECT_NE(said([](Question& q) { q.microbatches = -1; }), "");
  EXPECT_NE(said([](Question& q) { q.shape = static_cast<Shape>(9); }), "");
  EXPECT_NE(said([](Question& q) { q.memory_model = MemoryModel::GPipe; }), "");
  EXPECT_EQ(said([](Question& q) { q.replicas = 2; }), "");
}

TEST(MadeSound, SharesTheWorkloadUnlessItsMemoryDoesNotAddUp) {
  const Problem whole(chain());
  EXPECT_EQ(&*made_sound(whole).workload, &*whole.workload);
  Problem fractions(chain());
  fractions.workload.change().graph.nodes[NodeId(0)].memory = 0.1;
  fractions.workload.change().graph.nodes[NodeId(1)].memory = 1e9;
  const Problem sound = made_sound(fractions);
  EXPECT_NE(&*sound.workload, &*fractions.workload);
  EXPECT_NEAR(sound.workload->graph.nodes[NodeId(0)].memory, 0.1, 1e-6);
  EXPECT_EQ(&*made_sound(sound).workload, &*sound.workload);
}

}  // namespace
}  // namespace partita::detail
