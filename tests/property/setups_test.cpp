// SPDX-License-Identifier: Apache-2.0
// `plan` on platforms beyond the paper's, with copies of stages and samples in flight: against brute force with each
// extension alone and with all of them, against the published recurrences of PipeDream and Piper, and against itself:
// parameters that mean nothing change nothing, and better devices never make it worse.
#include <algorithm>
#include <functional>
#include <initializer_list>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "partita/partita.h"
#include "tests/property/answers.h"
#include "tests/property/property.h"
#include "tests/support/brute_force.h"
#include "tests/support/cases.h"
#include "tests/support/graph_text.h"
#include "tests/support/pipedream_recurrence.h"
#include "tests/support/pipeline_brute_force.h"
#include "tests/support/piper_recurrence.h"
#include "tests/support/random_path.h"
#include "tests/support/random_settings.h"
#include "tests/support/random_setup.h"

namespace partita::detail {
namespace {

constexpr std::size_t kMostNodes = 7;  // for the brute force

std::optional<double> planned(const Problem& problem) {
  const Plan answer = plan_fully(problem);
  if (!answer.result.split) return std::nullopt;
  return answer.result.value;
}

// How often a question is as interesting as it should be.
struct SetupsMet {
  int questions = 0;
  int answered = 0;   // there is a split
  int not_plain = 0;  // and it shares a stage, recomputes or is on two classes or clusters
  void expect_enough(int one_in) const {
    expect_more_than(answered, questions, 3, "answered");
    expect_more_than(not_plain, questions, one_in, "not plain");
  }
};

bool uses_something_new(const Plan& answer, const Problem& problem) {
  std::vector<ClassId> used;
  for (DeviceId d : answer.report.devices.all()) {
    const DeviceReport& device = answer.report.devices[d];
    if (device.sharing > 1 || (device.recomputes && device.node_count > 0) || device.memory_items.in_flight > 1)
      return true;
    if (device.node_count > 0) used.push_back(problem.workload->platform.class_of(d));
  }
  if (problem.workload->platform.clusters && used.size() > 1) return true;
  return !used.empty() && used.front() != used.back();
}

void expect_optimal(const SetupFeatures& features, int one_in, int rarity = 2, std::size_t most_nodes = kMostNodes) {
  SetupsMet met;
  expect_for_all_workloads(
      [&](const Workload& workload, unsigned number) -> Complaint {
        if (workload.graph.nodes.size() > most_nodes) return {};
        const Problem problem = random_setup(workload, number, features);
        const Plan answer = plan_fully(problem);
        ++met.questions;
        met.answered += answer.result.split ? 1 : 0;
        met.not_plain += answer.result.split && uses_something_new(answer, problem) ? 1 : 0;
        return wrong_setup(problem, answer, pipeline_brute_force(problem));
      },
      rarity);
  met.expect_enough(one_in);
}

SetupFeatures only(std::initializer_list<bool SetupFeatures::*> some) {
  SetupFeatures features = SetupFeatures::none();
  for (bool SetupFeatures::*feature : some) features.*feature = true;
  return features;
}

using F = SetupFeatures;
TEST(PlanEqualsPipelineBruteForce, Classes) { expect_optimal(only({&F::classes}), 10); }
TEST(PlanEqualsPipelineBruteForce, Clusters) { expect_optimal(only({&F::clusters}), 10); }
TEST(PlanEqualsPipelineBruteForce, Copies) { expect_optimal(only({&F::copies}), 10); }
TEST(PlanEqualsPipelineBruteForce, SamplesInFlight) { expect_optimal(only({&F::memory}), 10); }
TEST(PlanEqualsPipelineBruteForce, TransferModes) { expect_optimal(only({&F::transfers}), 20); }
TEST(PlanEqualsPipelineBruteForce, Recomputing) { expect_optimal(only({&F::memory, &F::recompute}), 10); }
TEST(PlanEqualsPipelineBruteForce, CopiesOfClusters) { expect_optimal(only({&F::clusters, &F::copies}), 5); }
TEST(PlanEqualsPipelineBruteForce, ClassesInClusters) { expect_optimal(only({&F::clusters, &F::classes}), 5); }
TEST(PlanEqualsPipelineBruteForce, CopiesWithSamplesInFlight) {
  expect_optimal(only({&F::copies, &F::memory, &F::recompute}), 5);
}
TEST(PlanEqualsPipelineBruteForce, SamplesInFlightInClusters) { expect_optimal(only({&F::clusters, &F::memory}), 5); }
TEST(PlanEqualsPipelineBruteForce, CopiesOfClustersWithSamplesInFlight) {
  SetupFeatures features = only({&F::clusters, &F::copies, &F::memory, &F::recompute});
  features.most_devices = 6;
  expect_optimal(features, 5, 2, 5);
}

TEST(PlanEqualsPipelineBruteForce, OneLinkWithLatency) { expect_optimal(only({&F::latencies}), 1'000'000); }
TEST(PlanEqualsPipelineBruteForce, LatenciesOfClasses) { expect_optimal(only({&F::classes, &F::latencies}), 10); }
TEST(PlanEqualsPipelineBruteForce, LatenciesOfClusters) { expect_optimal(only({&F::clusters, &F::latencies}), 10); }
TEST(PlanEqualsPipelineBruteForce, LatenciesOfClassesInClusters) {
  expect_optimal(only({&F::clusters, &F::classes, &F::latencies, &F::transfers}), 5);
}
TEST(PlanEqualsPipelineBruteForce, LatenciesOfCopiedClusters) {
  expect_optimal(only({&F::clusters, &F::copies, &F::latencies}), 5);
}
TEST(PlanEqualsPipelineBruteForce, Contention) { expect_optimal(only({&F::classes, &F::contention}), 10); }

// A split may not be the best, but is what it says; and no bound is above the optimum.
TEST(PlanWithSharedLinks, IsHonest) {
  int questions = 0, optimal = 0, best = 0, link_bound = 0;
  expect_for_all_workloads(
      [&](const Workload& workload, unsigned number) -> Complaint {
        if (workload.graph.nodes.size() > kMostNodes) return {};
        SetupFeatures features;
        features.shared_links = features.contention = true;
        features.gpipe = number % 3 == 0;
        features.clusters = number % 2 == 0;
        const Problem problem = random_setup(workload, number, features);
        const Plan answer = plan_fully(problem);
        ++questions;
        optimal += answer.result.status == Status::Optimal ? 1 : 0;
        link_bound += answer.report.slowest_link ? 1 : 0;
        const std::optional<double> optimum = pipeline_brute_force(problem);
        best += !optimum || nearly(answer.result.value, *optimum) ? 1 : 0;
        return dishonest_setup(problem, answer, optimum);
      },
      2);
  expect_more_than(optimal, questions, 2, "optimal");
  EXPECT_GT(best, questions - questions / 5);
  expect_more_than(link_bound, questions, 100, "link bound");
}

TEST(PlanEqualsPipelineBruteForce, Everything) {
  SetupFeatures features;
  features.contention = true;
  expect_optimal(features, 3, 1);
}

TEST(PlanEqualsPipelineBruteForce, WithRandomSettings) {
  expect_for_all_workloads(
      [](const Workload& workload, unsigned number) -> Complaint {
        if (workload.graph.nodes.size() > kMostNodes) return {};
        const Problem problem = random_setup(workload, number);
        PlanOptions options;
        options.settings = random_settings(number);
        Complaint complaint = wrong_setup(problem, plan_fully(problem, options), pipeline_brute_force(problem));
        if (complaint) *complaint += " with " + settings_text(options.settings);
        return complaint;
      },
      4);
}

TEST(PlanWithinLimits, IsHonestAboutSetups) {
  expect_for_all_workloads(
      [](const Workload& workload, unsigned number) -> Complaint {
        if (workload.graph.nodes.size() > kMostNodes) return {};
        const Problem problem = random_setup(workload, number);
        const Plan answer = plan_within(problem, number % 300);
        return dishonest_setup(problem, answer, pipeline_brute_force(problem));
      },
      4);
}

// --- parameters that mean nothing
// -------------------------------------------------------------------------------------

struct Change {
  const char* name;
  std::function<void(Problem&)> apply;
};

void give_parts(Problem& problem) {
  for (Node& node : problem.workload.change().graph.nodes) node.parts.weights = node.memory;
}

// Each class twice, the devices dealt out between the two.
void double_classes(Problem& problem) {
  Platform& platform = problem.workload.change().platform;
  IdVector<ClassId, DeviceClass> classes;
  for (const DeviceClass& c : platform.classes) {
    DeviceClass first = c;
    DeviceClass second = c;
    first.name += " a";
    second.name += " b";
    first.count = c.count / 2;
    second.count = c.count - first.count;
    classes.push_back(first);
    classes.push_back(second);
  }
  platform.classes = classes;
  for (Node& node : problem.workload.change().graph.nodes) {
    std::vector<double> time;
    for (const double t : node.time) time.insert(time.end(), {t, t});
    node.time = time;
  }
}

Cluster empty_cluster(const Platform& platform) {
  Cluster cluster;
  cluster.devices.assign(platform.classes.size(), 0);
  return cluster;
}

void one_cluster(Problem& problem) {
  Platform& platform = problem.workload.change().platform;
  platform.clusters = empty_cluster(platform);
  for (ClassId c : platform.classes.all()) platform.clusters->devices[c] = platform.classes[c].count;
}

// Every device in a cluster of its own.
void single_clusters(Problem& problem) {
  Platform& platform = problem.workload.change().platform;
  platform.clusters = empty_cluster(platform);
  for (ClassId c : platform.classes.all()) {
    for (int i = 0; i < platform.classes[c].count; ++i) {
      Cluster single = empty_cluster(platform);
      single.factor = 17;
      single.devices[c] = 1;
      platform.clusters->clusters.push_back(single);
    }
  }
}

const std::vector<Change>& changes_that_mean_nothing() {
  static const std::vector<Change> changes{
      {"classes twice", double_classes},
      {"one cluster", one_cluster},
      {"clusters of one device", single_clusters},
      {"weights and a bandwidth without copies",
       [](Problem& problem) {
         give_parts(problem);
         problem.workload.change().platform.sync_bandwidth = 0.01;
       }},
      {"1f1b without activations",
       [](Problem& problem) {
         give_parts(problem);
         problem.memory_model = MemoryModel::OneF1B;
       }},
      {"gpipe with one microbatch",
       [](Problem& problem) {
         for (Node& node : problem.workload.change().graph.nodes) node.parts.activation = node.memory;
         problem.memory_model = MemoryModel::GPipe;
         problem.microbatches = 1;
       }},
      {"1f1b with one microbatch",
       [](Problem& problem) {
         for (Node& node : problem.workload.change().graph.nodes) node.parts.activation = node.memory;
         problem.memory_model = MemoryModel::OneF1B;
         problem.microbatches = 1;
       }},
      {"recomputing that saves nothing",
       [](Problem& problem) {
         give_parts(problem);
         for (Node& node : problem.workload.change().graph.nodes) node.recompute_share = 1;
         problem.memory_model = MemoryModel::OneF1B;
         problem.recompute = true;
       }},
      {"copies that exchange for ever",
       [](Problem& problem) {
         for (Node& node : problem.workload.change().graph.nodes) node.parts.weights = 1;
         problem.workload.change().platform.sync_bandwidth = 1e-12;
         problem.replicas = 3;
       }},
  };
  return changes;
}

TEST(PlanOfSetups, ParametersThatMeanNothingChangeNothing) {
  expect_for_all_workloads(
      [](const Workload& workload, unsigned number) -> Complaint {
        Problem plain{workload};
        const std::optional<double> expected = brute_force(plain);
        const auto& changes = changes_that_mean_nothing();
        const Change& change = changes[number % changes.size()];
        Problem problem = plain;
        change.apply(problem);
        const std::optional<double> value = planned(problem);
        if (value.has_value() != expected.has_value() || (value && !nearly(*value, *expected)))
          return fmt::format("{}: {} instead of {}\n{}", change.name, value.value_or(-1), expected.value_or(-1),
                             describe(problem));
        return {};
      },
      2);
}

// --- better devices
// ---------------------------------------------------------------------------------------------------

const std::vector<Change>& changes_for_the_better() {
  static const std::vector<Change> changes{
      {"a faster class",
       [](Problem& problem) {
         for (Node& node : problem.workload.change().graph.nodes) {
           if (node.time[0] != kCannotRun) node.time[0] /= 2;
         }
       }},
      {"a faster link",
       [](Problem& problem) {
         for (DeviceClass& c : problem.workload.change().platform.classes) {
           if (c.kind == DeviceKind::Accelerator) c.link_factor /= 2;
         }
       }},
      {"a link without latency",
       [](Problem& problem) {
         for (DeviceClass& c : problem.workload.change().platform.classes) c.link_latency = 0;
       }},
      {"shorter latencies",
       [](Problem& problem) {
         for (DeviceClass& c : problem.workload.change().platform.classes) {
           c.link_latency /= 2;
         }
       }},
      {"faster links at the root",
       [](Problem& problem) {
         if (!problem.workload->platform.clusters) return;
         Cluster& root = *problem.workload.change().platform.clusters;
         (root.link ? root.link->factor : root.factor) /= 2;
         if (root.link) root.link->latency /= 2;
       }},
      {"a higher bandwidth", [](Problem& problem) { problem.workload.change().platform.sync_bandwidth *= 2; }},
      {"more memory",
       [](Problem& problem) {
         for (DeviceClass& c : problem.workload.change().platform.classes) c.memory *= 1.5;
       }},
      {"one more device",
       [](Problem& problem) {
         Platform& platform = problem.workload.change().platform;
         ++platform.classes[ClassId(0)].count;
         if (platform.clusters) ++platform.clusters->devices[ClassId(0)];
       }},
      {"more copies", [](Problem& problem) { ++problem.replicas; }},
      {"fewer microbatches",
       [](Problem& problem) {
         if (problem.microbatches > 1) --problem.microbatches;
       }},
      {"less kept for each sample",
       [](Problem& problem) {
         for (Node& node : problem.workload.change().graph.nodes) node.parts.recompute_activation = 0;
       }},
      {"recomputing", [](Problem& problem) { problem.recompute = problem.memory_model != MemoryModel::Flat; }},
      {"transfers beside computing",
       [](Problem& problem) {
         problem.transfers = problem.transfers == TransferMode::Sum ? TransferMode::Overlap : TransferMode::Duplex;
       }},
  };
  return changes;
}

TEST(PlanOfSetups, BetterDevicesAreNeverWorse) {
  int tried = 0;
  int better = 0;
  expect_for_all_workloads(
      [&](const Workload& workload, unsigned number) -> Complaint {
        const Problem before = random_setup(workload, number);
        const auto& changes = changes_for_the_better();
        const Change& change = changes[(number / 7) % changes.size()];
        Problem after = before;
        change.apply(after);
        const std::optional<double> old_value = planned(before);
        const std::optional<double> new_value = planned(after);
        ++tried;
        better += new_value && (!old_value || *new_value < *old_value * (1 - 1e-6)) ? 1 : 0;
        if (old_value && (!new_value || *new_value > *old_value * (1 + 2e-6) + 1e-12))
          return fmt::format("{}: {} after {}\n{}", change.name, new_value.value_or(-1), *old_value, describe(before));
        return {};
      },
      5);
  expect_more_than(better, tried, 20, "better");
}

// --- published recurrences
// --------------------------------------------------------------------------------------------

TEST(PlanOfSetups, EqualsPipeDreamOnPaths) {
  const auto count = test::cases(400);
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    const PathQuestion path = random_path(seed, 10, 8);
    const Problem problem = path.problem();
    const Plan answer = plan_fully(problem);
    const double shared = pipedream_value(path.layers, path.levels, path.sync_bandwidth, Boundary::Shared);
    EXPECT_EQ(answer.result.status, Status::Optimal);
    EXPECT_TRUE(nearly(answer.result.value, shared))
        << answer.result.value << " instead of " << shared << ", seed " << seed << "\n"
        << describe(problem);
    const double printed = pipedream_value(path.layers, path.levels, path.sync_bandwidth, Boundary::Printed);
    EXPECT_LE(answer.result.value, printed * (1 + 1e-6));
  }
}

TEST(PlanOfSetups, IsNeverWorseThanPiper) {
  int better = 0;
  int tried = 0;
  expect_for_all_workloads(
      [&](const Workload& workload, unsigned number) -> Complaint {
        const Problem problem = piper_question(workload, number, 6);
        const std::optional<double> value = planned(problem);
        const std::optional<double> published = piper_value(problem, Cut::EveryEdge);
        const std::optional<double> ours = piper_value(problem, Cut::EveryOutput);
        ++tried;
        better += value && *value < *published * (1 - 1e-6) ? 1 : 0;
        if (value.has_value() != ours.has_value() || (value && !nearly(*value, *ours)))
          return fmt::format("{} instead of {}\n{}", value.value_or(-1), ours.value_or(-1), describe(problem));
        if (value && *value > *published * (1 + 1e-6)) return "Piper's is better";
        return {};
      },
      4);
  expect_more_than(better, tried, 50, "better");
}

// --- worked out by hand
// -----------------------------------------------------------------------------------------------

TEST(PlanOfSetups, OneNodeMayUseAllDevices) {
  Problem problem{graph_from_text("a 6 60 mem=3", 6, kUnlimited, 0)};
  problem.workload.change().graph.nodes[NodeId(0)].parts.weights = 3;
  problem.workload.change().platform.sync_bandwidth = 2;
  problem.replicas = 6;
  EXPECT_DOUBLE_EQ(*planned(problem), 1 + 5 * 3.0 / (6 * 2));
}

TEST(PlanOfSetups, LinksThatCostNothingAroundAClusterAreNotThoseInside) {
  Platform platform = make_platform(1, 16, 3);
  Cluster inside = empty_cluster(platform);
  inside.devices = {1, 3};
  Cluster around = empty_cluster(platform);
  around.clusters = {inside};
  platform.clusters = empty_cluster(platform);
  platform.clusters->factor = 0;
  platform.clusters->clusters = {around};
  const Problem problem{graph_from_text(
      "a 0 0 mem=2 out=.25; b 1 3 mem=3 out=.25; c 0 0 mem=3; d 0 0 mem=6; e 0 0 mem=3; a -> b -> c -> d -> e",
      platform)};
  EXPECT_EQ(planned(problem), 1);  // a to d on the accelerator
}

// One node first, on a device that has room for three samples in flight, and two equal ones after it, on devices of
// another class in clusters.
Problem with_three_in_flight(double time, double transfer, double weights) {
  Problem problem;
  problem.memory_model = MemoryModel::OneF1B;
  problem.replicas = 3;
  Platform& platform = problem.workload.change().platform;
  platform.sync_bandwidth = 1;
  platform.classes.push_back({"first", DeviceKind::Accelerator, 1, 3, 1});
  platform.classes.push_back({"later", DeviceKind::Accelerator, 0, kUnlimited, 1});
  platform.clusters = empty_cluster(platform);
  platform.clusters->devices = {1, 0};
  const auto add = [&](std::vector<double> times, double node_weights, double activation) {
    Node node;
    node.original_id = static_cast<std::int64_t>(problem.workload->graph.nodes.size());
    node.time = std::move(times);
    node.parts.weights = node_weights;
    node.parts.activation = activation;
    return problem.workload.change().graph.nodes.push_back(node);
  };
  const NodeId a = add({6, kCannotRun}, 0, 1);
  const NodeId b = add({kCannotRun, time}, weights, 0), c = add({kCannotRun, time}, weights, 0);
  problem.workload.change().graph.edges = {{a, b, 0}, {b, c, transfer}};
  return problem;
}

Cluster later_devices(const Platform& platform, int count) {
  Cluster cluster = empty_cluster(platform);
  cluster.devices[ClassId(1)] = count;
  return cluster;
}

// Three devices that share both nodes take 4 + 4/3, and leave no room in front of them. Two take 6 each.
TEST(PlanOfSetups, AClusterUsesNoMoreDevicesThanItMust) {
  Problem problem = with_three_in_flight(6, 0, 1);
  Platform& platform = problem.workload.change().platform;
  platform.classes[ClassId(1)].count = 3;
  platform.clusters->clusters = {later_devices(platform, 3)};
  EXPECT_DOUBLE_EQ(*planned(problem), 6);
}

// Both clusters can share both nodes with all four devices, or hold one node each, on one device. A device in each
// that shares both nodes takes 5.5 + 1, and so does one cluster with a node on each device.
TEST(PlanOfSetups, EqualMembersInUseMayBeFewerDevices) {
  Problem problem = with_three_in_flight(5.5, 1, 2);
  Platform& platform = problem.workload.change().platform;
  platform.classes[ClassId(1)].count = 4;
  platform.clusters->factor = 0.5;
  platform.clusters->clusters = {later_devices(platform, 2), later_devices(platform, 2)};
  EXPECT_DOUBLE_EQ(*planned(problem), 6);
}

// Sums of these times, put together and taken apart again, are not quite 0.
TEST(PlanOfSetups, RoundingHidesNoStage) {
  Problem problem;
  Platform& platform = problem.workload.change().platform;
  platform.classes.push_back({"near", DeviceKind::Accelerator, 3, 4, 0});
  platform.classes.push_back({"far", DeviceKind::Accelerator, 1, 16, 1});
  const auto add = [&](double near, double far, double memory) {
    Node node;
    node.original_id = static_cast<std::int64_t>(problem.workload->graph.nodes.size());
    node.time = {near, far};
    node.memory = memory;
    return problem.workload.change().graph.nodes.push_back(node);
  };
  const NodeId a = add(1.85, 1.85, 0), d = add(0, 0, 4), c = add(2, kCannotRun, 1), b = add(11, 0, 0);
  const NodeId e = add(1.48, 1.48, 1);
  add(0, 0, 0);
  add(2.22, 2.22, 1);
  problem.workload.change().graph.nodes[e].backward = true;
  problem.workload.change().graph.edges = {{a, b, 0}, {b, c, 0}, {c, d, 0}, {c, e, 0.0925}};
  EXPECT_DOUBLE_EQ(*planned(problem), 1.85 + 1.48);
}

}  // namespace
}  // namespace partita::detail
