// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/boundary/net_spans.h"

#include <algorithm>

#include "partita/util/row_sums.h"
#include "partita/util/wide_int.h"

namespace partita::detail {
namespace {

constexpr int kQuantiles[] = {30, 60, 85, 100};  // percent of the cost
constexpr int kLongest = 90;                     // percent of the limit
constexpr int kNear = 100;                       // spans within a 100th of the limit belong together

}  // namespace

IdVector<NetId, Whole> net_spans(const StageGraph& graph, const WholeWeights& weights, TimeWatch& watch) {
  const RowSums<Whole> work_of(graph.size(), [&](std::size_t v) { return weights.work[GroupId(v)]; });
  IdVector<GroupId, Whole> before(graph.size()), after(graph.size());
  for (GroupId v : graph.all()) {
    before[v] = work_of(graph.ancestors(v));
    after[v] = work_of(graph.descendants(v));
    watch.step(graph.ancestors(v).size());
  }
  IdVector<NetId, Whole> spans(graph.net_count(), -1);
  std::vector<GroupId> by_before, by_after;
  for (NetId e : graph.nets()) {
    by_before.assign(graph.members(e).begin(), graph.members(e).end());
    by_after = by_before;
    std::sort(by_before.begin(), by_before.end(), [&](GroupId a, GroupId b) { return before[a] < before[b]; });
    std::sort(by_after.begin(), by_after.end(), [&](GroupId a, GroupId b) { return after[a] < after[b]; });
    // The pairs with the longest spans first, until none can be longer.
    for (GroupId u : by_before) {
      if (weights.total - before[u] - after[by_after.front()] <= spans[e]) break;
      for (GroupId w : by_after) {
        watch.step();
        const Whole span = weights.total - before[u] - after[w];
        if (span <= spans[e]) break;
        if (u != w && !test_bit(graph.descendants(w), u.index())) spans[e] = span;
      }
    }
  }
  return spans;
}

std::vector<SpanClass> span_classes(const StageGraph& graph, const WholeWeights& weights,
                                    const IdVector<NetId, Whole>& spans) {
  const auto percent = [](Whole x, int share) { return static_cast<Whole>(WideInt{x} * share / 100); };
  std::vector<NetId> rows;
  Whole cost = 0;
  for (NetId e : graph.nets()) {
    if (spans[e] >= percent(weights.limit, kLongest)) continue;
    rows.push_back(e);
    cost += weights.cost[e];
  }
  std::sort(rows.begin(), rows.end(), [&](NetId a, NetId b) { return spans[a] < spans[b]; });
  std::vector<SpanClass> classes;
  std::size_t taken = 0;
  Whole seen = 0;
  IdVector<NetId, char> counts(graph.net_count(), 0);
  const auto take = [&] {
    seen += weights.cost[rows[taken]];
    counts[rows[taken++]] = 1;
  };
  for (int share : kQuantiles) {
    const std::size_t before = taken;
    while (taken < rows.size() && (taken == 0 || seen < percent(cost, share))) take();
    if (taken == 0) break;
    const Whole near = spans[rows[taken - 1]] + weights.limit / kNear;
    while (taken < rows.size() && spans[rows[taken]] <= near) take();
    if (taken > before) classes.push_back({spans[rows[taken - 1]] + 1, counts});
  }
  return classes;
}

}  // namespace partita::detail
