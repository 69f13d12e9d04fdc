// SPDX-License-Identifier: Apache-2.0
// The operators of pieces: they add up to what the piece computes, and come in an order in which all inputs are there.
#include "partita/schedule/operators.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "partita/schedule/simulation.h"
#include "tests/support/cases.h"
#include "tests/support/graph_text.h"
#include "tests/support/latency_questions.h"
#include "tests/support/random_setup.h"
#include "tests/support/random_split.h"

namespace partita::detail::test {
namespace {

void expect_whole(const Problem& problem, const CheckReport& report, const Pieces& pieces) {
  const Graph& graph = problem.workload->graph;
  const auto operators = operators_of(problem, report, pieces);
  ASSERT_EQ(operators.size(), pieces.pieces.size());
  IdVector<NodeId, std::size_t> place(graph.nodes.size(), 0);
  for (PieceId p : pieces.pieces.all()) {
    double sum = 0;
    std::vector<NodeId> nodes;
    for (std::size_t i = 0; i < operators[p].size(); ++i) {
      const Operator& one = operators[p][i];
      sum += one.time;
      if (one.again) {
        EXPECT_TRUE(nodes.empty());  // what is computed again comes first
        EXPECT_EQ(pieces.pieces[pieces.piece_of[one.node]].device, pieces.pieces[p].device);
        continue;
      }
      nodes.push_back(one.node);
      place[one.node] = i;
    }
    EXPECT_NEAR(sum, pieces.pieces[p].load.compute, 1e-9 * (1 + sum)) << "piece " << p.index();
    std::ranges::sort(nodes);
    EXPECT_EQ(nodes, pieces.pieces[p].nodes);
  }
  for (const Edge& edge : graph.edges) {
    if (pieces.piece_of[edge.from] != pieces.piece_of[edge.to]) continue;
    EXPECT_LT(place[edge.from], place[edge.to]);
  }
}

TEST(Operators, OfRandomSplitsAddUpToWhatPiecesCompute) {
  std::size_t legal = 0, recomputing = 0, contending = 0;
  for (std::uint64_t seed = 1; seed <= cases(1500); ++seed) {
    Problem problem = random_setup(seed);
    if (seed % 3 == 0) {
      for (DeviceClass& c : problem.workload.change().platform.classes) c.contention = 1.25;
    }
    std::mt19937 engine(static_cast<unsigned>(seed));
    const Split split = random_split(problem, engine);
    const CheckReport report = check(problem, split);
    if (!report.legal()) continue;
    expect_whole(problem, report, cut_into_pieces(problem, split, report));
    ++legal;
    contending += seed % 3 == 0 ? 1 : 0;
    for (const DeviceReport& device : report.devices) recomputing += device.recomputes && device.node_count > 0 ? 1 : 0;
    if (HasFailure()) FAIL() << "seed " << seed << "\n" << describe(problem);
  }
  EXPECT_GT(legal, cases(1500) / 5);
  EXPECT_GT(recomputing, 0u);
  EXPECT_GT(contending, 0u);
}

TEST(Operators, OfLatencySchedulesAddUpToo) {
  std::size_t legal = 0;
  for (std::uint64_t seed = 1; seed <= cases(300); ++seed) {
    const Problem problem = latency_question(seed);
    std::mt19937 engine(static_cast<unsigned>(seed));
    Split split;
    const std::size_t devices = problem.workload->platform.device_count();
    for (std::size_t v = 0; v < problem.workload->graph.nodes.size(); ++v) {
      const DeviceId before = v > 0 ? split.device_of[NodeId(v - 1)] : DeviceId(0);
      split.device_of.push_back(engine() % 2 == 0 ? before : DeviceId(engine() % devices));
    }
    const CheckReport report = check(problem, split);
    if (!report.legal()) continue;
    SimulationOptions options;
    options.kind = ScheduleKind::Sequential;
    options.samples = options.record = 1;
    expect_whole(problem, report, simulate(problem, split, options).pieces);
    ++legal;
    if (HasFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_GT(legal, 0u);
}

}  // namespace
}  // namespace partita::detail::test
