// SPDX-License-Identifier: Apache-2.0
// Problems made by hand that nobody can compute with: every function that takes one refuses it in words.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "partita/compare/compare.h"
#include "partita/partita.h"
#include "partita/portfolio/sweep.h"
#include "partita/schedule/simulation.h"
#include "partita/util/error.h"
#include "tests/support/graph_text.h"

namespace partita::detail {
namespace {

Problem chain() { return Problem(graph_from_text("a 1 2; b 1 2; c 1 2; a -> b : 1; b -> c : 1", 2, 100, 1)); }

std::vector<std::function<void(const Problem&)>> entries() {
  Split split;
  split.device_of = {DeviceId(0), DeviceId(0), DeviceId(1)};
  split.order = {DeviceId(0), DeviceId(1)};
  return {[](const Problem& problem) {
            Budget budget;
            plan(problem, {}, budget);
          },
          [split](const Problem& problem) { adopt(problem, split); },
          [](const Problem& problem) { integer_program(problem, ModelFormat::Lp); },
          [](const Problem& problem) { read_integer_solution(problem, "", "solution"); },
          [](const Problem& problem) {
            Budget budget;
            compare(problem, {}, budget);
          },
          [](const Problem& problem) {
            Budget budget;
            sweep(problem, SweepParameter::Bandwidth, {1, 2}, {}, budget);
          },
          [split](const Problem& problem) { simulate(problem, split, {}); }};
}

TEST(HostileProblem, IsRefusedByWhoeverTakesIt) {
  const std::vector<std::function<void(Problem&)>> harms{
      [](Problem& p) { p.workload.change().graph.nodes[NodeId(1)].time = {1}; },
      [](Problem& p) { p.workload.change().graph.nodes[NodeId(1)].time[0] = std::numeric_limits<double>::quiet_NaN(); },
      [](Problem& p) { p.workload.change().graph.edges[0].to = NodeId(77); },
      [](Problem& p) {
        p.workload.change().graph.edges.push_back({NodeId(2), NodeId(0), 1});
      },
      [](Problem& p) { p.workload.change().platform.classes[ClassId(0)].count = -5; },
      [](Problem& p) { p.workload.change().platform = {}; },
      [](Problem& p) { p.workload = Workload{}; },
      [](Problem& p) { p.subgraphs = 0; },
      [](Problem& p) { p.replicas = 0; },
  };
  for (std::size_t h = 0; h < harms.size(); ++h) {
    Problem problem = chain();
    harms[h](problem);
    const auto all = entries();
    for (std::size_t e = 0; e < all.size(); ++e) {
      try {
        all[e](problem);
        ADD_FAILURE() << "harm " << h << " was accepted by entry " << e;
      } catch (const InputError& error) {
        EXPECT_FALSE(error.where().empty()) << error.what();
      }
    }
  }
}

TEST(HostileProblem, MemoryThatDoesNotAddUpIsCutOff) {
  Problem problem = chain();
  for (Node& node : problem.workload.change().graph.nodes) node.memory = 1e9 + 0.1;
  problem.workload.change().platform.classes[ClassId(0)].memory = 2e9 + 0.2;
  Budget budget;
  const Plan best = plan(problem, {}, budget);
  EXPECT_EQ(best.result.status, Status::Optimal);
}

}  // namespace
}  // namespace partita::detail
