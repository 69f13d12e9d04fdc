// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/presolve.h"

#include <algorithm>
#include <utility>

#include "partita/reduce/presolve/cheap_neighbour.h"
#include "partita/reduce/presolve/unaffordable_cut.h"
#include "partita/reduce/presolve/unaffordable_pair.h"
#include "partita/util/statistics.h"

namespace partita::detail {
namespace {

template <class Graphs>
class Presolver {
 public:
  Presolver(const Graphs& graph, const QuestionOf<Graphs>& question, const PresolveSettings& options,
            const Budget& budget)
      : question_(question), options_(options), budget_(budget) {
    result_.graph = graph;
    cap_costs(result_.graph, question);
    result_.lift.resize(graph.size());
    for (GroupId v : result_.lift.all()) result_.lift[v] = v;
  }

  Presolved<Graphs> run() && {
    join_to_fixed_point();
    if (options_.windows && view(result_.graph, 0).has_closure()) use_windows();
    return std::move(result_);
  }

 private:
  static constexpr std::size_t kViews = kViewsOf<Graphs>;

  // Cheap rules first; minimum cuts only when nothing else moves.
  void join_to_fixed_point() {
    bool changed = true;
    while (changed && !budget_.exhausted()) {
      changed = false;
      if (options_.unaffordable_pair) {
        changed |= apply_to_views("unaffordable pair", "presolve.unaffordable_pair",
                                  [&](const auto& graph, const auto& question, auto& merge) {
                                    return join_unaffordable_pairs(graph, question, merge);
                                  });
      }
      if (options_.cheap_neighbour)
        changed |=
            apply("cheap neighbour", "presolve.cheap_neighbour", [&](auto& merge) { return join_cheap_ones(merge); });
      if (!changed && options_.unaffordable_cut) {
        changed |= apply_to_views("unaffordable cut", "presolve.unaffordable_cut",
                                  [&](const auto& graph, const auto& question, auto& merge) {
                                    return join_unaffordable_cuts(graph, question, budget_, merge);
                                  });
      }
    }
  }

  std::size_t join_cheap_ones(UnionFind<GroupId>& merge) const {
    std::vector<CheapNeighbourView> passes;
    for (std::size_t v = kFirstPass<Graphs>; v < kViews; ++v)
      passes.push_back({view(result_.graph, v), view(question_, v)});
    return join_cheap_neighbours(passes, merge);
  }

  // Windows and joins strengthen each other: fewer groups make more of them forced, which narrows the windows. Once a
  // round brings little, look through finer buckets.
  void use_windows() {
    int buckets = options_.window_buckets;
    const int finest = PresolveSettings::kMostRefined * buckets;
    for (int round = 0; round < options_.window_rounds && result_.graph.size() > 1 && !budget_.exhausted(); ++round) {
      const std::size_t before = result_.graph.size();
      ViewPlaces<Graphs> places;
      for (std::size_t v = 0; v < kViews; ++v) {
        if (!has_windows(result_.graph, question_, v)) continue;
        if (!look_through(v, {buckets, Windows::Measure::Time, options_.window_flows}, places.time[v])) return;
      }
      if (view(result_.graph, 0).total_memory() > view(question_, 0).platform.accelerator_memory) {
        if (!look_through(0, {buckets, Windows::Measure::Memory, options_.window_flows}, places.memory)) return;
      }
      if (buckets == finest && before == result_.graph.size()) result_.places = std::move(places);
      if (before - result_.graph.size() > before / 50) continue;
      if (buckets >= finest) break;
      buckets *= 2;
    }
  }

  // False if nothing is left to look for.
  bool look_through(std::size_t v, const Windows::Options& options, std::optional<Places>& places) {
    Technique looking(budget_, "presolve.windows", "limits refuted");
    const Windows windows(view(result_.graph, v), view(question_, v), options, budget_);
    if (!windows.feasible()) {
      looking.yield(1);
      result_.infeasible = true;
      return false;
    }
    const bool fewer_on_hosts = take_off_hosts(windows, v);
    const bool joined = apply("never separated", "presolve.never_separated",
                              [&](auto& merge) { return windows.join_never_separated(merge); });
    if (!joined) places = windows;
    if (joined || fewer_on_hosts) join_to_fixed_point();
    return true;
  }

  // A group that no window lets onto a host counts as unsupported there, which makes the other rules stronger.
  bool take_off_hosts(const Windows& windows, std::size_t v) {
    IdVector<GroupId, char> banned(result_.graph.size(), 0);
    bool any = false;
    for (GroupId g : banned.all()) {
      if (budget_.exhausted()) break;
      if (!view(question_, v).fits_host(view(result_.graph, v).group(g)) || windows.can_be_on_host(g)) continue;
      banned[g] = 1;
      any = true;
    }
    for (std::size_t w = 0; w < kViews && any; ++w) view(result_.graph, w).ban_from_hosts(banned);
    return any;
  }

  // What one view shows is true of every split within the limits, so all views may use it.
  template <class Rule>
  bool apply_to_views(const char* name, const char* technique, Rule rule) {
    return apply(name, technique, [&](auto& merge) {
      std::size_t joins = 0;
      for (std::size_t v = 0; v < kViews; ++v) {
        if (has_windows(result_.graph, question_, v)) joins += rule(view(result_.graph, v), view(question_, v), merge);
      }
      return joins;
    });
  }

  template <class Rule>
  bool apply(const char* name, const char* technique, Rule rule) {
    Technique use(budget_, technique, "groups removed");
    const std::size_t before = result_.graph.size();
    UnionFind<GroupId> merge(before);
    if (rule(merge) == 0) return false;
    IdVector<GroupId, GroupId> label(before);
    for (GroupId v : label.all()) label[v] = merge.find(v);
    auto contraction = contract(result_.graph, label);
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

  const QuestionOf<Graphs> question_;
  const PresolveSettings options_;
  const Budget& budget_;
  Presolved<Graphs> result_;
};

}  // namespace

template <class Graphs>
Presolved<Graphs> presolve(const Graphs& graph, const QuestionOf<Graphs>& question, const PresolveSettings& options,
                           const Budget& budget) {
  return Presolver<Graphs>(graph, question, options, budget).run();
}

template Presolved<StageGraph> presolve(const StageGraph&, const Threshold&, const PresolveSettings&, const Budget&);
template Presolved<PassGraphs> presolve(const PassGraphs&, const PassQuestion&, const PresolveSettings&, const Budget&);

}  // namespace partita::detail
