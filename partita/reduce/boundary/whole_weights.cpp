// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/boundary/whole_weights.h"

#include <algorithm>
#include <cmath>

#include "partita/util/wide_int.h"

namespace partita::detail {
namespace {

constexpr int kLimitBits = 45;
constexpr double kSumsAreOff = 1e-11;

// The work of a host is a knapsack of its time; taken in pieces, the best per unit of time first, it can only hold more.
Whole host_work_of(const StageGraph& graph, const Threshold& question, const WholeWeights& weights,
                   const IdVector<GroupId, Whole>& host_time) {
  std::vector<GroupId> rows;
  Whole held = 0;
  for (GroupId v : graph.all()) {
    if (!question.fits_host(graph.group(v))) continue;
    if (host_time[v] == 0) {
      held += weights.work[v];
    } else {
      rows.push_back(v);
    }
  }
  std::sort(rows.begin(), rows.end(), [&](GroupId a, GroupId b) {
    return WideInt{weights.work[a]} * host_time[b] > WideInt{weights.work[b]} * host_time[a];
  });
  Whole left = weights.limit;
  for (GroupId v : rows) {
    if (host_time[v] <= left) {
      left -= host_time[v];
      held += weights.work[v];
      continue;
    }
    held += static_cast<Whole>((WideInt{weights.work[v]} * left + host_time[v] - 1) / host_time[v]);
    break;
  }
  return held;
}

}  // namespace

std::optional<WholeWeights> whole_weights(const StageGraph& graph, const Threshold& question) {
  if (!(question.limit > 0) || !std::isfinite(question.limit) || graph.size() > StageGraph::kClosureLimit) return {};
  int exponent = 0;
  std::frexp(question.limit, &exponent);
  const int shift = kLimitBits - exponent;
  WholeWeights weights;
  weights.limit = static_cast<Whole>(std::floor(std::ldexp(question.limit * (1 + kSumsAreOff), shift)));
  const double most = static_cast<double>(weights.limit + 1);
  const auto rounded = [&](double x) { return static_cast<Whole>(std::min(std::floor(std::ldexp(x, shift)), most)); };
  weights.work.resize(graph.size());
  IdVector<GroupId, Whole> host_time(graph.size(), 0);
  for (GroupId v : graph.all()) {
    weights.work[v] = rounded(graph.accelerator_time(v));
    weights.total += weights.work[v];
    host_time[v] = rounded(graph.host_time(v));
  }
  weights.cost.resize(graph.net_count());
  for (NetId e : graph.nets()) weights.cost[e] = rounded(graph.cost(e));
  if (question.platform.hosts > 0) weights.host_work = host_work_of(graph, question, weights, host_time);
  return weights;
}

}  // namespace partita::detail
