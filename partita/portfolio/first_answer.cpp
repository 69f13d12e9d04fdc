// SPDX-License-Identifier: Apache-2.0
// The bound for throughput. Let t(v) be the least time of node v over the classes of devices that there are, and D the
// number of devices. Every device's load is at least the time of what it holds; a stage on r devices puts at least
// 1/r of that on each of them. So the devices' loads add up to at least the sum of all t(v), and the largest is at
// least that sum over D. Without copies, no more than n devices hold something, and the one that holds v has a load of
// at least t(v). With gpipe, the value is at least the largest load in both passes, so the same holds. Recomputing only
// adds. For latency every node of a path runs after the one before has finished, and takes at least t(v). Tests:
// tests/portfolio/first_answer_test.cpp.
#include "partita/portfolio/first_answer.h"

#include <algorithm>
#include <vector>

#include "partita/check/check.h"
#include "partita/solve/shared/greedy.h"
#include "partita/solve/shared/single.h"
#include "partita/util/topological_order.h"

namespace partita::detail {
namespace {

constexpr double kRoundingOfLimits = 1e-9;

// By node; 0 where it can run nowhere.
IdVector<NodeId, double> least_times(const Problem& problem) {
  const Platform& platform = problem.workload->platform;
  const Graph& graph = problem.workload->graph;
  IdVector<NodeId, double> least(graph.nodes.size(), kUnlimited);
  for (NodeId v : least.all()) {
    for (ClassId c : platform.classes.all()) {
      const double time = graph.nodes[v].time[c.index()];
      if (platform.classes[c].count > 0 && time != kCannotRun) least[v] = std::min(least[v], time);
    }
    if (least[v] == kUnlimited) least[v] = 0;
  }
  return least;
}

double longest_path(const Graph& graph, const IdVector<NodeId, double>& time) {
  std::vector<std::pair<NodeId, NodeId>> edges;
  for (const Edge& edge : graph.edges) edges.emplace_back(edge.from, edge.to);
  const Csr<NodeId, NodeId> successors(graph.nodes.size(), edges);
  IdVector<NodeId, double> start(graph.nodes.size(), 0);
  double longest = 0;
  for (NodeId v : topological_order(successors)) {
    const double finish = start[v] + time[v];
    longest = std::max(longest, finish);
    for (NodeId w : successors[v]) start[w] = std::max(start[w], finish);
  }
  return longest;
}

}  // namespace

std::optional<Split> first_split(const Problem& problem) {
  std::optional<Split> best;
  double value = kUnlimited;
  const auto offer = [&](std::optional<Split> split) {
    if (!split) return;
    const CheckReport report = check(problem, *split);
    if (!report.legal() || report.value >= value) return;
    value = report.value;
    best = std::move(split);
    best->order = report.order;
  };
  offer(greedy_split(problem));
  if (!best) offer(single_split(problem));
  return best;
}

double first_bound(const Problem& problem) {
  const IdVector<NodeId, double> time = least_times(problem);
  if (problem.objective == Objective::Latency)
    return longest_path(problem.workload->graph, time) * (1 - kRoundingOfLimits);
  double total = 0, longest = 0;
  for (const double t : time) {
    total += t;
    longest = std::max(longest, t);
  }
  const auto devices = static_cast<double>(problem.workload->platform.device_count());
  if (!(devices > 0) || time.size() == 0) return 0;
  if (problem.replicas > 1) return total / devices * (1 - kRoundingOfLimits);
  return std::max(total / std::min(devices, static_cast<double>(time.size())), longest) * (1 - kRoundingOfLimits);
}

}  // namespace partita::detail
