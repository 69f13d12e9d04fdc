// SPDX-License-Identifier: Apache-2.0
// Every question that has an integer program, on random small workloads, and what is expected of the answers.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "partita/check/check.h"
#include "partita/partita.h"
#include "partita/solve/mip/choose_backend.h"
#include "partita/solve/mip/formulation.h"
#include "partita/solve/mip/highs_backend.h"
#include "partita/solve/mip/solve_ip.h"
#include "tests/support/brute_force.h"
#include "tests/support/more_hosts.h"
#include "tests/support/random_setup.h"

namespace partita::detail::test {

// Colours are kept; few devices are used now and then; `in_runs`: nodes near each other are often together.
inline Split random_assignment(const Problem& problem, bool in_runs, std::mt19937_64& engine) {
  const Graph& graph = problem.workload->graph;
  Split split;
  split.device_of.resize(graph.nodes.size());
  const std::size_t devices = problem.workload->platform.device_count();
  const std::size_t few = 1 + engine() % devices;
  for (NodeId v : graph.nodes.all()) {
    const auto& colour = graph.nodes[v].colour;
    split.device_of[v] = DeviceId((engine() % few) * devices / few);
    if (in_runs && engine() % 2 == 0 && v.index() > 0) split.device_of[v] = split.device_of[NodeId(v.index() - 1)];
    for (NodeId u : graph.nodes.all()) {
      if (u < v && colour && graph.nodes[u].colour == colour) split.device_of[v] = split.device_of[u];
    }
  }
  return split;
}

inline double unit_for(std::uint64_t seed) { return seed % 3 == 0 ? 0.01 : 1; }

// A legal split as a solution, which must have its value, and what that says of the split.
inline Split there_and_back(const Formulation& formulation, const Split& split, double value) {
  const std::vector<double> x = formulation.encode(split);
  EXPECT_LE(formulation.model().largest_violation(x), 1e-9 / formulation.time_unit());
  EXPECT_NEAR(formulation.model().objective(x) * formulation.time_unit(), value, 1e-9 * (1 + value));
  return formulation.decode(x);
}

// For MipSettings::backend. The tests of one that this build lacks are skipped.
inline const char* const kBackends[] = {"cbc", "highs"};

inline bool lacks(const std::string& backend) { return backend == "highs" && !highs_is_here(); }
inline constexpr const char* kNoHighs = "this build has no HiGHS (libhighs-dev, or ./dev highs)";

inline std::unique_ptr<MipBackend> backend_called(const std::string& name) {
  MipSettings settings;
  settings.backend = name;
  return choose_backend(settings);
}

inline std::vector<std::string> backends_here() {
  std::vector<std::string> names;
  for (const char* name : kBackends) {
    if (!lacks(name)) names.push_back(name);
  }
  return names;
}

// What is asked of each backend.
class EveryBackend : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (lacks(GetParam())) GTEST_SKIP() << kNoHighs;
  }
  std::unique_ptr<MipBackend> backend() const { return backend_called(GetParam()); }
};

inline std::string backend_name(const testing::TestParamInfo<const char*>& tested) { return tested.param; }

struct IpQuestion {
  Shape shape;
  Objective objective;
  const char* backend = "cbc";
};

inline const auto kEveryQuestion =
    testing::Values(IpQuestion{Shape::Staged, Objective::MaxLoad}, IpQuestion{Shape::Staged, Objective::GPipe},
                    IpQuestion{Shape::Contiguous, Objective::MaxLoad}, IpQuestion{Shape::Contiguous, Objective::GPipe},
                    IpQuestion{Shape::Free, Objective::MaxLoad}, IpQuestion{Shape::Free, Objective::GPipe});

inline const auto kEveryQuestionForHighs = testing::Values(
    IpQuestion{Shape::Staged, Objective::MaxLoad, "highs"}, IpQuestion{Shape::Staged, Objective::GPipe, "highs"},
    IpQuestion{Shape::Contiguous, Objective::MaxLoad, "highs"},
    IpQuestion{Shape::Contiguous, Objective::GPipe, "highs"}, IpQuestion{Shape::Free, Objective::MaxLoad, "highs"},
    IpQuestion{Shape::Free, Objective::GPipe, "highs"});

inline const auto kContiguousQuestions =
    testing::Values(IpQuestion{Shape::Contiguous, Objective::MaxLoad}, IpQuestion{Shape::Contiguous, Objective::GPipe});

inline std::string question_name(const testing::TestParamInfo<IpQuestion>& info) {
  return std::string(to_string(info.param.shape)) + (info.param.objective == Objective::GPipe ? "_gpipe" : "_max_load");
}

// One class of each kind. The transfer mode is `sum` mostly, and sometimes one of the others. What random workloads
// seldom are: more devices than nodes, transfers that cost nothing.
inline Problem random_plain_problem(const IpQuestion& question, std::uint64_t seed) {
  Problem problem;
  problem.workload = random_workload(seed);
  problem.shape = question.shape;
  problem.objective = question.objective;
  problem.backward_shape = seed % 4 == 0;
  problem.transfers = seed % 7 == 0 ? TransferMode::Overlap : seed % 7 == 1 ? TransferMode::Duplex : TransferMode::Sum;
  Workload& workload = problem.workload.change();
  if (seed % 11 == 0) workload.platform.classes[ClassId(0)].count = static_cast<int>(workload.graph.nodes.size()) + 1;
  if (seed % 13 == 0) {
    for (Edge& edge : workload.graph.edges) edge.cost = 0;
  }
  return problem;
}

// One in three has up to three classes of devices, and transfer modes as often as not.
inline Problem random_problem(const IpQuestion& question, std::uint64_t seed) {
  if (seed % 3 != 0) return random_plain_problem(question, seed);
  SetupFeatures features = SetupFeatures::none();
  features.classes = features.transfers = true;
  Problem problem = random_setup(seed, features);
  problem.shape = question.shape;
  problem.objective = question.objective;
  if (seed % 5 == 0) add_more_hosts(problem.workload.change(), seed);
  return problem;
}

inline PlanOptions by_program_of(const std::string& backend) {
  PlanOptions options{.algorithm = Algorithm::Ip};
  options.settings.mip.backend = backend;
  return options;
}

// Every question on random workloads.
class IntegerProgram : public testing::TestWithParam<IpQuestion> {
 protected:
  void SetUp() override {
    if (lacks(GetParam().backend)) GTEST_SKIP() << kNoHighs;
  }
  std::unique_ptr<MipBackend> backend() const { return backend_called(GetParam().backend); }
  PlanOptions by_program() const { return by_program_of(GetParam().backend); }
  Problem problem(std::uint64_t seed) const { return random_problem(GetParam(), seed); }
};

// The integer program finds what brute force finds, a split or that there is none, and all that it tells on its way is
// true. `tolerance` is relative, of the value.
inline void expect_optimum(const Problem& problem, MipBackend& backend, const IpOptions& options, double tolerance) {
  const std::optional<double> best = brute_force(problem);
  const double least = best.value_or(kNoLimit);
  Budget budget;
  const Sink sink = [&](const Progress& progress) {
    EXPECT_LE(progress.bound, least);
    EXPECT_GE(progress.value, least * (1 - 1e-6));
  };
  const IpOutcome outcome = solve_ip(problem, backend, options, budget, sink);
  EXPECT_EQ(outcome.infeasible, !best);
  ASSERT_EQ(outcome.split.has_value(), best.has_value()) << outcome.failure;
  if (!best) return;
  const CheckReport report = check(problem, *outcome.split);
  EXPECT_TRUE(report.legal()) << report.violations[0].message;
  EXPECT_NEAR(report.value, outcome.value, 1e-9 * (1 + *best));
  EXPECT_NEAR(report.value, *best, tolerance * *best);
  EXPECT_LE(outcome.bound, *best);
  EXPECT_GE(outcome.bound, *best * (1 - 1e-6));
}

// The same of plan(), with a reason where there is no split.
inline void expect_optimal_plan(const Problem& problem, const PlanOptions& options, double tolerance) {
  const std::optional<double> best = brute_force(problem);
  Budget budget;
  const Plan answer = plan(problem, options, budget);
  EXPECT_EQ(answer.result.status, best ? Status::Optimal : Status::Infeasible);
  EXPECT_NE(answer.result.proof, "");
  if (best) {
    EXPECT_NEAR(answer.result.value, *best, tolerance * *best);
  } else {
    EXPECT_NE(answer.result.reason, "");
  }
}

}  // namespace partita::detail::test
