// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/mip/latency_program.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "partita/check/check.h"
#include "partita/partita.h"
#include "partita/solve/mip/solve_ip.h"
#include "partita/util/error.h"
#include "tests/mip/questions.h"
#include "tests/support/brute_force.h"
#include "tests/support/cases.h"
#include "tests/support/graph_text.h"
#include "tests/support/latency_questions.h"
#include "tests/support/transformer.h"

namespace partita::detail::test {
namespace {

// What random workloads seldom are: blocks that take no time and wait for each other, hosts that are full.
Problem latency_problem(std::uint64_t seed, int subgraphs) {
  Problem problem = random_latency_problem(seed);
  problem.subgraphs = subgraphs;
  Graph& graph = problem.workload.change().graph;
  double memory = 0;
  for (Node& node : graph.nodes) {
    memory += node.memory;
    for (double& time : node.time) {
      if (seed % 13 == 0 && time != kCannotRun) time = 0;
    }
  }
  for (Edge& edge : graph.edges) {
    if (seed % 13 == 0 || seed % 11 == 0) edge.cost = 0;
  }
  for (DeviceClass& c : problem.workload.change().platform.classes) {
    if (c.kind == DeviceKind::Host && seed % 5 == 0) c.memory = memory / 3;
  }
  return problem;
}

// A random assignment, colours kept; nodes near each other are often together.
Split random_latency_split(const Problem& problem, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  Split split = random_assignment(problem, true, engine);
  if (problem.subgraphs == 1) return split;
  split.subgraph_of.resize(split.device_of.size());
  for (std::uint32_t& subgraph : split.subgraph_of) subgraph = static_cast<std::uint32_t>(engine()) % problem.subgraphs;
  return split;
}

// The nodes of each block, on which kind of device; running orders are told by `check`.
std::set<std::vector<std::size_t>> blocks_of(const Problem& problem, const Split& split) {
  const Graph& graph = problem.workload->graph;
  const Platform& platform = problem.workload->platform;
  std::map<std::tuple<DeviceId, bool, std::uint32_t>, std::vector<std::size_t>> blocks;
  std::set<std::vector<std::size_t>> result;
  for (NodeId v : graph.nodes.all()) {
    const DeviceId d = split.device_of[v];
    if (platform.classes[platform.class_of(d)].kind == DeviceKind::Host) {
      result.insert({v.index(), v.index()});
    } else {
      blocks[{d, graph.nodes[v].backward, split.subgraph_of.empty() ? 0 : split.subgraph_of[v]}].push_back(v.index());
    }
  }
  for (auto& [name, nodes] : blocks) result.insert(std::move(nodes));
  return result;
}

class LatencyProgram : public testing::TestWithParam<int> {
 protected:
  Problem problem(std::uint64_t seed) const { return latency_problem(seed, GetParam()); }
};

TEST_P(LatencyProgram, LegalSplitsAreSolutions) {
  std::size_t legal = 0;
  for (std::uint64_t seed = 1; seed <= cases(600); ++seed) {
    const Problem one = problem(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + describe(*one.workload));
    for (std::uint64_t attempt = 0; attempt < 8; ++attempt) {
      const Split split = random_latency_split(one, 100 * seed + attempt);
      const CheckReport report = check(one, split);
      if (!report.legal()) continue;
      ++legal;
      const double limit = attempt % 2 == 0 ? report.value * (1 + 1e-9) : kNoLimit;
      const auto formulation = formulate(one, {.time_unit = unit_for(seed), .limit = limit});
      const Split decoded = there_and_back(*formulation, split, report.value);
      EXPECT_EQ(blocks_of(one, split), blocks_of(one, decoded));
      EXPECT_NEAR(check(one, decoded).value, report.value, 1e-9 * (1 + report.value));
    }
  }
  EXPECT_GT(legal, cases(600) / 4);
}

// Blocks that wait for each other, also where they take no time: what encode() makes of them is no solution, or that of
// another split, with the subgraphs of an accelerator in an order in which they can run.
TEST_P(LatencyProgram, CirclesAreNotSolutions) {
  std::size_t circles = 0;
  for (std::uint64_t seed = 1; seed <= cases(1500); ++seed) {
    const Problem one = problem(seed);
    const Split split = random_latency_split(one, seed);
    const CheckReport report = check(one, split);
    if (report.violations.size() != 1 || report.violations[0].kind != Violation::Kind::Shape) continue;
    ++circles;
    const auto formulation = formulate(one);
    const std::vector<double> x = formulation->encode(split);
    const bool other = one.subgraphs > 1 && check(one, formulation->decode(x)).legal();
    EXPECT_TRUE(other || formulation->model().largest_violation(x) >= 1 - 1e-9) << "seed " << seed;
  }
  EXPECT_GT(circles, cases(1500) / 100);
}

TEST_P(LatencyProgram, FindsTheOptimumAndItsBoundsHold) {
  for (std::uint64_t seed = 1; seed <= cases(GetParam() == 1 ? 25 : 6); ++seed) {
    const Problem one = problem(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + describe(*one.workload));
    for (const std::string& backend : backends_here()) expect_optimum(one, *backend_called(backend), {}, 1e-7);
  }
}

TEST_P(LatencyProgram, IsWhatPlanDoes) {
  for (std::uint64_t seed = 1; seed <= cases(GetParam() == 1 ? 12 : 4); ++seed) {
    const Problem one = problem(seed + 1000);
    SCOPED_TRACE("seed " + std::to_string(seed + 1000) + "\n" + describe(*one.workload));
    for (const std::string& backend : backends_here()) expect_optimal_plan(one, by_program_of(backend), 1e-7);
  }
}

std::string solution_text(const LinearModel& model, const std::vector<double>& x) {
  std::string text;
  for (ColumnId c : model.columns().all()) {
    if (model.columns()[c].integer) text += model.columns()[c].name + " " + std::to_string(x[c.index()]) + "\n";
  }
  return text;
}

// The whole-numbered columns are enough, and the split comes back with its subgraphs.
TEST_P(LatencyProgram, SolutionFilesAreReadBack) {
  std::size_t legal = 0;
  for (std::uint64_t seed = 1; seed <= cases(400); ++seed) {
    const Problem one = problem(seed + 5000);
    const Split split = random_latency_split(one, seed);
    const CheckReport report = check(one, split);
    if (!report.legal()) continue;
    ++legal;
    const auto formulation = formulate(one);
    const std::string text = solution_text(formulation->model(), formulation->encode(split));
    const Plan answer = adopt(one, read_integer_solution(one, text, "solution"));
    ASSERT_TRUE(answer.result.split.has_value()) << answer.result.reason;
    EXPECT_NEAR(answer.result.value, report.value, 1e-9 * (1 + report.value)) << "seed " << seed;
    EXPECT_EQ(blocks_of(one, *answer.result.split), blocks_of(one, split)) << "seed " << seed;
    EXPECT_EQ(answer.result.split->subgraph_of.empty(), one.subgraphs == 1);
  }
  EXPECT_GT(legal, cases(400) / 20);
}

TEST_P(LatencyProgram, NamesAreUnique) {
  for (std::uint64_t seed = 1; seed <= cases(100); ++seed) {
    const auto formulation = formulate(problem(seed));
    std::set<std::string> columns, rows;
    for (const Column& column : formulation->model().columns()) EXPECT_TRUE(columns.insert(column.name).second);
    for (const Row& row : formulation->model().rows()) EXPECT_TRUE(rows.insert(row.name).second) << row.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Subgraphs, LatencyProgram, testing::Values(1, 2));

// Two blocks that take no time and wait for each other: the paper's rows have a solution for this, these have none.
TEST(LatencyProgramCircles, ThatTakeNoTimeAreRuledOut) {
  Problem problem;
  problem.objective = Objective::Latency;
  problem.workload = graph_from_text("a 0 -; b 0 -; c 0 -; d 0 -; a -> b : 0; c -> d : 0", 2, kUnlimited, 0);
  const auto formulation = formulate(problem);
  const Split circle = split_from_text(problem.workload, "a d | b c");
  ASSERT_FALSE(check(problem, circle).legal());
  EXPECT_GE(formulation->model().largest_violation(formulation->encode(circle)), 1 - 1e-9);
}

TEST(LatencyProgramLimits, StrictHostCoresAreRefused) {
  Problem problem;
  problem.objective = Objective::Latency;
  problem.workload = graph_from_text("a 3 30; b 2 20; a -> b : 0.5");
  problem.strict_host_cores = true;
  try {
    formulate(problem);
    FAIL() << "not refused";
  } catch (const InputError& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Unsupported);
    EXPECT_NE(std::string(error.what()).find("PlanOptions::algorithm = ip"), std::string::npos);
  }
}

// Preprocessing finds out, and Clp's presolve comes across the names of rows.
TEST(LatencyProgramLimits, NoRoomIsInfeasible) {
  const Problem problem = latency_problem(220, 1);
  ASSERT_FALSE(brute_force(problem).has_value());
  Budget budget;
  for (const std::string& backend : backends_here())
    EXPECT_TRUE(solve_ip(problem, *backend_called(backend), {}, budget, {}).infeasible);
}

TEST(LatencyProgramLimits, ATenthOfASecondIsEnoughForASplit) {
  Problem problem;
  problem.workload = transformer({.layers = 12});
  problem.objective = Objective::Latency;
  Budget budget(Budget::Limits{.seconds = 0.1});
  const Plan answer = plan(problem, {.algorithm = Algorithm::Ip}, budget);
  ASSERT_TRUE(answer.result.split.has_value()) << answer.result.reason;
  EXPECT_TRUE(answer.report.legal());
  EXPECT_LE(answer.result.bound, answer.result.value);
}

}  // namespace
}  // namespace partita::detail::test
