// SPDX-License-Identifier: Apache-2.0
// That the integer programs are tested on what can go wrong: the random problems meet every rule, cases that they meet
// seldom are made on purpose, and larger graphs are compared with the solvers that are made for them.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "partita/partita.h"
#include "partita/util/union_find.h"
#include "tests/mip/questions.h"
#include "tests/support/brute_force.h"
#include "tests/support/cases.h"
#include "tests/support/graph_text.h"

namespace partita::detail::test {
namespace {

std::size_t pieces_of(const Graph& graph) {
  UnionFind<NodeId> pieces(graph.nodes.size());
  for (const Edge& edge : graph.edges) pieces.join(edge.from, edge.to);
  std::set<NodeId> roots;
  for (NodeId v : graph.nodes.all()) roots.insert(pieces.find(v));
  return roots.size();
}

// The rules that a problem brings into play.
std::set<std::string> features(const Problem& problem) {
  const Graph& graph = problem.workload->graph;
  const DeviceClass& accelerators = problem.workload->platform.classes[ClassId(0)];
  const int hosts = problem.workload->platform.classes[ClassId(1)].count;
  std::set<std::string> found{std::string("transfers ") + to_string(problem.transfers)};
  double memory = 0, costs = 0;
  std::map<std::int64_t, int> members;
  std::set<std::int64_t> forward_colours;
  for (const Node& node : graph.nodes) {
    memory += node.memory;
    if (node.time[0] == kCannotRun) found.insert("cannot run on an accelerator");
    if (node.time[1] == kCannotRun) found.insert("cannot run on a host");
    if (node.time[0] == 0) found.insert("no time");
    if (node.backward) found.insert("training");
    if (node.colour && ++members[*node.colour] > 1) found.insert("colours");
    if (node.colour && !node.backward) forward_colours.insert(*node.colour);
  }
  for (const Node& node : graph.nodes) {
    if (node.backward && !(node.colour && forward_colours.contains(*node.colour))) found.insert("orphans");
  }
  for (const Edge& edge : graph.edges) costs += edge.cost;
  if (costs == 0) found.insert("no transfer costs");
  if (memory > accelerators.memory) found.insert("memory");
  if (memory > 0.8 * accelerators.count * accelerators.memory) found.insert("tight memory");
  if (hosts == 0) found.insert("no host");
  if (hosts > 1) found.insert("several hosts");
  if (accelerators.count == 0) found.insert("no accelerator");
  if (accelerators.count == 1) found.insert("one accelerator");
  if (static_cast<std::size_t>(accelerators.count) > graph.nodes.size()) found.insert("more accelerators than nodes");
  if (pieces_of(graph) > 1) found.insert("several pieces");
  if (problem.backward_shape && graph.has_backward()) found.insert("backward shape");
  return found;
}

// The same where devices are of several classes.
std::set<std::string> unequal_features(const Problem& problem) {
  const Platform& platform = problem.workload->platform;
  std::set<std::string> found{std::string("unequal transfers ") + to_string(problem.transfers)};
  int kinds[2] = {0, 0};
  double memory = -1;
  for (const DeviceClass& c : platform.classes) {
    if (c.count == 0) continue;
    if (++kinds[c.kind == DeviceKind::Host ? 1 : 0] > 1)
      found.insert(c.kind == DeviceKind::Host ? "classes of hosts" : "classes of accelerators");
    if (c.kind == DeviceKind::Host) continue;
    if (c.link_factor != 1) found.insert("a link factor");
    if (c.link_factor == 0) found.insert("a free link");
    if (memory >= 0 && c.memory != memory) found.insert("memory of its own");
    memory = c.memory;
  }
  for (const Node& node : problem.workload->graph.nodes) {
    std::set<bool> runs;
    for (ClassId c : platform.classes.all()) {
      if (platform.classes[c].count > 0 && platform.classes[c].kind == DeviceKind::Accelerator)
        runs.insert(node.time[c.index()] != kCannotRun);
    }
    if (runs.size() > 1) found.insert("cannot run on one of two classes");
  }
  return found;
}

// The problems that SolveIp.FindsTheOptimumAndItsBoundsHold solves at its usual scale.
TEST(RandomProblems, MeetEveryRule) {
  std::map<std::string, int> count;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    const Problem problem = random_problem({Shape::Free, Objective::MaxLoad}, seed);
    for (const std::string& one : seed % 3 == 0 ? unequal_features(problem) : features(problem)) ++count[one];
  }
  for (const char* feature : {"transfers sum",
                              "transfers overlap",
                              "transfers duplex",
                              "cannot run on an accelerator",
                              "cannot run on a host",
                              "no time",
                              "training",
                              "colours",
                              "orphans",
                              "no transfer costs",
                              "memory",
                              "tight memory",
                              "no host",
                              "several hosts",
                              "no accelerator",
                              "one accelerator",
                              "more accelerators than nodes",
                              "several pieces",
                              "backward shape",
                              "classes of accelerators",
                              "classes of hosts",
                              "a link factor",
                              "a free link",
                              "memory of its own",
                              "cannot run on one of two classes",
                              "unequal transfers overlap",
                              "unequal transfers duplex"}) {
    EXPECT_GE(count[feature], 4) << feature;
  }
}

Plan solve_fully(const Problem& problem, Algorithm algorithm) {
  Budget budget;
  return plan(problem, {.algorithm = algorithm}, budget);
}

using SeldomCases = IntegerProgram;

TEST_P(SeldomCases, EqualBruteForce) {
  const std::vector<std::pair<const char*, Workload>> workloads{
      {"one node", graph_from_text("a 3 30")},
      {"nothing costs anything", graph_from_text("a 0 0; b 0 0; c 0 0; a -> b -> c : 0", 2, kUnlimited, 1)},
      {"free transfers",
       graph_from_text("a 3 9; b 2 4; c 4 4; d 1 8; a -> b -> c -> d : 0; a -> d : 0", 3, kUnlimited, 1)},
      {"only transfers cost", graph_from_text("a 0 1; b 0 1; c 0 1; a -> b -> c : 2; a -> c : 3", 3, kUnlimited, 1)},
      {"no edges", graph_from_text("a 3 9; b 2 4; c 4 4; d 1 8", 2, kUnlimited, 2)},
      {"many devices", graph_from_text("a 3 9; b 2 4; c 4 4; a -> b -> c : 0.5", 9, kUnlimited, 4)},
      {"hosts only", graph_from_text("a 3 9; b 2 4; c 4 4; a -> b -> c : 0.5", 0, kUnlimited, 2)},
      {"numbers of different size",
       graph_from_text("a 1e-6 1; b 1e6 1e9; c 3 9; a -> b -> c : 1e-3", 2, kUnlimited, 1)},
  };
  for (const auto& [name, workload] : workloads) {
    SCOPED_TRACE(name);
    Problem problem;
    problem.workload = workload;
    problem.shape = GetParam().shape;
    problem.objective = GetParam().objective;
    const std::optional<double> best = brute_force(problem);
    const Plan answer = solve_fully(problem, Algorithm::Ip);
    ASSERT_EQ(answer.result.status, best ? Status::Optimal : Status::Infeasible) << answer.result.reason;
    if (best) {
      EXPECT_NEAR(answer.result.value, *best, 1e-8 * *best);
      EXPECT_LE(answer.result.bound, *best);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryQuestion, SeldomCases, kEveryQuestion, question_name);

// Layers of nodes, some edges left out at random; half of them training graphs with twins and orphans.
Workload layered_workload(std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  const auto draw = [&](int count) { return static_cast<int>(engine() % static_cast<std::uint64_t>(count)); };
  Workload workload;
  const bool training = seed % 2 == 0;
  const int forward = training ? 7 : 13;
  for (int i = 0; i < (training ? 2 * forward : forward); ++i) {
    Node node;
    node.original_id = i;
    node.backward = i >= forward;
    const int twin = node.backward ? 2 * forward - 1 - i : i;
    if (training && twin % 4 != 0) node.colour = twin;
    const double time = 1 + 0.37 * draw(20);
    node.time = {draw(15) == 0 && !training ? kCannotRun : time, 3 * time};
    node.memory = 1 + draw(4);
    workload.graph.nodes.push_back(node);
  }
  for (int u = 0; u < forward; ++u) {
    const double cost = 0.1 * draw(12);
    for (int v = u + 1; v < std::min(forward, u + 4); ++v) {
      if (draw(2) == 0) continue;
      workload.graph.edges.push_back({NodeId(u), NodeId(v), cost});
      if (training) workload.graph.edges.push_back({NodeId(2 * forward - 1 - v), NodeId(2 * forward - 1 - u), cost});
    }
  }
  workload.platform = make_platform(2 + draw(2), seed % 3 == 0 ? 18 : kUnlimited, draw(3));
  return workload;
}

// Larger than brute force can do: the integer program, the portfolio of the shape and the order of the shapes agree.
TEST(LargerProblems, IntegerProgramsAgreeWithTheOtherSolvers) {
  for (std::uint64_t seed = 1; seed <= cases(12); ++seed) {
    Problem problem;
    problem.workload = layered_workload(seed);
    problem.backward_shape = seed % 4 == 0;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + describe(*problem.workload));
    double before = kUnlimited;
    for (const Shape shape : {Shape::Staged, Shape::Contiguous, Shape::Free}) {
      problem.shape = shape;
      const Plan by_program = solve_fully(problem, Algorithm::Ip);
      Budget::Limits limits;
      if (shape == Shape::Free) limits.ticks = 2'000'000;  // memory is not in its bound, so some never end
      Budget budget(limits);
      const Plan by_portfolio = plan(problem, {}, budget);
      if (shape != Shape::Free) {
        EXPECT_EQ(by_program.result.status, by_portfolio.result.status);
      }
      if (!by_program.result.split) continue;
      const double value = by_program.result.value;
      EXPECT_EQ(by_program.result.status, Status::Optimal);
      EXPECT_LE(by_portfolio.result.bound, value * (1 + 1e-9));
      EXPECT_GE(by_portfolio.result.value, by_program.result.bound);
      EXPECT_NEAR(by_portfolio.result.value, value, 1e-6 * value);
      EXPECT_LE(value, before * (1 + 1e-6));
      before = value;
    }
  }
}

}  // namespace
}  // namespace partita::detail::test
