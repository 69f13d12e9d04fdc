// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/boundary/boundary_presolve.h"

#include <algorithm>
#include <utility>

namespace partita::detail {
namespace {

constexpr int kRoundsPerGrid = 4;
constexpr std::size_t kWorthARound = 25;  // one more if it took away one group in so many

template <class Graphs>
class BoundaryPresolver {
 public:
  BoundaryPresolver(Presolved<Graphs>& small, const QuestionOf<Graphs>& question, const PresolveSettings& settings,
                    Budget& budget)
      : small_(small), question_(question), settings_(settings), budget_(budget) {}

  // One look through all grids given. True if it is worth another.
  bool look(const BoundaryOptions& options) {
    const std::size_t before = small_.graph.size();
    UnionFind<GroupId> merge(before);
    for (std::size_t v = 0; v < kViewsOf<Graphs>; ++v) {
      if (!has_windows(small_.graph, question_, v)) continue;
      const BoundaryJoins joins = find_boundary_joins(view(small_.graph, v), view(question_, v), options, budget_);
      if (joins.infeasible) {
        small_.infeasible = true;
        return false;
      }
      for (GroupId g : ids<GroupId>(before)) merge.join(joins.merge.find(g), g);
    }
    if (merge.joins() == 0) return false;
    take_over(merge);
    return !small_.infeasible && before - small_.graph.size() >= before / kWorthARound;
  }

 private:
  void take_over(const UnionFind<GroupId>& merge) {
    const std::size_t before = small_.graph.size();
    IdVector<GroupId, GroupId> label(before);
    for (GroupId v : label.all()) label[v] = merge.find(v);
    auto contraction = contract(small_.graph, label);
    add_rule({"boundaries", before - contraction.graph.size()});
    Presolved<Graphs> again = presolve(contraction.graph, question_, settings_, budget_);
    for (const RuleCount& rule : again.rules) add_rule(rule);
    again.rules = std::move(small_.rules);
    again.lift = compose(compose(small_.lift, contraction.lift), again.lift);
    small_ = std::move(again);
  }

  void add_rule(const RuleCount& one) {
    const auto it = std::find_if(small_.rules.begin(), small_.rules.end(),
                                 [&](const RuleCount& rule) { return rule.rule == one.rule; });
    if (it == small_.rules.end()) {
      small_.rules.push_back(one);
    } else {
      it->groups_removed += one.groups_removed;
    }
  }

  Presolved<Graphs>& small_;
  const QuestionOf<Graphs>& question_;
  const PresolveSettings& settings_;
  Budget& budget_;
};

}  // namespace

template <class Graphs>
void presolve_by_boundaries(Presolved<Graphs>& small, const QuestionOf<Graphs>& question,
                            const PresolveSettings& settings, const BoundaryOptions& options, Budget& budget) {
  if (!view(small.graph, 0).has_closure()) return;
  BoundaryPresolver<Graphs> presolver(small, question, settings, budget);
  BoundaryOptions here = options;
  for (std::size_t depth = 1; depth <= options.grids.size(); ++depth) {
    here.grids.assign(options.grids.begin(), options.grids.begin() + static_cast<std::ptrdiff_t>(depth));
    for (int round = 0; round < kRoundsPerGrid; ++round) {
      if (small.infeasible || small.graph.size() < 2 || budget.exhausted()) return;
      if (!presolver.look(here)) break;
    }
  }
}

template void presolve_by_boundaries(Presolved<StageGraph>&, const Threshold&, const PresolveSettings&,
                                     const BoundaryOptions&, Budget&);
template void presolve_by_boundaries(Presolved<PassGraphs>&, const PassQuestion&, const PresolveSettings&,
                                     const BoundaryOptions&, Budget&);

}  // namespace partita::detail
