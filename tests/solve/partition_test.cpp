// SPDX-License-Identifier: Apache-2.0
// Scotch and METIS: they answer on every graph, the same for the same seed, keep colours and support, and come near
// what the paper has for Scotch.
#include "partita/solve/baseline/partition.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "partita/check/check.h"
#include "partita/read/workload.h"
#include "partita/solve/baseline/metis.h"
#include "partita/solve/baseline/scotch.h"
#include "partita/util/error.h"
#include "tests/support/brute_force.h"
#include "tests/support/cases.h"
#include "tests/support/free_questions.h"
#include "tests/support/graph_text.h"
#include "tests/support/random_workload.h"
#include "tests/support/transformer.h"
#include "tests/support/workloads.h"

namespace partita::detail::test {
namespace {

struct Baseline {
  const char* name;
  bool available;
  std::optional<Split> (*split)(const Problem&, std::uint64_t);
};

class Partitioner : public testing::TestWithParam<Baseline> {
 protected:
  void SetUp() override {
    if (!GetParam().available) GTEST_SKIP() << "this build has no " << GetParam().name;
  }
};

bool runs_everywhere(const CheckReport& report) {
  for (const Violation& violation : report.violations) {
    if (violation.kind == Violation::Kind::Colour || violation.kind == Violation::Kind::Support) return false;
  }
  return true;
}

TEST_P(Partitioner, AnswersOnRandomGraphsAndKeepsColoursAndSupport) {
  std::size_t found = 0;
  const std::uint64_t tried = cases(5'000);
  for (std::uint64_t seed = 1; seed <= tried; ++seed) {
    const Problem problem{random_workload(seed)};
    const auto split = GetParam().split(problem, seed);
    if (!split) continue;
    ++found;
    ASSERT_EQ(split->device_of.size(), problem.workload->graph.nodes.size());
    for (DeviceId d : split->device_of) ASSERT_LT(d.index(), problem.workload->platform.device_count());
    EXPECT_TRUE(runs_everywhere(check(problem, *split))) << "seed " << seed;
  }
  EXPECT_GT(found, tried / 2);
}

TEST_P(Partitioner, AnswersOverAnyDevicesAndKeepsSupport) {
  std::size_t found = 0, best_found = 0;
  const std::uint64_t tried = cases(1'500);
  testing::internal::CaptureStdout();
  for (std::uint64_t seed = 1; seed <= tried; ++seed) {
    Problem problem = random_free_question(seed);
    const auto split = GetParam().split(problem, seed);
    if (!split) continue;
    ++found;
    ASSERT_EQ(split->device_of.size(), problem.workload->graph.nodes.size());
    EXPECT_EQ(split->device_of, GetParam().split(problem, seed)->device_of) << "seed " << seed;
    EXPECT_TRUE(runs_everywhere(check(problem, *split))) << "seed " << seed << "\n" << describe(problem);
    for (DeviceClass& c : problem.workload.change().platform.classes) c.memory = kUnlimited;
    const double value = check(problem, *split).value, best = brute_force(problem).value();
    EXPECT_GE(value, best * (1 - 1e-9)) << "seed " << seed << "\n" << describe(problem);
    best_found += value <= best * (1 + 1e-9);
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_GT(found, tried / 2);
  EXPECT_GT(best_found, found / 20);
}

// A transformer on some fast accelerators and some that are slower.
Problem two_speeds(std::size_t layers, int fast, int slow, double factor) {
  Problem problem{transformer({.layers = layers})};
  problem.workload.change().platform.classes = {{"fast", DeviceKind::Accelerator, fast},
                                                {"slow", DeviceKind::Accelerator, slow}};
  for (Node& node : problem.workload.change().graph.nodes) {
    const double time = node.time[0] == kCannotRun ? 0 : node.time[0];
    node.time = {time, factor * time};
  }
  return problem;
}

TEST_P(Partitioner, GivesFasterDevicesMore) {
  for (const double factor : {2.0, 5.0}) {
    const Problem problem = two_speeds(24, 2, 3, factor);
    const auto split = GetParam().split(problem, 1);
    ASSERT_TRUE(split);
    double most = 0, sum = 0;
    const CheckReport report = check(problem, *split);
    for (const DeviceReport& device : report.devices) {
      most = std::max(most, device.compute());
      sum += device.compute();
    }
    EXPECT_LT(most, 1.5 * sum / 5) << factor;  // of equal parts, the slowest would take more than twice the mean
  }
}

TEST_P(Partitioner, IsSilentOverUnequalDevices) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  for (std::uint64_t seed = 1; seed <= cases(2'000); ++seed) {
    const Problem problem = two_speeds(1 + seed % 3, 1 + static_cast<int>(seed % 4), 1 + static_cast<int>(seed % 13),
                                       seed % 2 == 0   ? 1.5
                                       : seed % 5 == 0 ? 1e5
                                                       : 20);
    EXPECT_TRUE(GetParam().split(problem, seed)) << "seed " << seed;
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

// The library never prints, and the libraries that it uses should not either.
TEST_P(Partitioner, IsSilent) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  for (std::uint64_t seed = 1; seed <= cases(5'000); ++seed) {
    Problem problem{random_workload(seed)};
    problem.workload.change().platform = make_platform(2 + static_cast<int>(seed % 15), kUnlimited, 1);
    GetParam().split(problem, seed);
    problem.workload = transformer({.layers = 1 + seed % 3, .accelerators = 2 + static_cast<int>(seed % 15)});
    if (seed % 50 != 0) continue;
    problem.workload.change().graph.nodes[NodeId(seed % problem.workload.change().graph.nodes.size())].time[0] = 1e6;
    GetParam().split(problem, seed);
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_P(Partitioner, IsDeterministicForASeed) {
  Problem problem;
  problem.workload = transformer({});
  const auto once = GetParam().split(problem, 7);
  ASSERT_TRUE(once);
  std::set<std::vector<std::size_t>> different;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto split = GetParam().split(problem, seed);  // what comes between must not matter
    std::vector<std::size_t> devices;
    for (DeviceId d : split->device_of) devices.push_back(d.index());
    different.insert(devices);
    const auto again = GetParam().split(problem, 7);
    EXPECT_TRUE(std::equal(once->device_of.begin(), once->device_of.end(), again->device_of.begin()));
  }
  EXPECT_GT(different.size(), 1U) << "the seed has no effect";
}

TEST_P(Partitioner, CutsWhereItIsCheap) {
  // Two chains of three, held together by one cheap edge.
  const Problem problem{
      graph_from_text("a 1 9; b 1 9; c 1 9; d 1 9; e 1 9; f 1 9;"
                      "a -> b -> c : 5; c -> d : 0.1; d -> e -> f : 5")};
  const auto split = GetParam().split(problem, 1);
  ASSERT_TRUE(split);
  EXPECT_NEAR(check(problem, *split).value, 3.1, 1e-9);
}

TEST_P(Partitioner, SendsToHostsWhatNoAcceleratorRuns) {
  const Problem problem{graph_from_text("a - 2; b 1 9; c 1 9; d - 1; a -> b -> c -> d : 1", 2, kUnlimited, 2)};
  const auto split = GetParam().split(problem, 1);
  ASSERT_TRUE(split);
  EXPECT_EQ(split->device_of[NodeId(0)], DeviceId(2));
  EXPECT_EQ(split->device_of[NodeId(3)], DeviceId(3));
  EXPECT_FALSE(GetParam().split({graph_from_text("a - 2; b 1 9; a -> b : 1", 2, kUnlimited, 0)}, 1));
  EXPECT_TRUE(GetParam().split({graph_from_text("a 1 1; b 1 1; a -> b : 1", 0, kUnlimited, 2)}, 1));
}

TEST_P(Partitioner, SurvivesExtremeNumbers) {
  for (const char* text : {
           "a 0 0; b 0 0; c 0 0; a -> b -> c : 0",  // nothing weighs anything
           "a 1e300 1; b 1e-300 1; c 1 1; a -> b : 1e300; b -> c : 1e-300",
           "a 1e-307 1; b 1e-307 1; c 0 1; a -> b -> c : 1e-307",
           "a 1 1; b 1 1; c 1 1; d 1 1",  // no edges
           "a 1 1",
       }) {
    for (int accelerators : {1, 2, 3, 7, 1000}) {
      const Problem problem{graph_from_text(text, accelerators)};
      EXPECT_TRUE(GetParam().split(problem, 1)) << text;
    }
  }
}

// The paper's Table 1: the same order of magnitude, not the same split.
TEST_P(Partitioner, ComesNearThePaperForScotch) {
  const auto folder = workloads_folder();
  if (!folder) GTEST_SKIP() << kNoWorkloads;
  std::ifstream file(*folder / "paper" / "tables.json");
  const nlohmann::json tables = nlohmann::json::parse(file);
  for (const auto& row : tables["throughput"]) {
    Problem problem;
    problem.workload = read_workload((*folder / "paper" / row["file"].get<std::string>()).string());
    const auto split = GetParam().split(problem, 1);
    ASSERT_TRUE(split) << row["file"];
    const double value = check(problem, *split).value, paper = row["scotch"];
    EXPECT_LT(value, 3 * paper) << row["file"];
    EXPECT_GT(value, paper / 3) << row["file"];
  }
}

INSTANTIATE_TEST_SUITE_P(Each, Partitioner,
                         testing::Values(Baseline{"Scotch", scotch_available(), scotch_split},
                                         Baseline{"METIS", metis_available(), metis_split}),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(WithoutTheLibrary, TheFunctionsSayThatTheyAreNotAvailable) {
  const Problem problem{graph_from_text("a 1 1; b 1 1; a -> b : 1")};
  if (!scotch_available()) {
    EXPECT_THROW(scotch_split(problem, 1), InputError);
  }
  if (!metis_available()) {
    EXPECT_THROW(metis_split(problem, 1), InputError);
  }
}

}  // namespace
}  // namespace partita::detail::test
