// SPDX-License-Identifier: Apache-2.0
// The simple baselines: never a crash, and splits whose only faults are those that their headers name.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "partita/check/check.h"
#include "partita/solve/baseline/even_layers.h"
#include "partita/solve/baseline/expert.h"
#include "partita/solve/baseline/local_search.h"
#include "partita/solve/baseline/pipedream.h"
#include "partita/solve/shared/single.h"
#include "partita/util/dice.h"
#include "partita/util/error.h"
#include "tests/support/brute_force.h"
#include "tests/support/cases.h"
#include "tests/support/graph_text.h"
#include "tests/support/pipeline_brute_force.h"
#include "tests/support/random_setup.h"
#include "tests/support/random_workload.h"

namespace partita::detail::test {
namespace {

using Baseline = std::function<std::optional<Split>(const Problem&)>;

// The first violation that is not of memory, or nothing.
std::optional<std::string> fault(const Problem& problem, const Split& split) {
  for (const Violation& violation : check(problem, split).violations) {
    if (violation.kind != Violation::Kind::Memory) return violation.message;
  }
  return std::nullopt;
}

// On random workloads of a kind; returns how often there was a split.
std::size_t expect_only_memory_faults(const Baseline& baseline, Shape shape,
                                      const std::function<bool(const Workload&)>& applies) {
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed <= cases(5'000); ++seed) {
    Problem problem{random_workload(seed)};
    problem.shape = shape;
    if (!applies(problem.workload)) continue;
    const auto split = baseline(problem);
    if (!split) continue;
    ++found;
    const auto wrong = fault(problem, *split);
    EXPECT_FALSE(wrong) << "seed " << seed << ": " << *wrong;
  }
  return found;
}

bool anything(const Workload&) { return true; }

// Every node runs on every class.
bool runs_everywhere(const Workload& workload) {
  return workload.platform.device_count(DeviceKind::Accelerator) > 0 &&
         std::all_of(workload.graph.nodes.begin(), workload.graph.nodes.end(), [](const Node& node) {
           return std::find(node.time.begin(), node.time.end(), kCannotRun) == node.time.end();
         });
}

TEST(Single, BreaksNothingButMemory) {
  EXPECT_GT(expect_only_memory_faults(single_split, Shape::Free, anything), cases(5'000) / 2);
  EXPECT_GT(expect_only_memory_faults(single_split, Shape::Staged, runs_everywhere), cases(5'000) / 4);
}

std::vector<std::size_t> devices(const std::optional<Split>& split) {
  std::vector<std::size_t> result;
  for (DeviceId d : split.value().device_of) result.push_back(d.index());
  return result;
}

TEST(Single, TakesAllThatItCanRun) {
  // Devices 0 and 1 are accelerators, 2 and 3 hosts.
  Problem problem{graph_from_text("a 1 1 mem=9; b - 1; c 1 1; d 1 1; a -> b -> c; a -> d", 2, 5, 2)};
  problem.shape = Shape::Free;
  EXPECT_EQ(devices(single_split(problem)), (std::vector<std::size_t>{0, 2, 0, 0}));
  // A path may not leave it and come back.
  problem.shape = Shape::Staged;
  EXPECT_EQ(devices(single_split(problem)), (std::vector<std::size_t>{0, 3, 3, 0}));
  EXPECT_FALSE(fault(problem, *single_split(problem)));
  problem.objective = Objective::Latency;
  EXPECT_FALSE(fault(problem, *single_split(problem)));
}

TEST(Single, HasNothingToSayWithoutADeviceThatRunsIt) {
  EXPECT_FALSE(single_split({graph_from_text("a 1 -; a2 - 1", 1, kUnlimited, 0)}));
  EXPECT_FALSE(single_split({graph_from_text("a 1 -", 0, kUnlimited, 1)}));
}

TEST(EvenLayers, BreaksNothingButMemory) {
  EXPECT_GT(expect_only_memory_faults(even_layers_split, Shape::Free, anything), cases(5'000) / 2);
  EXPECT_GT(expect_only_memory_faults(even_layers_split, Shape::Staged, runs_everywhere), cases(5'000) / 4);
}

TEST(EvenLayers, CountsLayersAndNothingElse) {
  const char* chain = "a 9 9; b 1 1; c 1 1; d 1 1; e 1 1; f 1 1; g 1 1; a -> b -> c -> d -> e -> f -> g";
  EXPECT_EQ(devices(even_layers_split({graph_from_text(chain, 3)})), (std::vector<std::size_t>{0, 0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(devices(even_layers_split({graph_from_text(chain, 0, kUnlimited, 2)})),
            (std::vector<std::size_t>{0, 0, 0, 0, 1, 1, 1}));
  // Twins follow their forward nodes.
  EXPECT_EQ(devices(even_layers_split(
                {graph_from_text("a 1 1 colour=1; b 1 1 colour=2; B 1 1 colour=2 back; A 1 1 colour=1 back;"
                                 "a -> b -> B -> A",
                                 2)})),
            (std::vector<std::size_t>{0, 1, 1, 0}));
}

TEST(PipeDream, IsStagedAndFits) {
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed <= cases(5'000); ++seed) {
    Problem problem{random_workload(seed)};
    problem.backward_shape = seed % 2 == 0;
    const auto split = pipedream_split(problem);
    if (!split) continue;
    ++found;
    const CheckReport report = check(problem, *split);
    EXPECT_TRUE(report.legal()) << "seed " << seed << ": " << report.violations[0].message;
  }
  EXPECT_GT(found, cases(5'000) / 4);
}

TEST(PipeDream, MakesALayerOfEachBranching) {
  // Two diamonds in a row: a, b and c are one layer, and d begins the next.
  Problem problem{
      graph_from_text("a 1 99; b 1 99; c 1 99; d 1 99; e 1 99; f 1 99; g 1 99;"
                      "a -> b c; b c -> d; d -> e f; e f -> g",
                      4)};
  EXPECT_EQ(check(problem, *pipedream_split(problem)).value, 3);
  // A path is left as it is.
  problem.workload = graph_from_text("a 1 99; b 1 99; c 1 99; d 1 99; a -> b -> c -> d", 4);
  EXPECT_EQ(check(problem, *pipedream_split(problem)).value, 1);
  // A mask that everybody reads, free to move, does not make one layer of all.
  problem.workload = graph_from_text(
      "m 0 0; a 1 99; b 1 99; c 1 99; d 1 99; m -> a b c d; a -> b : 0.125; b -> c : 0.125; c -> d : 0.125", 4);
  EXPECT_EQ(check(problem, *pipedream_split(problem)).value, 1.25);
}

TEST(PipeDream, IsStagedAndFitsOnAnyDevices) {
  std::size_t found = 0, tried = 0, copied = 0;
  for (std::uint64_t seed = 1; seed <= cases(2'000); ++seed) {
    SetupFeatures features;
    features.clusters = false;
    const Problem problem = random_setup(seed, features);
    if (problem.workload->graph.nodes.size() > 7) continue;  // for the brute force
    ++tried;
    const auto split = pipedream_split(problem);
    if (!split) continue;
    ++found;
    copied += !split->copy_of.empty();
    const CheckReport report = check(problem, *split);
    EXPECT_TRUE(report.legal()) << "seed " << seed << ": " << report.violations[0].message << "\n" << describe(problem);
    const auto best = pipeline_brute_force(problem);
    ASSERT_TRUE(best) << "seed " << seed;
    EXPECT_GE(report.value, *best * (1 - 1e-9)) << "seed " << seed << "\n" << describe(problem);
  }
  EXPECT_GT(found, tried / 4);
  EXPECT_GT(copied, found / 20);
}

// What is a path is split in the best way, whatever the devices and the transfer mode.
TEST(PipeDream, IsBestOnPaths) {
  std::size_t found = 0, tried = 0;
  for (std::uint64_t seed = 1; seed <= cases(1'000); ++seed) {
    Workload chain = graph_from_text("a 3 9 mem=2; b 1 9 mem=1; c 4 9 mem=2; d 2 9 mem=1; e 2 9; f 5 9 mem=3");
    Dice dice(seed);
    for (std::size_t v = 1; v < chain.graph.nodes.size(); ++v)
      chain.graph.edges.push_back({NodeId(v - 1), NodeId(v), static_cast<double>(dice.below(5))});
    SetupFeatures features = SetupFeatures::none();
    features.classes = features.transfers = true;
    const Problem problem = random_setup(chain, seed, features);
    const auto best = brute_force(problem);
    const auto split = pipedream_split(problem);
    ASSERT_EQ(best.has_value(), split.has_value()) << "seed " << seed << "\n" << describe(problem);
    ++tried;
    if (!best) continue;
    ++found;
    const CheckReport report = check(problem, *split);
    EXPECT_TRUE(report.legal()) << "seed " << seed;
    EXPECT_NEAR(report.value, *best, 1e-9 * *best) << "seed " << seed << "\n" << describe(problem);
  }
  EXPECT_GT(found, tried / 2);
}

TEST(PipeDream, SaysWhereThereAreTooManyWays) {
  Problem problem;
  problem.workload.change().platform.classes = {
      {"a", DeviceKind::Accelerator, 40}, {"b", DeviceKind::Accelerator, 40}, {"c", DeviceKind::Accelerator, 40}};
  Graph& graph = problem.workload.change().graph;
  for (std::size_t v = 0; v < 30; ++v) {
    Node node;
    node.original_id = static_cast<std::int64_t>(v);
    node.time = {1, 2, 3};
    graph.nodes.push_back(node);
    if (v > 0) graph.edges.push_back({NodeId(v - 1), NodeId(v), 1});
  }
  EXPECT_THROW(pipedream_split(problem), InputError);
}

// The nodes of a split that `keep` likes, as a file would list them.
template <class Keep>
SplitListing listing_of(const Workload& workload, const Split& split, Keep keep) {
  SplitListing listing;
  for (DeviceId d : ids<DeviceId>(workload.platform.device_count())) {
    SplitListing::Device device;
    device.kind = workload.platform.classes[workload.platform.class_of(d)].kind;
    for (NodeId v : workload.graph.nodes.all()) {
      const Node& node = workload.graph.nodes[v];
      if (split.device_of[v] == d && keep(node)) device.node_ids.push_back(node.original_id);
    }
    listing.devices.push_back(device);
  }
  return listing;
}

TEST(Expert, ExtendsAForwardSplitToTheBackwardPass) {
  std::size_t found = 0, trained = 0;
  for (std::uint64_t seed = 1; seed <= cases(5'000); ++seed) {
    Problem problem{random_workload(seed)};
    problem.shape = Shape::Free;
    const Graph& graph = problem.workload->graph;
    const auto whole = local_search_split(problem, {.restarts = 1, .seed = seed});
    if (!whole) continue;
    const auto listing = listing_of(problem.workload, *whole, [](const Node& node) { return !node.backward; });
    const auto split = expert_split(problem, listing);
    ASSERT_TRUE(split) << "seed " << seed;
    ++found;
    trained += graph.has_backward();
    for (NodeId v : graph.nodes.all()) {
      if (graph.nodes[v].backward) continue;
      EXPECT_EQ(split->device_of[v], whole->device_of[v]) << "seed " << seed;
    }
    const auto wrong = fault(problem, *split);
    EXPECT_FALSE(wrong) << "seed " << seed << ": " << *wrong;
  }
  EXPECT_GT(found, cases(5'000) / 2);
  EXPECT_GT(trained, cases(5'000) / 8);
}

TEST(Expert, KeepsAWholeSplitAsItIs) {
  for (std::uint64_t seed = 1; seed <= cases(1'000); ++seed) {
    const Problem problem{random_workload(seed)};
    const auto whole = local_search_split(problem, {.restarts = 1, .seed = seed});
    if (!whole) continue;
    const auto listing = listing_of(problem.workload, *whole, [](const Node&) { return true; });
    EXPECT_EQ(expert_split(problem, listing).value().device_of, whole->device_of) << "seed " << seed;
  }
}

TEST(Expert, PutsOrphansBesideTheirDearestNeighbours) {
  // o is nearer to B, p to o; q has no neighbour and follows the trace.
  const Problem problem{graph_from_text(
      "a 1 1 colour=1; b 1 1 colour=2; B 1 1 colour=2 back; o 1 1 back; p 1 1 back; A 1 1 colour=1 back; q 1 1 back;"
      "a -> b -> B : 1; B -> o : 3; o -> p : 1; o -> A : 2",
      2)};
  const auto split = split_from_text(problem.workload, "a | b");
  const auto listing = listing_of(problem.workload, split, [](const Node& node) { return !node.backward; });
  EXPECT_EQ(devices(expert_split(problem, listing)), (std::vector<std::size_t>{0, 1, 1, 1, 1, 0, 0}));
}

TEST(Expert, RefusesASplitOfSomethingElse) {
  const Problem problem{graph_from_text("a 1 1 id=1; b 1 1 id=2; a -> b", 2)};
  const auto listing = [](std::vector<std::vector<std::int64_t>> nodes) {
    SplitListing result;
    for (auto& ids : nodes) result.devices.push_back({.kind = DeviceKind::Accelerator, .name = "", .node_ids = ids});
    return result;
  };
  EXPECT_TRUE(expert_split(problem, listing({{1}, {2}, {}})));
  EXPECT_FALSE(expert_split(problem, listing({{1}, {2, 3}})));   // no node 3
  EXPECT_FALSE(expert_split(problem, listing({{1}, {2, 1}})));   // 1 twice
  EXPECT_FALSE(expert_split(problem, listing({{1}, {}, {2}})));  // no third accelerator
  EXPECT_FALSE(expert_split(problem, listing({{1}})));           // nothing says where 2 is
}

}  // namespace
}  // namespace partita::detail::test
