// SPDX-License-Identifier: Apache-2.0
// `check` against the definitions, as tests/support/brute_force.cpp reads them, on random splits of random workloads.
#include "partita/check/check.h"

#include <algorithm>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/property/answers.h"
#include "tests/property/property.h"
#include "tests/support/brute_force.h"
#include "tests/support/random_setup.h"

namespace partita::detail {
namespace {

// Random devices; half of the time colours are kept and half of the time nodes go where they can run, or hardly any
// split of a coloured graph would be legal.
std::vector<std::size_t> random_devices(const Workload& workload, std::mt19937& engine) {
  const Graph& graph = workload.graph;
  const std::size_t devices = workload.platform.device_count();
  const bool keep_colours = engine() % 2 == 0;
  const bool keep_support = engine() % 2 == 0;
  std::vector<std::size_t> device_of(graph.nodes.size());
  for (NodeId v : graph.nodes.all()) {
    for (int attempt = 0; attempt < 10; ++attempt) {
      device_of[v.index()] = engine() % devices;
      const ClassId c = workload.platform.class_of(DeviceId(device_of[v.index()]));
      if (!keep_support || graph.nodes[v].time[c.index()] != kCannotRun) break;
    }
    if (!keep_colours || !graph.nodes[v].colour) continue;
    for (NodeId u : ids<NodeId>(v.index())) {
      if (graph.nodes[u].colour == graph.nodes[v].colour) device_of[v.index()] = device_of[u.index()];
    }
  }
  return device_of;
}

Split split_of(const std::vector<std::size_t>& device_of) {
  Split split;
  for (const std::size_t d : device_of) split.device_of.push_back(DeviceId(d));
  return split;
}

Complaint compare(const Problem& problem, const std::vector<std::size_t>& device_of) {
  const Evaluation expected = evaluate_by_definition(problem, device_of);
  const CheckReport report = check(problem, split_of(device_of));
  const auto differs = [&](const char* what, bool expected_ok, Violation::Kind kind) -> Complaint {
    if (expected_ok != has(report, kind)) return {};
    return fmt::format("{}: check {}, the definition {} ({} {})", what, has(report, kind) ? "complains" : "is content",
                       expected_ok ? "allows it" : "does not", to_string(problem.shape), to_string(problem.objective));
  };
  if (Complaint c = differs("memory", expected.memory_ok, Violation::Kind::Memory)) return c;
  if (Complaint c = differs("support", expected.support_ok, Violation::Kind::Support)) return c;
  if (Complaint c = differs("colours", expected.colours_ok, Violation::Kind::Colour)) return c;
  if (Complaint c = differs("shape", expected.shape_ok, Violation::Kind::Shape)) return c;
  if (report.legal() != expected.legal()) return "a violation of another kind";
  if (!expected.support_ok) return {};  // what a device costs that cannot run its nodes is nobody's business
  for (std::size_t d = 0; d < expected.load.size(); ++d) {
    if (!nearly(report.load[DeviceId(d)], expected.load[d], 1e-9)) {
      return fmt::format("load of device {}: check {}, the definition {}", d, report.load[DeviceId(d)],
                         expected.load[d]);
    }
  }
  if (!nearly(report.value, expected.value, 1e-9)) {
    return fmt::format("value: check {}, the definition {} ({} {})", report.value, expected.value,
                       to_string(problem.objective), to_string(problem.transfers));
  }
  if (report.legal() && problem.shape == Shape::Staged) {
    // The order it gives must hold: read as device numbers, every forward edge goes up.
    std::vector<std::size_t> place(expected.load.size(), expected.load.size());
    for (std::size_t i = 0; i < report.order.size(); ++i) place[report.order[i].index()] = i;
    for (const Edge& edge : problem.workload->graph.edges) {
      const bool forward = !problem.workload->graph.nodes[edge.to].backward;
      if (forward && place[device_of[edge.from.index()]] > place[device_of[edge.to.index()]])
        return "the order is wrong";
    }
  }
  return {};
}

TEST(CheckEqualsDefinition, OnRandomSplits) {
  expect_for_all_workloads([](const Workload& workload, unsigned number) -> Complaint {
    std::mt19937 engine(number);
    Problem problem{workload};
    for (const Shape shape : {Shape::Staged, Shape::Contiguous, Shape::Free}) {
      for (const TransferMode mode : {TransferMode::Sum, TransferMode::Overlap, TransferMode::Duplex}) {
        for (const Objective objective : {Objective::MaxLoad, Objective::GPipe}) {
          problem.shape = shape;
          problem.transfers = mode;
          problem.objective = objective;
          problem.backward_shape = shape == Shape::Staged && engine() % 2 == 0;
          if (Complaint complaint = compare(problem, random_devices(workload, engine))) return complaint;
        }
      }
    }
    return {};
  });
}

TEST(CheckEqualsDefinition, OfUnstagedSplitsInClusters) {
  expect_for_all_workloads([](const Workload& workload, unsigned number) -> Complaint {
    std::mt19937 engine(number);
    SetupFeatures features;
    features.copies = features.memory = false;
    features.gpipe = features.contention = true;
    features.shared_links = number % 2 == 0;
    Problem problem = random_setup(workload, number, features);
    for (const Shape shape : {Shape::Contiguous, Shape::Free}) {
      problem.shape = shape;
      if (Complaint complaint = compare(problem, random_devices(problem.workload, engine)))
        return *complaint + "\n" + describe(problem);
    }
    return {};
  });
}

// Tiny graphs, every split: no legal one is missed and no illegal one passes.
TEST(CheckEqualsDefinition, OnEverySplitOfTinyGraphs) {
  expect_for_all_workloads([](const Workload& workload, unsigned number) -> Complaint {
    const std::size_t devices = workload.platform.device_count();
    const std::size_t nodes = workload.graph.nodes.size();
    if (nodes > 4 || devices > 3) return {};
    Problem problem{workload};
    problem.backward_shape = number % 2 == 0;
    std::vector<std::size_t> device_of(nodes, 0);
    while (true) {
      if (Complaint complaint = compare(problem, device_of)) return complaint;
      std::size_t v = 0;
      while (v < nodes && ++device_of[v] == devices) device_of[v++] = 0;
      if (v == nodes) return {};
    }
  });
}

}  // namespace
}  // namespace partita::detail
