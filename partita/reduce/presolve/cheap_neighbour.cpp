// SPDX-License-Identifier: Apache-2.0
// A group that costs less than the transfer to its only neighbour goes with that neighbour.
//
// Rule. Let w be the only successor of v in the transitive reduction (or, mirrored, the only predecessor), and let
//     time(v) + cost of the nets of v without w  <=  cost of the nets that are exactly {v, w}.
// If also moving v can break neither a host's load nor a memory limit nor support at w's device, join v and w.
//
// Proof. Take a split with v and w apart and move v to w's stage W. The order stays valid: what precedes v is in v's
// stage A or before it, hence before W, and what follows v follows w. Loads:
//   W gains at most time(v) and the nets of v without w, and loses the nets {v, w}: no increase.
//   A loses time(v) and the nets {v, w}, which it paid. It gains at most the nets of v that lay inside A, and these are
//     without w: no increase.
//   A third device holds part of a net of v before and after: no change.
// Where W may be a host, v must cost a host nothing; where memory may bind, v must need none.
// Several disjoint pairs may be joined at once: joining v and w adds no precedence between other groups and leaves the
// nets of another pair and their costs as they are.
// Tests: tests/reduce/presolve_test.cpp (optimum kept), tests/property.
#include "partita/reduce/presolve/cheap_neighbour.h"

#include <algorithm>

namespace partita::detail {
namespace {

// Sums that are equal on paper may differ in the last bits. Thousands of joins at this price stay below kRoundingSlack.
constexpr double kTie = 1e-15;

bool may_follow(const StageGraph& graph, const Threshold& question, GroupId v, GroupId w) {
  if (!has_nothing_but_time(graph, question, v, w)) return false;
  double gain = 0;                           // what W is spared
  double price = graph.accelerator_time(v);  // what W may have to pay
  for (NetId e : graph.nets_of(v)) {
    const auto members = graph.members(e);
    if (!std::binary_search(members.begin(), members.end(), w)) {
      price += graph.cost(e);
    } else if (members.size() == 2) {
      gain += graph.cost(e);
    }
  }
  return price <= gain + kTie * question.limit;
}

}  // namespace

bool has_nothing_but_time(const NetGraph& graph, const Threshold& question, GroupId v, GroupId w) {
  const Group& gv = graph.group(v);
  const Group& gw = graph.group(w);
  const StagePlatform& platform = question.platform;
  if (question.fits_host(gw)) {
    const bool free_on_host =
        gv.on_host && gv.host_time <= 0 && (gv.memory <= 0 || graph.total_memory() <= platform.host_memory);
    if (!free_on_host) return false;
  }
  if (question.fits_accelerator(gw)) {
    const bool light = gv.memory <= 0 || graph.total_memory() <= platform.accelerator_memory;
    if (!gv.on_accelerator || !light) return false;
  }
  return true;
}

std::size_t join_cheap_neighbours(std::span<const CheapNeighbourView> views, UnionFind<GroupId>& merge,
                                  GroupPairs* joined) {
  const StageGraph& order = views[0].graph;
  IdVector<GroupId, char> used(order.size(), 0);
  std::size_t joins = 0;
  const auto try_join = [&](GroupId v, std::span<const GroupId> neighbours) {
    if (used[v] || neighbours.size() != 1) return;
    const GroupId w = neighbours[0];
    if (used[w]) return;
    for (const CheapNeighbourView& view : views) {
      if (!may_follow(view.graph, view.question, v, w)) return;
    }
    used[v] = used[w] = 1;
    joins += merge.join(v, w);
    if (joined) joined->emplace_back(v, w);
  };
  for (GroupId v : order.all()) {
    try_join(v, order.successors(v));
    try_join(v, order.predecessors(v));
  }
  return joins;
}

}  // namespace partita::detail
