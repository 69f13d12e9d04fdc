// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/setups/presolve_setups.h"

#include <algorithm>

#include "partita/util/statistics.h"

namespace partita::detail {
namespace {

void join(SetupContraction& into, SetupContraction next) {
  into.graph = std::move(next.graph);
  into.lift = compose(into.lift, next.lift);
}

// A group that no window lets onto a class counts as unsupported there, which makes the other rules stronger.
bool ban(const SetupWindows& windows, const SetupRules& rules, SetupGraph& graph) {
  bool any = false;
  for (ClassId c : rules.classes.all()) {
    for (GroupId v : graph.all()) {
      if (!graph.time(c, v).can_run || windows.can_be_on(c, v)) continue;
      graph.ban(c, v);
      any = true;
    }
  }
  return any;
}

}  // namespace

PresolvedSetups presolve_setups(const SetupGraph& graph, const SetupRules& rules, double limit,
                                const PresolveSetupsOptions& options, const Budget& budget) {
  PresolvedSetups result{presolve(graph, rules, limit, options.settings, budget)};
  SetupContraction& small = result.contraction;
  if (!options.settings.windows || !small.graph.order().has_closure() || !SetupWindows::worthwhile(rules))
    return result;
  const int rounds = std::min(options.rounds, options.settings.window_rounds);
  int buckets = options.settings.window_buckets;
  for (int round = 0; round < rounds && small.graph.size() > 1 && !budget.exhausted(); ++round) {
    Technique looking(budget, "presolve.windows", "limits refuted");
    const std::size_t before = small.graph.size();
    const WorkMeasure measure(small.graph, rules);
    const SetupWindows windows(small.graph, rules, measure, limit, buckets, budget);
    result.infeasible = !windows.feasible();
    looking.yield(result.infeasible);
    if (result.infeasible) return result;
    const bool banned = ban(windows, rules, small.graph);
    UnionFind<GroupId> merge(before);
    if (windows.join_never_separated(merge) > 0) {
      Technique joining(budget, "presolve.never_separated", "groups removed");
      IdVector<GroupId, GroupId> label(before);
      for (GroupId v : label.all()) label[v] = merge.find(v);
      join(small, contract(small.graph, label));
      joining.yield(static_cast<double>(before - small.graph.size()));
    }
    if (banned || small.graph.size() < before)
      join(small, presolve(small.graph, rules, limit, options.settings, budget));
    if (before - small.graph.size() > before / 50) continue;
    if (rules.has_clusters() || buckets >= PresolveSettings::kMostRefined * options.settings.window_buckets) break;
    buckets *= 2;
  }
  return result;
}

}  // namespace partita::detail
