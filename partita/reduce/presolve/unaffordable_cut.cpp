// SPDX-License-Identifier: Apache-2.0
// The unaffordable pair with the cheapest company: u and v share a device if every set S with u and without v has
// load(S) > limit, and u fits no host.
//
// min over S of time(S) + cost of the nets cut by S, with u in S and v not, is a minimum cut: an arc of capacity
// time(x) from each group x to the sink, and for each net e a pair of vertices e', e" with an arc of capacity cost(e)
// and infinite arcs member -> e' and e" -> member. (S = the source's side; the arc is cut iff S holds some but not all
// members.) Leaving out that S must be a difference of ideals only makes the minimum smaller, so the rule stays valid.
// A single group that is affordable alone, load({u}) <= limit, is its own witness, so no flow is run for it.
// Tests: tests/reduce/presolve_test.cpp, tests/property.
#include "partita/reduce/presolve/unaffordable_cut.h"

#include <optional>
#include <vector>

#include "partita/util/max_flow.h"
#include "partita/util/parallel.h"

namespace partita::detail {
namespace {

// Only pairs in nets this small are tried: large nets are seldom worth their many pairs.
constexpr std::size_t kLargestNet = 6;

class CutNetwork {
 public:
  CutNetwork(const StageGraph& graph, double limit)
      : graph_(graph), limit_(limit), flow_(graph.size() + 2 * graph.net_count() + 1) {
    sink_ = graph.size() + 2 * graph.net_count();
    for (GroupId v : graph.all()) to_sink_.push_back(flow_.add_arc(v.index(), sink_, graph.accelerator_time(v)));
    for (NetId e : graph.nets()) {
      const std::size_t entry = graph.size() + 2 * e.index(), exit = entry + 1;
      flow_.add_arc(entry, exit, graph.cost(e));
      for (GroupId v : graph.members(e)) {
        flow_.add_arc(v.index(), entry, kInfiniteCapacity);
        flow_.add_arc(exit, v.index(), kInfiniteCapacity);
      }
    }
  }

  // Is every set with u and without v too expensive?
  bool inseparable(GroupId u, GroupId v) {
    flow_.set_capacity(to_sink_[v.index()], kInfiniteCapacity);
    const double enough = limit_ * (1 + 1e-9);
    const double cut = flow_.run(u.index(), sink_, enough, 1e-13 * limit_);
    flow_.clear_flow();
    flow_.set_capacity(to_sink_[v.index()], graph_.accelerator_time(v));
    return cut > limit_;
  }

 private:
  const StageGraph& graph_;
  double limit_;
  MaxFlow flow_;
  std::size_t sink_ = 0;
  std::vector<MaxFlow::ArcIndex> to_sink_;
};

// Calls visit(u, v) for the pairs that may be inseparable.
template <class Visit>
void for_each_pair(const StageGraph& graph, const Threshold& question, Visit visit) {
  for (GroupId u : graph.all()) {
    if (question.fits_host(graph.group(u))) continue;
    double alone = graph.accelerator_time(u);
    for (NetId e : graph.nets_of(u)) alone += graph.cost(e);
    if (alone <= question.limit) continue;
    for (NetId e : graph.nets_of(u)) {
      if (graph.members(e).size() > kLargestNet) continue;
      for (GroupId v : graph.members(e)) {
        if (v != u) visit(u, v);
      }
    }
  }
}

}  // namespace

// Pairs that are together already need no flow. Threads look at a row of pairs side by side, each in a network of its
// own; what they say is used in the order of one thread, so the joins are the same, for a few flows too many.
std::size_t join_unaffordable_cuts(const StageGraph& graph, const Threshold& question, const Budget& budget,
                                   UnionFind<GroupId>& merge, GroupPairs* joined) {
  struct Asked {
    GroupId u, v;
    bool inseparable = false;
  };
  constexpr std::size_t kPairsPerThread = 16;
  const bool share = worth_sharing(budget, graph.size() * kPairsPerThread);
  const std::size_t in_a_row = share ? kPairsPerThread * threads_of(budget) : 1;
  std::vector<std::optional<CutNetwork>> networks(share ? threads_of(budget) : 1);
  std::vector<Asked> row;
  std::size_t joins = 0;
  bool ended = false;
  const auto look_at_row = [&] {
    for_each(budget, row.size(), [&](std::size_t i, std::size_t slot) {
      if (budget.exhausted()) return;
      if (!networks[slot]) networks[slot].emplace(graph, question.limit);
      row[i].inseparable = networks[slot]->inseparable(row[i].u, row[i].v);
    });
    for (const Asked& asked : row) {
      if (!asked.inseparable || !merge.join(asked.u, asked.v)) continue;
      ++joins;
      if (joined) joined->emplace_back(asked.u, asked.v);
    }
    row.clear();
    ended = budget.exhausted();
  };
  for_each_pair(graph, question, [&](GroupId u, GroupId v) {
    if (ended || merge.together(u, v)) return;
    row.push_back({u, v});
    if (row.size() == in_a_row) look_at_row();
  });
  if (!row.empty()) look_at_row();
  return joins;
}

}  // namespace partita::detail
