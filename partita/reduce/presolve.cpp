// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/presolve.h"

#include <algorithm>

#include "partita/reduce/presolve/cheap_neighbour.h"
#include "partita/reduce/presolve/unaffordable_cut.h"
#include "partita/reduce/presolve/unaffordable_pair.h"
#include "partita/reduce/windows.h"
#include "partita/util/statistics.h"

namespace partita {
namespace {

class Presolver {
 public:
  Presolver(const StageGraph& graph, const Threshold& question, const PresolveOptions& options, const Budget& budget)
      : question_(question), options_(options), budget_(budget) {
    result_.graph = graph;
    cap_costs(result_.graph, question);
    result_.lift.resize(graph.size());
    for (GroupId v : graph.all()) result_.lift[v] = v;
  }

  Presolved run() && {
    join_to_fixed_point();
    if (options_.windows && result_.graph.has_closure()) use_windows();
    return std::move(result_);
  }

 private:
  // Cheap rules first; minimum cuts only when nothing else moves.
  void join_to_fixed_point() {
    bool changed = true;
    while (changed && !budget_.exhausted()) {
      changed = false;
      if (options_.unaffordable_pair) {
        changed |= apply("unaffordable pair", "presolve.unaffordable_pair",
                         [&](auto& merge) { return join_unaffordable_pairs(result_.graph, question_, merge); });
      }
      if (options_.cheap_neighbour) {
        changed |= apply("cheap neighbour", "presolve.cheap_neighbour",
                         [&](auto& merge) { return join_cheap_neighbours(result_.graph, question_, merge); });
      }
      if (!changed && options_.unaffordable_cut) {
        changed |= apply("unaffordable cut", "presolve.unaffordable_cut",
                         [&](auto& merge) { return join_unaffordable_cuts(result_.graph, question_, budget_, merge); });
      }
    }
  }

  // Windows and joins strengthen each other: fewer groups make more of them forced, which narrows the windows. Once a
  // round brings little, look through finer buckets.
  void use_windows() {
    int buckets = options_.window_buckets;
    for (int round = 0; round < options_.window_rounds && result_.graph.size() > 1 && !budget_.exhausted(); ++round) {
      const std::size_t before = result_.graph.size();
      if (!look_through({buckets, Windows::Measure::Time, options_.window_flows})) return;
      const bool memory_binds = result_.graph.total_memory() > question_.platform.accelerator_memory;
      if (memory_binds && !look_through({buckets, Windows::Measure::Memory, options_.window_flows})) return;
      if (before - result_.graph.size() > before / 50) continue;
      if (buckets >= kMostRefined * options_.window_buckets) break;
      buckets *= 2;
    }
  }

  // False if nothing is left to look for.
  bool look_through(const Windows::Options& options) {
    Technique refutation(budget_, "presolve.windows", "limits refuted");
    const Windows windows(result_.graph, question_, options, budget_);
    if (!windows.feasible()) {
      refutation.yield(1);
      result_.infeasible = true;
      return false;
    }
    const bool fewer_on_hosts = take_off_hosts(windows);
    const bool joined = apply("never separated", "presolve.never_separated",
                              [&](auto& merge) { return windows.join_never_separated(merge); });
    if (joined || fewer_on_hosts) join_to_fixed_point();
    return true;
  }

  // A group that no window lets onto a host counts as unsupported there, which makes the other rules stronger.
  bool take_off_hosts(const Windows& windows) {
    IdVector<GroupId, char> banned(result_.graph.size(), 0);
    bool any = false;
    for (GroupId v : result_.graph.all()) {
      if (budget_.exhausted()) break;
      if (!question_.fits_host(result_.graph.group(v)) || windows.can_be_on_host(v)) continue;
      banned[v] = 1;
      any = true;
    }
    if (any) result_.graph.ban_from_hosts(banned);
    return any;
  }

  template <class Rule>
  bool apply(const char* name, const char* technique, Rule rule) {
    Technique use(budget_, technique, "groups removed");
    const std::size_t before = result_.graph.size();
    UnionFind<GroupId> merge(before);
    if (rule(merge) == 0) return false;
    IdVector<GroupId, GroupId> label(before);
    for (GroupId v : label.all()) label[v] = merge.find(v);
    Contraction contraction = contract(result_.graph, label);
    result_.graph = std::move(contraction.graph);
    result_.lift = compose(result_.lift, contraction.lift);
    count(name, before - result_.graph.size());
    use.yield(static_cast<double>(before - result_.graph.size()));
    return true;
  }

  void count(const char* name, std::size_t removed) {
    const auto it =
        std::find_if(result_.rules.begin(), result_.rules.end(), [&](const RuleCount& r) { return r.rule == name; });
    if (it != result_.rules.end()) {
      it->groups_removed += removed;
    } else {
      result_.rules.push_back({name, removed});
    }
  }

  static constexpr int kMostRefined = 4;

  const Threshold question_;
  const PresolveOptions options_;
  const Budget& budget_;
  Presolved result_;
};

}  // namespace

Presolved presolve(const StageGraph& graph, const Threshold& question, const PresolveOptions& options,
                   const Budget& budget) {
  return Presolver(graph, question, options, budget).run();
}

}  // namespace partita
