// SPDX-License-Identifier: Apache-2.0
#include "partita/reduce/pass_presolve.h"

#include <utility>

#include "partita/reduce/presolve.h"
#include "partita/reduce/presolve/cheap_neighbour.h"

namespace partita {
namespace {

constexpr int kRounds = 3;  // further ones join next to nothing

class PassPresolver {
 public:
  PassPresolver(const PassGraphs& graphs, const PassQuestion& question, const Budget& budget)
      : question_(question), budget_(budget), result_{graphs, {}, false} {
    result_.lift.resize(graphs.size());
    for (GroupId v : result_.lift.all()) result_.lift[v] = v;
  }

  PassPresolved run() && {
    for (int round = 0; round < kRounds && !budget_.exhausted() && !result_.infeasible; ++round) {
      const std::size_t before = result_.graphs.size();
      join_cheap_ones();
      use_view(result_.graphs.both, question_.both);
      for (std::size_t p = 0; p < kPasses && !result_.infeasible; ++p)
        use_view(result_.graphs.pass[p], question_.pass[p]);
      if (result_.graphs.size() == before) break;
    }
    return std::move(result_);
  }

 private:
  void join_cheap_ones() {
    while (!budget_.exhausted()) {
      UnionFind<GroupId> merge(result_.graphs.size());
      const CheapNeighbourView views[] = {{result_.graphs.pass[0], question_.pass[0]},
                                          {result_.graphs.pass[1], question_.pass[1]}};
      if (join_cheap_neighbours(views, merge) == 0) return;
      IdVector<GroupId, GroupId> label(result_.graphs.size());
      for (GroupId v : label.all()) label[v] = merge.find(v);
      apply(label);
    }
  }

  // What one view shows is true of every split within the limits, so all views may use it.
  void use_view(const StageGraph& view, const Threshold& question) {
    if (view.total_accelerator_time() <= 0 || question.limit <= 0) return;
    PresolveOptions options;
    options.cheap_neighbour = false;
    options.window_rounds = 4;
    const Presolved small = presolve(view, question, options, budget_);
    if (small.infeasible) {
      result_.infeasible = true;
      return;
    }
    const Lift step = apply(small.lift);
    IdVector<GroupId, char> banned(result_.graphs.size(), 0);
    for (GroupId v : step.all()) banned[step[v]] |= !small.graph.group(small.lift[v]).on_host;
    result_.graphs.both.ban_from_hosts(banned);
    for (StageGraph& graph : result_.graphs.pass) graph.ban_from_hosts(banned);
  }

  Lift apply(const IdVector<GroupId, GroupId>& label) {
    PassContraction contraction = contract(result_.graphs, label);
    result_.graphs = std::move(contraction.graphs);
    result_.lift = compose(result_.lift, contraction.lift);
    return std::move(contraction.lift);
  }

  const PassQuestion& question_;
  const Budget& budget_;
  PassPresolved result_;
};

}  // namespace

PassPresolved presolve_passes(const PassGraphs& graphs, const PassQuestion& question, const Budget& budget) {
  return PassPresolver(graphs, question, budget).run();
}

}  // namespace partita
