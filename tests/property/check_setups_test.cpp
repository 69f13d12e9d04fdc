// SPDX-License-Identifier: Apache-2.0
// `check` against the definitions of unequal devices, clusters, copies, samples in flight and recomputing, as
// tests/support/pipeline_brute_force.cpp reads them, on random splits, sensible and not.
#include <algorithm>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "partita/check/check.h"
#include "tests/property/answers.h"
#include "tests/property/property.h"
#include "tests/support/brute_force.h"
#include "tests/support/pipeline_brute_force.h"
#include "tests/support/random_setup.h"
#include "tests/support/random_split.h"

namespace partita::detail {
namespace {

using Kind = Violation::Kind;

Complaint compare(const Problem& problem, const Split& split) {
  const PipelineEvaluation expected = evaluate_pipeline(problem, split);
  const CheckReport report = check(problem, split);
  Complaint complaint;
  const auto agree = [&](const char* what, bool ok, bool complains) {
    if (ok == complains && !complaint)
      complaint = fmt::format("{}: check {}, the definition {}: {}\n{}", what, complains ? "complains" : "is content",
                              ok ? "allows it" : "does not",
                              report.violations.empty() ? "" : report.violations[0].message, describe(problem));
  };
  agree("placement", expected.placed_ok, has(report, Kind::MissingNode) || has(report, Kind::TooManyDevices));
  if (!expected.placed_ok) return complaint;
  agree("support", expected.support_ok, has(report, Kind::Support));
  agree("colours", expected.colours_ok, has(report, Kind::Colour));
  agree("copies", expected.copies_ok, has(report, Kind::Copies));
  if (!expected.copies_ok) return complaint;
  agree("recompute", expected.recompute_ok, has(report, Kind::Recompute));
  agree("shape", expected.shape_ok, has(report, Kind::Shape));
  if (!expected.measurable()) return complaint;
  agree("memory", expected.memory_ok, has(report, Kind::Memory));
  agree("legality", expected.legal(), !report.legal());
  if (complaint) return complaint;
  for (DeviceId d : report.devices.all()) {
    if (!nearly(report.load[d], expected.load[d.index()], 1e-9))
      return fmt::format("load of device {}: check {}, the definition {}\n{}", d.index(), report.load[d],
                         expected.load[d.index()], describe(problem));
    if (!nearly(report.devices[d].memory, expected.memory[d.index()], 1e-9))
      return fmt::format("memory of device {}: check {}, the definition {}\n{}", d.index(), report.devices[d].memory,
                         expected.memory[d.index()], describe(problem));
  }
  if (!nearly(report.value, expected.value, 1e-9))
    return fmt::format("value: check {}, the definition {}\n{}", report.value, expected.value, describe(problem));
  return {};
}

struct ViolationsMet {
  int splits = 0, legal = 0, copies = 0, clusters = 0, recomputing = 0, spoiled = 0;

  void add(const CheckReport& report, const Problem& problem) {
    ++splits;
    legal += report.legal() ? 1 : 0;
    spoiled += report.legal() ? 0 : 1;
    bool shares = false;
    bool recomputes = false;
    bool across = false;  // copies that are in another cluster than their original
    for (DeviceId d : report.devices.all()) {
      const DeviceReport& device = report.devices[d];
      shares |= device.sharing > 1;
      recomputes |= device.recomputes && device.node_count > 0;
      across |= device.sharing > static_cast<std::size_t>(problem.replicas);
    }
    copies += report.legal() && shares ? 1 : 0;
    clusters += report.legal() && across ? 1 : 0;
    recomputing += report.legal() && recomputes ? 1 : 0;
  }
};

TEST(CheckEqualsDefinition, OfSetups) {
  ViolationsMet met;
  expect_for_all_workloads([&met](const Workload& workload, unsigned number) -> Complaint {
    SetupFeatures features;
    features.gpipe = features.contention = true;
    features.shared_links = number % 2 == 0;
    features.most_devices = 5;
    const Problem problem = random_setup(workload, number, features);
    std::mt19937 engine(number);
    for (int i = 0; i < 10; ++i) {
      const Split split = random_split(problem, engine);
      if (Complaint complaint = compare(problem, split)) return complaint;
      met.add(check(problem, split), problem);
    }
    return {};
  });
  expect_more_than(met.legal, met.splits, 5, "legal");
  expect_more_than(met.spoiled, met.splits, 5, "spoiled");
  expect_more_than(met.copies, met.splits, 20, "copies");
  expect_more_than(met.recomputing, met.splits, 50, "recomputing");
  expect_more_than(met.clusters, met.splits, 2000, "clusters");  // more devices share a stage than may at one level
}

// On the paper's platform the two readings of the definitions agree with each other.
TEST(PipelineBruteForce, EqualsTheOtherOneOnPlainQuestions) {
  expect_for_all_workloads(
      [](const Workload& workload, unsigned number) -> Complaint {
        if (workload.graph.nodes.size() > 7) return {};
        Problem problem{workload};
        problem.transfers = std::array{TransferMode::Sum, TransferMode::Overlap, TransferMode::Duplex}[number % 3];
        problem.objective = number % 4 == 0 ? Objective::GPipe : Objective::MaxLoad;
        problem.backward_shape = number % 5 == 0;
        const auto one = brute_force(problem);
        const auto other = pipeline_brute_force(problem);
        if (one.has_value() != other.has_value()) return "a split in one only";
        if (one && !nearly(*one, *other, 1e-9)) return fmt::format("{} and {}", *one, *other);
        return {};
      },
      4);
}

}  // namespace
}  // namespace partita::detail
